"""What people see, as text: the course of an answer, the answer, a job, a dry run."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.type.v1 import code_pb2, question_pb2
from google.protobuf.duration_pb2 import Duration
from rich.console import Console, RenderableType

from cgrag_client.render import words
from cgrag_client.render.answer import plain_answer, rich_answer
from cgrag_client.render.explanation import explanation
from cgrag_client.render.job import phase_line, summary
from cgrag_client.render.links import Links
from cgrag_client.render.progress import AnswerProgress
from cgrag_client.render.status import repositories_table
from tests.fakes.answer_events import two_pass_answer, two_pass_events

GOLDEN = Path(__file__).parents[3] / "golden" / "rendering"


def as_text(*parts: RenderableType, terminal: bool = False) -> str:
    """Print to a console of 100 columns and return what it shows."""
    output = io.StringIO()
    console = Console(file=output, width=100, force_terminal=terminal, color_system="standard" if terminal else None)
    for part in parts:
        console.print(part, soft_wrap=True)
    return output.getvalue()


def golden(name: str) -> str:
    """Read what was looked at by a person and found good."""
    return (GOLDEN / name).read_text(encoding="utf-8")


def test_tells_the_course_of_an_answer() -> None:
    """Mode, steps, evidence, passes, gaps and their outcomes each have their line."""
    progress = AnswerProgress(Links())
    shown = as_text(*(line for event in two_pass_events() for line in progress.lines(event)))

    assert shown == golden("answer_progress.txt")


def test_shows_only_the_running_pass_as_partial_text() -> None:
    """A later pass's text replaces the earlier one's."""
    progress = AnswerProgress(Links())
    tails = []
    for event in two_pass_events():
        list(progress.lines(event))
        tails.append(progress.tail)

    assert tails[7] == "The stock is checked somewhere."
    assert tails[-1] == "`reserve` raises OutOfStock [2]."


def test_writes_an_answer_plainly() -> None:
    """Without a terminal an answer is markdown without control codes, with everything that a reader needs."""
    text = plain_answer(two_pass_answer())

    assert text == golden("answer_plain.md")
    assert "\x1b" not in text


def test_tells_when_an_answer_was_taken_up_again() -> None:
    """Its time counts from the request on, and would look slow without that."""
    answer = two_pass_answer()
    answer.metadata.total_ms, answer.metadata.taken_up_after_ms = 62_000, 60_000

    assert ", taken up again after 1 min" in plain_answer(answer)


def test_lays_an_answer_out_for_a_terminal() -> None:
    """On a terminal the answer has its citations, confidence, what stayed open, and the numbers of the loop."""
    text = as_text(rich_answer(two_pass_answer(), Links()))

    assert text == golden("answer_rich.txt")


def test_links_citations_to_files_of_this_machine(tmp_path: Path) -> None:
    """A terminal gets OSC 8 links to files that are there; a file that is not there is not linked."""
    file = tmp_path / "shop" / "cart.py"
    file.parent.mkdir()
    file.write_text("")
    text = as_text(rich_answer(two_pass_answer(), Links(tmp_path)), terminal=True)

    assert f"{file.as_uri()}\x1b\\" in text
    assert "shop/stock.py\x1b\\" not in text


def test_prefers_the_url_of_a_citation() -> None:
    """A citation that has a URL is linked there."""
    answer = two_pass_answer()
    answer.citations[0].url = "https://example.org/cart.py#L30"

    assert "https://example.org/cart.py#L30\x1b\\" in as_text(rich_answer(answer, Links()), terminal=True)


@pytest.mark.parametrize("text", ["\x1b[2Jhello", "hel\x07lo", "h\u202eello", "\x9b31mhello"])
def test_lets_no_control_codes_of_repositories_reach_the_terminal(text: str) -> None:
    """Names, reasons and text out of a repository cannot drive the terminal."""
    answer = two_pass_answer()
    answer.text = text
    answer.citations[0].symbol.qualified_name = ""
    answer.citations[0].title = text

    shown = as_text(rich_answer(answer, Links())) + plain_answer(answer)

    assert not any(code in shown for code in ("\x1b", "\x07", "\u202e", "\x9b"))


def test_sums_up_an_indexed_repository() -> None:
    """A job's summary has sizes, what was reused, and what was left out by reason."""
    counts = indexer_pb2.IndexCounts(
        files=120,
        lines=45_210,
        symbols=3_312,
        edges=9_870,
        docs=44,
        vectors=0,
        files_reused=118,
        files_parsed=2,
        skipped=[
            indexer_pb2.SkipCount(reason=indexer_pb2.SKIP_REASON_BINARY, files=7),
            indexer_pb2.SkipCount(reason=indexer_pb2.SKIP_REASON_UNSAFE_LINK, files=1),
        ],
    )
    job = indexer_pb2.IndexJob(
        repository="shop",
        state=indexer_pb2.INDEX_JOB_STATE_ENRICHING,
        snapshot_id="1a2b3c4d5e6f7a8b",
        counts=counts,
        progress=indexer_pb2.IndexProgress(phase=indexer_pb2.INDEX_PHASE_EMBEDDING),
    )

    assert as_text(*summary(job)) == golden("job_summary.txt")


def test_says_that_calls_may_be_missing() -> None:
    """Where the linker went as far as it may and no further, the summary names the language."""
    skipped = [indexer_pb2.SkipCount(reason=indexer_pb2.SKIP_REASON_UNLINKED, files=2)]
    cut = [indexer_pb2.CutLink(), indexer_pb2.CutLink(language="python")]
    counts = indexer_pb2.IndexCounts(cut=cut, skipped=skipped)
    job = indexer_pb2.IndexJob(repository="shop", state=indexer_pb2.INDEX_JOB_STATE_SUCCEEDED, counts=counts)
    told = as_text(*summary(job))

    assert "calls may be missing in python" in told
    assert "calls may be missing between languages" in told
    assert "2 unlinked" in told


def test_a_tree_without_a_file_that_can_be_indexed_is_told() -> None:
    """Nobody is sent on to ask about nothing, as in the wrong folder; what was left out says why."""
    job = indexer_pb2.IndexJob(repository="shop", state=indexer_pb2.INDEX_JOB_STATE_ENRICHING, snapshot_id="a" * 64)
    job.counts.skipped.add(reason=indexer_pb2.SKIP_REASON_BINARY, files=3)
    text = as_text(*summary(job))
    job.counts.files = 1

    assert "nothing to ask about: it holds no file that can be indexed" in text
    assert "left out: 3 binary" in text
    assert "questions can be asked now" not in text
    assert "nothing to ask about" not in as_text(*summary(job))
    assert "questions can be asked now" in as_text(*summary(job))


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        (indexer_pb2.INDEX_JOB_STATE_FAILED, "✗ shop: no space left\n"),
        (indexer_pb2.INDEX_JOB_STATE_CANCELLED, "✗ shop: cancelled; what was published before stays\n"),
    ],
)
def test_says_how_a_job_ended_badly(state: indexer_pb2.IndexJobState.ValueType, shown: str) -> None:
    """A failed job shows its error, a cancelled one what remains."""
    job = indexer_pb2.IndexJob(repository="shop", state=state, error="no space left")

    assert as_text(*summary(job)) == shown


def test_says_which_job_took_the_rest_over() -> None:
    """A job that was superseded has published; its later layers come with another one."""
    state = indexer_pb2.INDEX_JOB_STATE_SUCCEEDED
    job = indexer_pb2.IndexJob(repository="shop", state=state, snapshot_id="1a2b", superseded_by="job_2")

    assert "a later job, job_2, makes vectors and findings" in as_text(*summary(job))


def test_says_how_far_a_job_is() -> None:
    """A phase has counts, rate and time to go, as far as they are known."""
    progress = indexer_pb2.IndexProgress(
        phase=indexer_pb2.INDEX_PHASE_PARSING, done=1200, total=2400, rate=300, eta=Duration(seconds=4)
    )

    assert phase_line(indexer_pb2.IndexJob(progress=progress)) == (
        "parsing 1,200 of 2,400, 300 a second, about 4 s to go"
    )
    assert phase_line(indexer_pb2.IndexJob()) == "waiting"


def test_says_that_an_edit_is_shown_before_all_is_linked() -> None:
    """A job that has published a provisional snapshot says so on the way, and the list of repositories marks it."""
    progress = indexer_pb2.IndexProgress(phase=indexer_pb2.INDEX_PHASE_LINKING, total=9)
    job = indexer_pb2.IndexJob(provisional=True, progress=progress)
    snapshot = indexer_pb2.Snapshot(snapshot_id="ab" * 32, provisional=True)
    table = repositories_table([indexer_pb2.Repository(repository="shop", current=snapshot)])

    assert phase_line(job) == "linking 0 of 9; the edit can be asked about already"
    assert "abababababab provisional" in as_text(table)


def test_lays_a_dry_run_out() -> None:
    """A dry run shows mode, plan, anchors, coverage and what to expect."""
    response = orchestrator_pb2.ExplainResponse(
        classification=question_pb2.Classification(
            mode=question_pb2.MODE_DIAGNOSTIC, confidence=0.93, reasoning="An error."
        ),
        plan=["error_search", "callers", "sources"],
        anchors_found=["OutOfStock"],
        anchors_missing=["Ledger"],
        coverage=0.98,
        expected_evidence_tokens=2100,
        expected_passes=2,
        evidence=two_pass_events()[4].evidence.evidence,
    )

    assert as_text(*explanation(response, Links())) == golden("explanation.txt")


@pytest.mark.parametrize(("start", "end", "shown"), [(0, 0, "a.py"), (3, 3, "a.py:3"), (3, 9, "a.py:3-9")])
def test_writes_places_as_editors_know_them(start: int, end: int, shown: str) -> None:
    """A place is path:line or path:start-end; a whole file is its path."""
    assert words.place(code_pb2.Span(path="a.py", start_line=start, end_line=end)) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(12.4, "12 ms"), (999.4, "999 ms"), (1520, "1.5 s"), (125_000, "2 min 5 s")]
)
def test_writes_durations_shortly(value: float, shown: str) -> None:
    """Three digits say enough."""
    assert words.milliseconds(value) == shown
