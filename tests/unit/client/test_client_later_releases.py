"""A service of a later release says more than this client knows: it is passed over or called unknown, with no crash."""

from __future__ import annotations

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.type.v1 import evidence_pb2

from cgrag_client.render import words
from cgrag_client.render.answer import plain_answer
from cgrag_client.render.links import Links
from cgrag_client.render.progress import AnswerProgress

LATER = 99


@pytest.mark.parametrize(
    "name",
    [
        "mode",
        "engine",
        "stop_reason",
        "confidence",
        "outcome",
        "job_state",
        "phase",
        "skip_reason",
        "severity",
        "category",
        "agreement",
        "layer",
    ],
)
def test_a_value_that_is_not_known_has_a_name_all_the_same(name: str) -> None:
    """Of every enumeration that is shown."""
    assert getattr(words, name)(LATER).lower() == "unknown"


def test_an_answer_of_unknown_values_is_shown() -> None:
    """Confidence, mode, what became of a gap, and why the loop stopped."""
    gap = evidence_pb2.GapResult(gap=evidence_pb2.Gap(symbol="Vanish"))
    gap.outcome = evidence_pb2.GapOutcome.ValueType(LATER)
    answer = orchestrator_pb2.Answer(text="It is so.", gaps=[gap])
    answer.confidence = orchestrator_pb2.Confidence.ValueType(LATER)
    answer.metadata.stop_reason = orchestrator_pb2.StopReason.ValueType(LATER)

    shown = plain_answer(answer)
    assert "It is so." in shown
    assert "Confidence: unknown" in shown


def test_an_unknown_kind_of_event_is_passed_over() -> None:
    """As a message whose kind is not known is read; what comes next is shown as ever."""
    progress = AnswerProgress(Links())
    unknown = orchestrator_pb2.AnswerEvent(sequence=2)
    started = orchestrator_pb2.AnswerEvent(sequence=3, started=orchestrator_pb2.Started(repository="shop"))

    assert list(progress.lines(unknown)) == []
    assert "shop" in "".join(line.plain for line in progress.lines(started))
