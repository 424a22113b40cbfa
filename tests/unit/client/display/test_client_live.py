"""An answer in the making on a terminal: what stays are lines, what goes on is drawn below them and wiped away."""

from __future__ import annotations

import asyncio
import io
import threading

from cgrag.orchestrator.v1 import orchestrator_pb2
from rich.console import Console

from cgrag_client.cli.live import FRAME_SECONDS, LiveProgress
from cgrag_client.render.links import Links


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=80, height=20)


def passing(number: int) -> orchestrator_pb2.AnswerEvent:
    return orchestrator_pb2.AnswerEvent(pass_started=orchestrator_pb2.PassStarted(pass_number=number))


async def test_frames_are_drawn_by_the_loop_alone() -> None:
    """A second thread would draw while lines are printed, and leave remains; frames still go on between events."""
    console = terminal()
    before = threading.active_count()
    with LiveProgress(console, Links()) as progress:
        progress.show(passing(1))
        shown = console.file.getvalue()  # type: ignore[attr-defined]  # it is the StringIO from above
        threads = threading.active_count()
        await asyncio.sleep(3 * FRAME_SECONDS)
        later = console.file.getvalue()  # type: ignore[attr-defined]

    assert threads == before
    assert len(later) > len(shown)


async def test_it_is_shown_that_nothing_comes() -> None:
    """Before the first event, and again after any; whoever waits can tell a pause from an end."""
    console = terminal()
    with LiveProgress(console, Links(), quiet_seconds=0.01) as progress:
        await asyncio.sleep(3 * FRAME_SECONDS)
        before = console.file.getvalue()  # type: ignore[attr-defined]
        progress.show(passing(1))
        await asyncio.sleep(3 * FRAME_SECONDS)
        after = console.file.getvalue()[len(before) :]  # type: ignore[attr-defined]

    assert "asking ... nothing new for 0 s" in before
    assert "nothing new for 0 s" in after


async def test_nothing_is_drawn_after_the_end() -> None:
    """The next frame is called off, and the cursor is shown again."""
    console = terminal()
    with LiveProgress(console, Links()) as progress:
        progress.show(passing(1))
    ended = console.file.getvalue()  # type: ignore[attr-defined]
    await asyncio.sleep(3 * FRAME_SECONDS)

    assert console.file.getvalue() == ended  # type: ignore[attr-defined]
    assert "\x1b[?25h" in ended
