"""The classifier over RPC, put together as it is in production."""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import grpc
import pytest
from cgrag.classifier.v1 import classifier_pb2, classifier_pb2_grpc
from cgrag.type.v1 import question_pb2
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from cgrag_client.connecting.connection import Connection
from cgrag_client.evaluation.cases import ClassifierCase
from cgrag_client.evaluation.classifier import classify_one, score
from classifier.bootstrap import build
from classifier.settings import ClassifierSettings
from common.rpc.client.channels import open_channel
from common.rpc.serving.server import Server
from tests.e2e.ports import free_port
from tests.fakes.answering import refusal
from tests.fakes.anthropic_replies import Failure, Message
from tests.fakes.anthropic_server import AnthropicServer


@asynccontextmanager
async def running(
    settings: ClassifierSettings,
) -> AsyncIterator[tuple[Server, classifier_pb2_grpc.ClassifierServiceAsyncStub]]:
    """Serve on free ports; yield the server and a stub."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(build(settings, stack))
        channel = await stack.enter_async_context(open_channel(f"127.0.0.1:{server.port}"))
        yield server, classifier_pb2_grpc.ClassifierServiceStub(channel)


RULES = ClassifierSettings(port=0, metrics_port=0)


async def test_question_is_classified_with_its_anchors() -> None:
    """One call names mode, confidence, reasoning, scope, engine, anchors and task type."""
    async with running(RULES) as (_, stub):
        answer = await stub.ClassifyQuestion(
            classifier_pb2.ClassifyQuestionRequest(
                question='Why does `Cart.add` in shop/cart.py fail with "price is negative" in the shop package?'
            )
        )

    assert answer.mode == question_pb2.MODE_DIAGNOSTIC
    assert 0.5 < answer.confidence <= 1.0
    assert answer.reasoning
    assert answer.scope == "shop"
    assert answer.engine == question_pb2.CLASSIFIER_ENGINE_RULES
    assert list(answer.anchors.symbols) == ["Cart.add"]
    assert list(answer.anchors.paths) == ["shop/cart.py"]
    assert list(answer.anchors.error_messages) == ["price is negative"]
    assert answer.task_type == question_pb2.TASK_TYPE_QUESTION


async def test_task_is_analyzed() -> None:
    """AnalyzeTask gives frames and task type and chooses no mode."""
    async with running(RULES) as (_, stub):
        answer = await stub.AnalyzeTask(
            classifier_pb2.AnalyzeTaskRequest(task='Repair this\n  File "a.py", line 3, in f\n    g()\nKeyError: 1\n')
        )

    assert answer.task_type == question_pb2.TASK_TYPE_BUG_FIX
    assert [(frame.path, frame.line, frame.function, frame.language) for frame in answer.anchors.frames] == [
        ("a.py", 3, "f", "python")
    ]
    assert list(answer.anchors.exceptions) == ["KeyError"]


@pytest.mark.parametrize(
    ("request_message", "fields"),
    [
        (classifier_pb2.ClassifyQuestionRequest(question=" \n"), {"question"}),
        (classifier_pb2.ClassifyQuestionRequest(question="x" * 100_001), {"question"}),
        (
            classifier_pb2.ClassifyQuestionRequest(
                question="", forced_mode=question_pb2.Mode.ValueType(9), engine=question_pb2.CLASSIFIER_ENGINE_FORCED
            ),
            {"question", "forced_mode", "engine"},
        ),
    ],
    ids=["blank", "too long", "everything"],
)
async def test_every_bad_field_is_named(
    request_message: classifier_pb2.ClassifyQuestionRequest, fields: set[str]
) -> None:
    """A bad request comes back as INVALID_ARGUMENT with all of its fields at once."""
    async with running(RULES) as (_, stub):
        raised = await refusal(stub.ClassifyQuestion(request_message))

    assert raised.code() is grpc.StatusCode.INVALID_ARGUMENT
    status = rpc_status.from_call(raised)
    found = set()
    for detail in status.details:
        bad = error_details_pb2.BadRequest()
        if detail.Unpack(bad):
            found = {violation.field for violation in bad.field_violations}
    assert found == fields


async def test_model_answers_when_configured_and_rules_when_it_fails() -> None:
    """The configured model decides; once it fails, the next question is decided by rules with status OK."""
    verdict = {"mode": "EXPLORATORY", "confidence": 0.9, "reasoning": "It follows a path.", "scope": ""}
    with AnthropicServer(fallback=lambda _: Failure(529)) as endpoint:
        endpoint.enqueue(Message(tool=("classification", verdict)))
        settings = ClassifierSettings(
            port=0, metrics_port=0, engine="model", model_url=endpoint.base_url, api_key="k", model_seconds=2.0
        )
        async with running(settings) as (_, stub):
            first = await stub.ClassifyQuestion(classifier_pb2.ClassifyQuestionRequest(question="How does it flow?"))
            again = await stub.ClassifyQuestion(classifier_pb2.ClassifyQuestionRequest(question="How does it flow?"))
            other = await stub.ClassifyQuestion(classifier_pb2.ClassifyQuestionRequest(question="What is a view?"))

    assert (first.mode, first.engine) == (question_pb2.MODE_EXPLORATORY, question_pb2.CLASSIFIER_ENGINE_MODEL)
    assert again == first
    assert (other.mode, other.engine) == (question_pb2.MODE_CONCEPTUAL, question_pb2.CLASSIFIER_ENGINE_RULES)


UNFORCED, ANALYTICAL = question_pb2.MODE_UNSPECIFIED, question_pb2.MODE_ANALYTICAL


async def test_what_the_model_cost_comes_with_the_verdict() -> None:
    """By the configured prices, also where its words are of no use; what is remembered or forced costs nothing."""
    verdict = {"mode": "EXPLORATORY", "confidence": 0.9, "reasoning": "It follows a path.", "scope": ""}
    with AnthropicServer() as endpoint:
        endpoint.enqueue(
            Message(tool=("classification", verdict)), Message(tool=("classification", verdict | {"mode": "x"}))
        )
        settings = replace(RULES, engine="model", model_url=endpoint.base_url, api_key="k", metrics_port=free_port())
        settings = replace(settings, input_usd_per_million=1.0, output_usd_per_million=5.0)
        async with running(settings) as (_, stub):
            found = [
                await stub.ClassifyQuestion(classifier_pb2.ClassifyQuestionRequest(question=text, forced_mode=mode))
                for text, mode in (("How?", UNFORCED), ("How?", UNFORCED), ("Why?", UNFORCED), ("What?", ANALYTICAL))
            ]
            metrics = await asyncio.to_thread(_metrics, settings.metrics_port)

    assert [each.cost_usd for each in found] == pytest.approx([0.0002, 0.0, 0.0002, 0.0])
    assert found[2].engine == question_pb2.CLASSIFIER_ENGINE_RULES
    assert 'cgrag_llm_cost_usd_total{model="claude-haiku-4-5",role="classify"} 0.0004' in metrics


def _metrics(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as response:
        return str(response.read().decode())


async def test_evaluation_scores_over_rpc() -> None:
    """The scorer's figures come from calls to a running service."""
    cases = [
        ClassifierCase("What does select_related do?", "CONCEPTUAL"),
        ClassifierCase("Why do I get KeyError: 'id'?", "DIAGNOSTIC"),
        ClassifierCase("Which modules are most coupled to the ORM?", "EXPLORATORY"),
    ]
    async with running(RULES) as (server, _):
        connection = Connection(f"127.0.0.1:{server.port}")
        outcomes = [await classify_one(connection, case, question_pb2.CLASSIFIER_ENGINE_UNSPECIFIED) for case in cases]
        await connection.close()

    metrics = score(outcomes)

    assert metrics["n"] == 3
    assert metrics["accuracy"] == pytest.approx(2 / 3)
    assert metrics["confusion"] == {
        "CONCEPTUAL": {"CONCEPTUAL": 1, "DIAGNOSTIC": 0, "EXPLORATORY": 0, "ANALYTICAL": 0},
        "DIAGNOSTIC": {"CONCEPTUAL": 0, "DIAGNOSTIC": 1, "EXPLORATORY": 0, "ANALYTICAL": 0},
        "EXPLORATORY": {"CONCEPTUAL": 0, "DIAGNOSTIC": 0, "EXPLORATORY": 0, "ANALYTICAL": 1},
        "ANALYTICAL": {"CONCEPTUAL": 0, "DIAGNOSTIC": 0, "EXPLORATORY": 0, "ANALYTICAL": 0},
    }
    assert set(metrics) == {"n", "accuracy", "per_mode", "confusion", "ece", "latency_ms"}
