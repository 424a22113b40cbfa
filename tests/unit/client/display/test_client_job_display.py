"""How a job looks on a terminal while it runs."""

from __future__ import annotations

import io
import re
from contextlib import suppress

import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb
from google.protobuf.duration_pb2 import Duration
from rich.console import Console

from cgrag_client.cli.repositories.job_display import JobBars
from cgrag_client.render import words


def shown(*jobs: pb.IndexJob) -> list[str]:
    """Return the last picture of bars on a terminal of 80 columns, without colours and bars."""
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system=None)
    with JobBars(console) as bars:
        for job in jobs:
            bars.show(job)
        lines = console.render_lines(bars._progress.get_renderable(), pad=False)
        final = ["".join(segment.text for segment in line) for line in lines]
    assert all(len(line) <= 80 for line in final)
    return [re.sub(r" +", " ", re.sub(r"[━╸╺]+", "|", line)).strip() for line in final]


def job(phase: int, done: int = 0, total: int = 0, rate: float = 0.0, eta: float | None = None) -> pb.IndexJob:
    progress = pb.IndexProgress(phase=pb.IndexPhase.ValueType(phase), done=done, total=total, rate=rate)
    if eta is not None:
        progress.eta.FromMilliseconds(int(eta * 1000))
    return pb.IndexJob(state=pb.INDEX_JOB_STATE_RUNNING, progress=progress)


def test_each_phase_has_its_line_with_counts_rate_and_time() -> None:
    """Counts with and without a total; phases that are over keep their counts; all fits into 80 columns."""
    lines = shown(
        job(pb.INDEX_PHASE_SCANNING, 9213, 9213),
        job(pb.INDEX_PHASE_PARSING, 106327, 107707, 12345.6, 20.1),
        job(pb.INDEX_PHASE_LINKING),
        job(pb.INDEX_PHASE_EMBEDDING, 5575, 20000, 26.0, 554.8),
    )

    assert lines[0].startswith("✓ scanning | 9,213 0:00:0")
    assert lines[1].startswith("✓ parsing | 107,707 0:00:0")
    assert lines[2].startswith("✓ linking | 0:00:0")
    assert "embedding | 5,575 of 20,000 26/s 9 min 15 s to go 0:00:0" in lines[3]


def test_what_is_left_before_its_end_is_not_shown_as_done() -> None:
    """Ctrl-C or a lost connection leave the bar of the phase where it was; that of a served job is full."""
    left, served = io.StringIO(), io.StringIO()
    running = job(pb.INDEX_PHASE_PARSING, 461, 1502)
    with suppress(KeyboardInterrupt), JobBars(Console(file=left, width=80)) as bars:
        bars.show(running)
        raise KeyboardInterrupt
    with JobBars(Console(file=served, width=80)) as bars:
        bars.show(running)
        running.state = pb.INDEX_JOB_STATE_SUCCEEDED
        bars.show(running)

    assert "461 of 1,502" in left.getvalue()
    assert "✓" not in left.getvalue()
    assert "✓ parsing" in served.getvalue()


def test_counts_without_a_total_are_shown() -> None:
    """As long as nobody knows how many there are, those that are done are counted."""
    (line,) = shown(job(pb.INDEX_PHASE_EMBEDDING, 5575, 0, 26.0))

    assert "embedding | 5,575 26/s" in line


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0 s"), (0.2, "1 s"), (59.0, "59 s"), (96.0, "1 min 36 s"), (119.7, "2 min 0 s"), (3700.0, "61 min 40 s")],
)
def test_time_to_go_is_told_in_whole_seconds(seconds: float, text: str) -> None:
    """Rounded up; minutes are those that are full."""
    value = Duration()
    value.FromMilliseconds(int(seconds * 1000))

    assert words.time_to_go(value) == f"{text} to go"


@pytest.mark.parametrize(("value", "text"), [(59_940, "59.9 s"), (59_960, "1 min 0 s"), (96_000, "1 min 36 s")])
def test_durations_have_full_minutes(value: float, text: str) -> None:
    """A minute and a half is not rounded to two minutes and thirty seconds."""
    assert words.milliseconds(value) == text
