"""Writes the result of a replay: how an answer that was made again differs from the original one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from cgrag_client.render import words
from cgrag_client.render.clean import cleaned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgrag.orchestrator.v1 import orchestrator_pb2

_EVENTS = {
    "classified": "the classification",
    "retrieval_progress": "the search",
    "evidence": "the evidence",
    "pass_started": "the beginning",
    "text_delta": "the text",
    "pass_finished": "the end",
    "gaps_found": "the gaps",
    "gap_resolved": "the outcomes",
    "judged": "the judgement",
    "completed": "the finished answer",
}
_WIDTH = 12
_SHORT_ID = 12


def replay(response: orchestrator_pb2.ReplayAnswerResponse) -> Iterator[Text]:
    """Render the differences of a replay, the first event that differs on top, each with the old and the new value."""
    response = cleaned(response)
    is_same = not response.differences
    yield Text.assemble(
        (f"{'Same' if is_same else 'Different':<{_WIDTH}}", "bold green" if is_same else "bold yellow"),
        f"answer {response.answer_id}",
        (f"  snapshot {response.snapshot_id[:_SHORT_ID]} of {response.repository}", "dim"),
    )
    yield _row("Played", _played(response.played_passes))
    for number, each in enumerate(response.differences):
        yield Text()
        yield _row("Began with" if number == 0 else "Then also", _place(each))
        for label, value in (("then", each.then), ("now", each.now)):
            yield Text.assemble(" " * _WIDTH, (f"{label:<6}", "dim"), value or ("nothing", "dim"))
    if response.stopped:
        yield Text()
        yield _row("Stopped", response.stopped)


def _played(passes: int) -> str:
    if not passes:
        return "no model wrote this answer; everything ran anew"
    return f"{words.count(passes, 'pass', 'passes')} of the model; no model was asked, everything else ran anew"


def _place(difference: orchestrator_pb2.ReplayDifference) -> str:
    name = _EVENTS.get(difference.event, difference.event.replace("_", " "))
    parts = (
        f"{name} of pass {difference.pass_number}" if difference.pass_number else name,
        f"event {difference.sequence}" if difference.sequence else "",
        "" if name.endswith(f" {difference.field}") else difference.field,
    )
    return ", ".join(each for each in parts if each)


def _row(label: str, text: str) -> Text:
    return Text.assemble((f"{label:<{_WIDTH}}", "bold"), text)
