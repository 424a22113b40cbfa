"""The database is restarted, or crashes, while answers are made: they are whole in the end, and nothing comes twice."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, cast

import grpc
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from tests.fakes.answering import eventually, refusal
from tests.fakes.anthropic_replies import Message
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.orchestrating import QUESTION, Orchestrating, kinds, orchestrating, text_of
from tests.fakes.peers import REPOSITORY
from tests.fakes.postgres_server import PostgresDatabase, needs_postgres, postgres_database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    Stream: TypeAlias = AsyncIterator[pb.AnswerEvent]

pytestmark = needs_postgres
ANSWERS = 8
PIECES = tuple(f"`checkout()` calls `charge()` [E1], as line {number} says. " * 8 for number in range(30))
CONNECTED = "SELECT count(*) FROM pg_stat_activity WHERE usename = current_user AND application_name = 'cgrag'"
EVENTS = "SELECT answer_id, sequence, body FROM cgrag_answer_events"
_PASSING = frozenset({grpc.StatusCode.UNAVAILABLE})


@dataclass
class Reader:
    """Who asks, and comes back as the documentation says when the stream ends UNAVAILABLE."""

    suite: Orchestrating
    seen: list[pb.AnswerEvent] = field(default_factory=list)
    cuts: int = 0

    @property
    def is_done(self) -> bool:
        """Tell whether the answer is whole."""
        return bool(self.seen) and self.seen[-1].HasField("completed")

    async def read(self) -> None:
        """Read to the end of the answer."""
        async with asyncio.timeout(120):
            while not self.is_done:
                try:
                    async for event in self._stream():
                        if not event.HasField("heartbeat"):
                            self.seen.append(event)
                except grpc.aio.AioRpcError as error:
                    assert error.code() in _PASSING, error  # noqa: PT017 (any other is what must not happen)
                    self.cuts += 1
                    await asyncio.sleep(0.05)

    def _stream(self) -> Stream:
        if not self.seen:
            request = pb.AskRequest(repository=REPOSITORY, question=QUESTION, request_id=f"req_{id(self)}")
            return cast("Stream", self.suite.stub.Ask(request, timeout=120))
        after = pb.WatchAnswerRequest(answer_id=self.seen[0].answer_id, after_sequence=self.seen[-1].sequence)
        return cast("Stream", self.suite.stub.WatchAnswer(after, timeout=120))


@asynccontextmanager
async def answering(model: AnthropicServer) -> AsyncIterator[tuple[PostgresDatabase, Orchestrating]]:
    """Run an orchestrator on a database that keeps what it has acknowledged, before a slow model."""
    model.fallback = lambda _: Message(pieces=PIECES, pause_seconds=0.1)
    with postgres_database(is_durable=True) as database:
        settings = {"answer_store_url": database.url, "answer_hold_seconds": 1.0, "model_attempts": 1}
        try:
            async with orchestrating(engine="anthropic", model_url=model.base_url, api_key="k", **settings) as suite:
                yield database, suite
        finally:
            database.start()


async def whole_of(database: PostgresDatabase, suite: Orchestrating, reader: Reader) -> None:
    """Check that what a reader saw and what is kept are one answer, and nothing in either is there twice."""
    whole = await suite.watch(reader.seen[0].answer_id)
    numbers = [event.sequence for event in reader.seen]
    answer = whole[-1].completed.answer

    assert numbers == sorted(set(numbers))
    assert [each for each in whole if each in reader.seen] == whole
    assert kinds(reader.seen).count("completed") == kinds(reader.seen).count("started") == 1
    assert answer.text == text_of(whole, answer.metadata.passes) == text_of(reader.seen, answer.metadata.passes)
    assert database.rows(CONNECTED)[0][0] in range(1, 5)


async def test_a_restart_of_the_database_costs_no_answer(model: AnthropicServer) -> None:
    """Streams go on where nothing had to be kept meanwhile; connections that it ended are made anew."""
    async with answering(model) as (database, suite):
        readers = [Reader(suite) for _ in range(ANSWERS)]
        reading = asyncio.gather(*(reader.read() for reader in readers))
        await eventually(lambda: all(len(reader.seen) > 8 for reader in readers))
        before = set(database.rows(EVENTS))
        await asyncio.to_thread(database.stop, "fast")
        await asyncio.to_thread(database.start)
        await reading
        for reader in readers:
            await whole_of(database, suite, reader)

        assert before <= set(database.rows(EVENTS))
        assert len(model.requests) >= ANSWERS


async def test_answers_outlive_a_database_that_crashed(model: AnthropicServer) -> None:
    """Streams end UNAVAILABLE, none begins, and all are taken up again where they were; what was kept is kept."""
    async with answering(model) as (database, suite):
        readers = [Reader(suite) for _ in range(ANSWERS)]
        reading = asyncio.gather(*(reader.read() for reader in readers))
        await eventually(lambda: all(len(reader.seen) > 8 for reader in readers))
        before = set(database.rows(EVENTS))
        await asyncio.to_thread(database.stop, "immediate")
        await eventually(lambda: all(reader.cuts or reader.is_done for reader in readers))
        refused = await refusal(suite.ask())
        await asyncio.to_thread(database.start)
        await reading
        for reader in readers:
            await whole_of(database, suite, reader)

        assert refused.code() is grpc.StatusCode.UNAVAILABLE
        assert any(reader.cuts for reader in readers)
        assert before <= set(database.rows(EVENTS))
