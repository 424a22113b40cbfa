"""Answers that are made a second time by another configuration: nobody who asks can tell."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import grpc
import pytest
import structlog
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2

from common.rpc.callers import CALLER_KEY
from orchestrator.adapters.stores.sqlite_sessions import SqliteSessions
from orchestrator.domain.answers.records import SHADOW_OWNER
from tests.e2e.guarded import metadata_of
from tests.e2e.ports import free_port
from tests.fakes.answering import eventually, refusal
from tests.fakes.anthropic_replies import Failure, Message, Reply, stalled
from tests.fakes.anthropic_server import AnthropicServer, ReceivedRequest
from tests.fakes.ids import SequentialIds
from tests.fakes.orchestrating import Orchestrating, model_at, orchestrating
from tests.fakes.peers import REPOSITORY, SNAPSHOT
from tests.integration.orchestrator.stores.test_orchestrator_quotas import guarded

SERVED, TRIED = "served-1", "tried-1"
PLAIN = Message("`checkout()` takes the money [E1].\n")
WITH_GAP = Message('`checkout()` takes it [E1].\n<gaps><gap symbol="charge" path="shop/payment.py">how</gap></gaps>')


class Models(AnthropicServer):
    """A model that is served and one that is tried, each with a reply of its own."""

    def __init__(self, served: Reply = PLAIN, tried: Reply = PLAIN) -> None:
        super().__init__(fallback=lambda request: self.replies[model_of(request)])
        self.replies = {SERVED: served, TRIED: tried}

    def asked(self, model: str) -> list[ReceivedRequest]:
        """Return the requests to one of them."""
        return [each for each in self.requests if model_of(each) == model]


def model_of(request: ReceivedRequest) -> str:
    """Return which model is asked."""
    return str(request.json["model"])


@pytest.fixture
def models() -> Iterator[Models]:
    """Listen as both models."""
    with Models() as server:
        yield server


def trying(models: Models, tried: Mapping[str, Any] = MappingProxyType({}), **settings: Any) -> dict[str, Any]:
    """Return settings that serve one model and try the other, with what else is said of it, beside each answer."""
    wanted = {
        "answer_model": SERVED,
        "shadow_percent": 100.0,
        "shadow": "tried",
        "variants": {"tried": {"answer_model": TRIED} | dict(tried)},
    }
    return model_at(models) | wanted | settings


def kept(suite: Orchestrating) -> list[str]:
    """Return the identities of all answers in the log."""
    with sqlite3.connect(suite.data / "orchestrator" / "answers.db") as connection:
        return [row[0] for row in connection.execute("SELECT answer_id FROM answers ORDER BY answer_id")]


def debts(suite: Orchestrating) -> int:
    """Return how many gaps were counted as unresolved."""
    with sqlite3.connect(suite.data / "orchestrator" / "answers.db") as connection:
        return int(connection.execute("SELECT coalesce(sum(count), 0) FROM debts").fetchone()[0])


async def compared(suite: Orchestrating, count: int = 1) -> None:
    """Wait until so many shadows are kept."""
    await eventually(lambda: sum(each.endswith("-shadow") for each in kept(suite)) == count)


def timeless(events: list[pb.AnswerEvent]) -> list[pb.AnswerEvent]:
    """Return events without what differs by the moment: identities and times."""
    for event in events:
        event.ClearField("answer_id")
        event.ClearField("create_time")
        for name in ("answer_id", "session_id"):
            event.started.ClearField(name) if event.HasField("started") else None
            event.completed.answer.ClearField(name) if event.HasField("completed") else None
        clear_milliseconds(event)
    return events


def clear_milliseconds(message: Any) -> None:
    """Remove all durations and dates from a message, at any depth."""
    for descriptor, value in message.ListFields():
        if descriptor.name == "milliseconds" or descriptor.name.endswith(("_ms", "_time")):
            message.ClearField(descriptor.name)
        elif descriptor.message_type is not None:
            for each in value if descriptor.is_repeated else [value]:
                if hasattr(each, "ListFields"):
                    clear_milliseconds(each)


async def test_the_served_stream_is_the_same_and_does_not_wait(models: Models) -> None:
    """With a shadow that hangs, the caller gets the events that it gets without one, and its session is as it was."""
    models.replies[TRIED] = stalled()
    async with orchestrating(**trying(models, shadow_percent=0.0)) as suite:
        plain = await suite.ask()
    async with orchestrating(**trying(models)) as suite:
        began = time.monotonic()
        events = await suite.ask()
        took = time.monotonic() - began
        await eventually(lambda: bool(models.asked(TRIED)))
        answer_id = events[0].answer_id
        again = await suite.watch(answer_id)

    assert took < 5
    assert again == events
    assert timeless(events) == timeless(plain)
    assert models.asked(TRIED)[0].finished_at is None


async def test_a_shadow_is_compared_counted_and_for_nobody(models: Models) -> None:
    """One line has the figures of both and no text; by its name a shadow is as unknown as any other."""
    port = free_port()
    with structlog.testing.capture_logs() as logs:
        async with orchestrating(**trying(models, metrics_port=port)) as suite:
            answer = await suite.answer()
            await eventually(lambda: any(each["event"] == "shadow.compared" for each in logs))
            metrics = await scrape(port)
            shadow = pb.GetAnswerRequest(answer_id=f"{answer.answer_id}-shadow")
            for call, request in (
                (suite.stub.GetAnswer, shadow),
                (suite.stub.CancelAnswer, pb.CancelAnswerRequest(answer_id=shadow.answer_id)),
                (suite.stub.RateAnswer, pb.RateAnswerRequest(answer_id=shadow.answer_id, rating=5)),
            ):
                unknown = await refusal(call(request, timeout=10))
                # Its owner has a name that no caller can have.
                refused = await refusal(call(request, metadata=((CALLER_KEY, SHADOW_OWNER),), timeout=10))
                assert unknown.code() is grpc.StatusCode.NOT_FOUND
                assert refused.code() is grpc.StatusCode.INVALID_ARGUMENT
            unknown = await refusal(suite.watch(shadow.answer_id))

    [line] = [each for each in logs if each["event"] == "shadow.compared"]
    assert unknown.code() is grpc.StatusCode.NOT_FOUND
    assert (line["agreement"], line["files"], line["symbols"]) == ("same", 1.0, 1.0)
    assert (line["served"]["answer_id"], line["served"]["model"]) == (answer.answer_id, SERVED)
    assert (line["shadow"]["answer_id"], line["shadow"]["model"]) == (shadow.answer_id, TRIED)
    assert "takes the money" not in repr(logs)
    assert answer.question not in repr(logs)
    assert 'cgrag_answers_shadow_total{agreement="same"} 1.0' in metrics
    assert 'cgrag_llm_requests_total{model="tried-1",outcome="ok",role="shadow"} 1.0' in metrics
    assert counted(metrics, "cgrag_answer_passes_count") == 1.0
    assert counted(metrics, "cgrag_citations_total") == len(answer.citations)


def counted(metrics: str, name: str) -> float:
    """Return the sum of a metric over its labels."""
    return sum(float(each.split()[-1]) for each in metrics.splitlines() if each.startswith(f"{name}{{"))


async def scrape(port: int) -> str:
    """Return the metrics of the orchestrator."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /metrics HTTP/1.0\r\n\r\n")
    text = (await reader.read()).decode()
    writer.close()
    return text


async def test_a_shadow_knows_what_the_answer_knew_and_teaches_nothing(models: Models, tmp_path: Path) -> None:
    """It sees the session as it was before the answer; what it finds beyond is neither remembered nor counted."""
    models.replies[TRIED] = WITH_GAP
    async with orchestrating(**trying(models, {"max_passes": 2}, max_passes=1, data_dir=tmp_path)) as suite:
        suite.data = tmp_path
        answer = await suite.answer()
        await compared(suite)
        await suite.answer("How is the total made?", session_id=answer.session_id)
        await compared(suite, 2)
        first, beside, second, beside_second = suite.retriever.asked(retriever_pb2.RetrieveRequest)
        gaps = suite.retriever.asked(retriever_pb2.ResolveGapsRequest)
        owed = debts(suite)
    sessions = SqliteSessions(tmp_path / "orchestrator" / "sessions.db", SequentialIds())
    memory = await sessions.load(answer.session_id, SNAPSHOT)
    await sessions.close()

    assert list(beside.known_evidence_ids) == list(first.known_evidence_ids) == []
    assert list(beside_second.known_evidence_ids) == list(second.known_evidence_ids)
    assert [[gap.symbol for gap in each.gaps] for each in gaps] == [["charge"], ["charge"]]
    assert [each.evidence_id for each in memory.evidence] == ["ev-checkout"]
    assert owed == 0


async def test_a_model_that_fails_beside_harms_nobody(models: Models) -> None:
    """However often it fails, the model that is served is asked as before, and nothing is kept of the shadows."""
    models.replies[TRIED] = Failure(529, retry_after="600")
    port = free_port()
    async with orchestrating(**trying(models, metrics_port=port)) as suite:
        answers = []
        for number in range(7):
            answers.append(await suite.answer())
            text = f'cgrag_answers_shadow_total{{agreement="failed"}} {number + 1}.0'
            async with asyncio.timeout(30):
                while text not in await scrape(port):  # noqa: ASYNC110 (what is waited for happens in another task)
                    await asyncio.sleep(0.01)
        ids = kept(suite)

    assert [each.engine for each in answers] == ["anthropic"] * 7
    assert all(not each.degraded for each in answers)
    assert sorted(ids) == sorted(each.answer_id for each in answers)


async def test_the_kill_switch_ends_a_shadow(models: Models, tmp_path: Path) -> None:
    """Within a second or so its model sees the connection close; nothing is kept."""
    models.replies[TRIED] = stalled()
    switch = tmp_path / "stop"
    async with orchestrating(**trying(models, kill_switch_file=switch)) as suite:
        await suite.answer()
        await eventually(lambda: bool(models.asked(TRIED)))
        switch.touch()
        await eventually(lambda: models.asked(TRIED)[0].disconnected_at is not None)
        other = await suite.answer("How is the total made?")
        ids = kept(suite)

    assert other.engine == "evidence"
    assert len(models.asked(TRIED)) == 1
    assert not any(each.endswith("-shadow") for each in ids)


async def test_a_drain_drops_shadows_first(models: Models) -> None:
    """A served answer goes on to its end; the shadow of an earlier one is gone before."""
    models.replies[TRIED] = stalled()
    async with orchestrating(**trying(models)) as suite:
        await suite.answer()
        await eventually(lambda: bool(models.asked(TRIED)))
        models.enqueue(Message(pieces=["It takes ", "the money [E1]."], pause_seconds=0.5))
        running = asyncio.create_task(suite.answer("How is the total made?"))
        await eventually(lambda: len(models.asked(SERVED)) == 2)
        draining = asyncio.create_task(suite.server.drain())
        gone = await asyncio.to_thread(models.wait_for_disconnect, models.requests.index(models.asked(TRIED)[0]))
        answer = await running
        ended = time.monotonic()
        await draining

    assert gone < ended
    assert answer.engine == "anthropic"
    assert len(models.asked(TRIED)) == 1


async def test_without_a_share_nothing_is_made_twice(models: Models) -> None:
    """Out of the box there is no second answer, no model for it, and no metric of its model."""
    port = free_port()
    async with orchestrating(**trying(models, shadow_percent=0.0, metrics_port=port)) as suite:
        answer = await suite.answer()
        metrics = await scrape(port)
        ids = kept(suite)

    assert ids == [answer.answer_id]
    assert len(models.requests) == 1
    assert 'role="shadow"' not in metrics
    assert 'cgrag_answers_shadow_total{agreement="same"} 0.0' in metrics


async def test_evidence_alone_can_be_tried_and_served(models: Models) -> None:
    """Either engine beside the other; the one that is not chosen is not asked."""
    async with orchestrating(**trying(models, {"engine": "evidence"})) as suite:
        served = await suite.answer()
        await compared(suite)
    asked = len(models.requests)
    async with orchestrating(**trying(models, {"engine": "anthropic"}, engine="evidence")) as suite:
        other = await suite.answer()
        await compared(suite)

    assert (served.engine, asked) == ("anthropic", 1)
    assert (other.engine, len(models.asked(TRIED)), len(models.asked(SERVED))) == ("evidence", 1, 1)


async def test_shadows_are_on_the_operator(models: Models, tmp_path: Path) -> None:
    """Behind an access file a shadow reads as the caller, and what it costs is not the caller's."""
    tried = {"input_usd_per_million": 1_000_000.0}
    port = free_port()
    async with guarded(tmp_path, **trying(models, tried, metrics_port=port, input_usd_per_million=1.0)) as suite:
        for number in range(2):
            request = pb.AskRequest(repository=REPOSITORY, question=f"How does checkout {number} charge?")
            events = [each async for each in suite.stub.Ask(request, metadata=metadata_of("anna"), timeout=30)]
            assert events[-1].completed.answer.engine == "anthropic"
            await compared(suite, number + 1)
        metrics = await scrape(port)

    assert 'cgrag_llm_cost_usd_total{model="tried-1",role="shadow"} 200.0' in metrics


async def test_the_caller_may_leave_at_once(models: Models) -> None:
    """A shadow outlives the call that it stems from, and that call's deadline."""
    models.replies[TRIED] = Message(pieces=["It takes ", "money [E1]."], pause_seconds=0.6)
    async with orchestrating(**trying(models)) as suite:
        request = pb.AskRequest(repository=REPOSITORY, question="How does checkout charge?")
        with suppress(asyncio.CancelledError):
            call = suite.stub.Ask(request, timeout=1.0)
            async for event in call:
                if event.HasField("completed"):
                    call.cancel()
        await compared(suite)

    assert models.asked(TRIED)[0].finished_at is not None
