"""Asks questions and resumes interrupted answer streams after the last received event."""

from __future__ import annotations

import asyncio
import time
import uuid
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc
from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc

from cgrag_client.errors import ClientError, ServiceUnreachable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from cgrag_client.connecting.connection import Connection

    Options = orchestrator_pb2.AskOptions
    AnswerEvent = orchestrator_pb2.AnswerEvent
    Answer = orchestrator_pb2.Answer

MAX_CUTS = 5
FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 2.0


@dataclass(slots=True)
class _Position:
    """Position in a stream: the last sequence number read."""

    answer_id: str = ""
    sequence: int = 0
    completed: bool = False

    def is_new(self, event: AnswerEvent) -> bool:
        """Return whether an event is new, and record it. A heartbeat is always new."""
        self.answer_id = event.answer_id or self.answer_id
        if event.WhichOneof("event") == "heartbeat":
            return True
        if event.sequence <= self.sequence:
            return False
        self.sequence = event.sequence
        self.completed = event.WhichOneof("event") == "completed"
        return True


class Answers:
    """
    Calls of the orchestrator.

    Args:
        connection: To the orchestrator.
        answer_timeout_seconds: For a whole answer, including the time of lost connections.
        pause: Waits before an interrupted stream is resumed.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        answer_timeout_seconds: float = 300.0,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._connection = connection
        self._stub = orchestrator_pb2_grpc.OrchestratorServiceStub(connection.channel)
        self._answer_timeout_seconds = answer_timeout_seconds
        self._pause = pause

    def ask(
        self,
        question: str,
        *,
        repository: str,
        options: Options | None = None,
        session_id: str = "",
        snapshot_id: str = "",
        request_id: str = "",
        timeout_seconds: float | None = None,
    ) -> AsyncGenerator[AnswerEvent]:
        """
        Stream the events of an answer, each once, in order; the last one is `completed`.

        A lost connection is resumed (at most 5 times in a row) without asking again. Leaving the loop early
        cancels the stream once the generator is closed; use `contextlib.aclosing` to have that at once.

        Raises:
            ClientError: with the reason of the contract.
        """
        request = orchestrator_pb2.AskRequest(
            repository=repository,
            question=question,
            options=options,
            session_id=session_id,
            snapshot_id=snapshot_id,
            request_id=request_id or uuid.uuid4().hex,
        )

        def begin(position: _Position, seconds: float) -> AsyncGenerator[AnswerEvent]:
            if position.answer_id:
                return self._watch(position, seconds)
            return self._connection.stream(self._stub.Ask, request, timeout_seconds=seconds)

        return self._follow(_Position(), begin, timeout_seconds)

    def watch(
        self, answer_id: str, *, after_sequence: int = 0, timeout_seconds: float | None = None
    ) -> AsyncGenerator[AnswerEvent]:
        """Stream the events of an answer after a sequence number, as `ask` does."""
        return self._follow(_Position(answer_id, after_sequence), self._watch, timeout_seconds)

    async def answer(
        self,
        question: str,
        *,
        repository: str,
        options: Options | None = None,
        session_id: str = "",
        timeout_seconds: float | None = None,
    ) -> Answer:
        """Ask and wait for the whole answer. Raises ClientError."""
        events = self.ask(
            question, repository=repository, options=options, session_id=session_id, timeout_seconds=timeout_seconds
        )
        async with aclosing(events):
            async for event in events:
                if event.WhichOneof("event") == "completed":
                    return event.completed.answer
        raise AssertionError("a stream that ends with OK ends with `completed`")

    async def cancel(self, answer_id: str) -> bool:
        """Cancel an answer; return whether it was still running."""
        request = orchestrator_pb2.CancelAnswerRequest(answer_id=answer_id)
        return (await self._connection.call(self._stub.CancelAnswer, request)).was_running

    async def get(self, answer_id: str) -> Answer:
        """Read a finished answer."""
        return await self._connection.call(self._stub.GetAnswer, orchestrator_pb2.GetAnswerRequest(answer_id=answer_id))

    async def explain(
        self, question: str, *, repository: str, options: Options | None = None
    ) -> orchestrator_pb2.ExplainResponse:
        """Ask how a question would be answered; nothing is written."""
        request = orchestrator_pb2.ExplainRequest(repository=repository, question=question, options=options)
        return await self._connection.call(self._stub.Explain, request)

    async def replay(
        self, answer_id: str, *, timeout_seconds: float | None = None
    ) -> orchestrator_pb2.ReplayAnswerResponse:
        """Replay a finished answer from its log, without a model; no difference means that everything is the same."""
        request = orchestrator_pb2.ReplayAnswerRequest(answer_id=answer_id)
        return await self._connection.call(self._stub.ReplayAnswer, request, timeout_seconds=timeout_seconds)

    async def shadow(self, answer_id: str) -> orchestrator_pb2.Shadow:
        """Return an answer, its shadow, and how far the two agree."""
        request = orchestrator_pb2.GetShadowRequest(answer_id=answer_id)
        try:
            return await self._connection.call(self._stub.GetShadow, request)
        except ClientError as error:
            if error.reason == "ERROR_REASON_ANSWER_NOT_FOUND":
                error.next_step = "`shadow.compared` in the orchestrator's log names answers that have one"
            raise

    async def rate(self, answer_id: str, rating: int, comment: str = "") -> None:
        """Rate an answer from 1 (bad) to 5 (good)."""
        request = orchestrator_pb2.RateAnswerRequest(answer_id=answer_id, rating=rating, comment=comment)
        await self._connection.call(self._stub.RateAnswer, request)

    async def ratings(self, repository: str, *, limit: int = 50) -> tuple[orchestrator_pb2.RatedAnswer, ...]:
        """List ratings of answers about a repository, newest answers first; at most 200."""
        request = orchestrator_pb2.ListRatingsRequest(repository=repository, page_size=limit)
        return tuple((await self._connection.call(self._stub.ListRatings, request)).ratings)

    async def check(self, repository: str, text: str) -> tuple[orchestrator_pb2.TextClaim, ...]:
        """Check at most 120 statements of a text about code against the index and the source."""
        request = orchestrator_pb2.CheckTextRequest(repository=repository, text=text)
        return tuple((await self._connection.call(self._stub.CheckText, request)).claims)

    async def debts(self, repository: str, *, limit: int = 50) -> tuple[orchestrator_pb2.IndexDebt, ...]:
        """List the gaps that answers left unresolved, with the reasons, most frequent first; at most 200."""
        request = orchestrator_pb2.ListIndexDebtRequest(repository=repository, page_size=limit)
        return tuple((await self._connection.call(self._stub.ListIndexDebt, request)).debts)

    async def sessions(self) -> tuple[orchestrator_pb2.Session, ...]:
        """List all sessions of the caller, last used first."""
        pages = self._connection.pages(self._stub.ListSessions, orchestrator_pb2.ListSessionsRequest())
        return tuple([session async for page in pages for session in page.sessions])

    async def create_session(self, repository: str) -> orchestrator_pb2.Session:
        """Open a session."""
        request = orchestrator_pb2.CreateSessionRequest(repository=repository)
        return await self._connection.call(self._stub.CreateSession, request)

    async def delete_session(self, session_id: str) -> None:
        """Forget a session and its cache."""
        request = orchestrator_pb2.DeleteSessionRequest(session_id=session_id)
        await self._connection.call(self._stub.DeleteSession, request)

    def _watch(self, position: _Position, seconds: float) -> AsyncGenerator[AnswerEvent]:
        request = orchestrator_pb2.WatchAnswerRequest(answer_id=position.answer_id, after_sequence=position.sequence)
        return self._connection.stream(self._stub.WatchAnswer, request, timeout_seconds=seconds)

    async def _follow(
        self,
        position: _Position,
        begin: Callable[[_Position, float], AsyncGenerator[AnswerEvent]],
        timeout_seconds: float | None,
    ) -> AsyncGenerator[AnswerEvent]:
        ends = time.monotonic() + (timeout_seconds or self._answer_timeout_seconds)
        cuts = 0
        while not position.completed:
            try:
                async with aclosing(begin(position, max(0.001, ends - time.monotonic()))) as events:
                    async for event in events:
                        if position.is_new(event):
                            cuts = 0
                            yield event
            except ClientError as error:
                cuts += 1
                if not _is_cut(error) or cuts > MAX_CUTS or not position.sequence:
                    raise
                await self._pause(min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (cuts - 1)))
            else:
                _require_completed(position)


def _is_cut(error: ClientError) -> bool:
    # UNAVAILABLE from the service itself, for a dependency, ends the answer; only a lost connection is resumed.
    return isinstance(error, ServiceUnreachable) or error.reason == "ERROR_REASON_SHUTTING_DOWN"


def _require_completed(position: _Position) -> None:
    if not position.completed:
        raise ClientError(
            grpc.StatusCode.INTERNAL,
            "ERROR_REASON_INTERNAL",
            "the stream ended without an answer; the service breaks its contract",
        )
