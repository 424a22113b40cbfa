"""A service of a later release says more than this client knows: it is passed over or called unknown, with no crash."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from cgrag.classifier.v1 import classifier_pb2_grpc
from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc
from cgrag.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from cgrag.type.v1 import evidence_pb2, question_pb2

from cgrag_client.client import Client
from cgrag_client.connecting.settings import ClientSettings
from cgrag_client.evaluation.answers import Asking
from cgrag_client.evaluation.cases import ClassifierCase, QuestionCase
from cgrag_client.evaluation.classifier import classify_one
from cgrag_client.evaluation.gaps.cases import GapCase
from cgrag_client.evaluation.gaps.measure import resolve_batch
from cgrag_client.render import words
from cgrag_client.render.answer import plain_answer
from cgrag_client.render.links import Links
from cgrag_client.render.progress import AnswerProgress

LATER = 99
CLASSIFICATION = question_pb2.Classification(mode=LATER)  # type: ignore[arg-type]  # that is the point


class LaterRelease(
    classifier_pb2_grpc.ClassifierServiceServicer,
    retriever_pb2_grpc.RetrieverServiceServicer,
    orchestrator_pb2_grpc.OrchestratorServiceServicer,
):
    """Services that end everything with a value of their own release."""

    async def ClassifyQuestion(self, _request: Any, _context: Any) -> Any:
        """Find a new mode."""
        return CLASSIFICATION

    async def ResolveGaps(self, request: Any, _context: Any) -> Any:
        """End each gap in a new way."""
        outcome = evidence_pb2.GapOutcome.ValueType(LATER)
        results = [evidence_pb2.GapResult(gap=each, outcome=outcome) for each in request.gaps]
        return retriever_pb2.ResolveGapsResponse(results=results)

    async def Ask(self, _request: Any, _context: Any) -> AsyncIterator[Any]:
        """Answer in a new mode."""
        answer = orchestrator_pb2.Answer(text="It is so.", classification=CLASSIFICATION)
        yield orchestrator_pb2.AnswerEvent(sequence=1, started=orchestrator_pb2.Started(repository="shop"))
        yield orchestrator_pb2.AnswerEvent(sequence=2, completed=orchestrator_pb2.Completed(answer=answer))


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """Give a client to a later release."""
    server = grpc.aio.server()
    services = LaterRelease()  # type: ignore[abstract]  # what it lacks is not asked
    classifier_pb2_grpc.add_ClassifierServiceServicer_to_server(services, server)
    retriever_pb2_grpc.add_RetrieverServiceServicer_to_server(services, server)
    orchestrator_pb2_grpc.add_OrchestratorServiceServicer_to_server(services, server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    async with Client(ClientSettings(classifier=address, retriever=address, orchestrator=address)) as client:
        yield client
    await server.stop(None)


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


async def test_an_evaluation_counts_a_question_of_an_unknown_mode(client: Client) -> None:
    """As one that was not classified as its label says, and as an answer of no mode that has a name here."""
    engine = question_pb2.CLASSIFIER_ENGINE_UNSPECIFIED
    outcome = await classify_one(client.connection("classifier"), ClassifierCase("How?", "EXPLORATORY"), engine)
    measured = await Asking(None).measure(client, "shop", QuestionCase("1", "o/r", "c", "How?", (), ()))

    assert outcome.given == "UNKNOWN"
    assert measured["mode"] == "UNKNOWN"


async def test_an_evaluation_counts_a_gap_that_ended_in_an_unknown_way(client: Client) -> None:
    """It is not what the case wants."""
    case = GapCase("absent", "ABSENT", symbol="Vanish")
    [ending] = await resolve_batch(client.connection("retriever"), "shop", [case])

    assert (ending.outcome, ending.is_right) == ("UNKNOWN", False)
