"""The typed async client: one object for the whole suite."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from cgrag_client.answers import Answers
from cgrag_client.code import Code
from cgrag_client.connecting.connection import Connection
from cgrag_client.connecting.settings import ClientSettings
from cgrag_client.connecting.tls import channel_credentials
from cgrag_client.connecting.tokens import token_of
from cgrag_client.findings import Findings
from cgrag_client.indexes import Indexes
from cgrag_client.precise import Precise

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from types import TracebackType

    from cgrag.orchestrator.v1 import orchestrator_pb2


class Client:
    """
    Calls the services; use as an async context manager, within a running event loop.

    `answers` asks questions, `indexes` indexes repositories, `findings` lists and imports what analyzers and
    scanners found, `precise` imports what compilers know, `code` searches and reads. A caller that only asks
    needs only the orchestrator's address: channels to the others connect when they are first used.

    Args:
        settings: Addresses, token, certificates and deadlines.
        pause: Waits before an interrupted stream is resumed.
        redacted: Whether the services remove secrets from what they return, as callers that pass it to a model want.

    Raises:
        UsageError: if a file of certificates cannot be read.
    """

    def __init__(
        self,
        settings: ClientSettings | None = None,
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        redacted: bool = False,
    ) -> None:
        self._redacted = redacted
        self._settings = settings or ClientSettings()
        self._credentials = channel_credentials(self._settings)
        self._token = token_of(self._settings)
        self._connections: dict[str, Connection] = {}
        self.answers = Answers(
            self.connection("orchestrator"),
            answer_timeout_seconds=self._settings.answer_timeout_seconds,
            pause=pause,
        )
        self.indexes = Indexes(self.connection("indexer"))
        self.findings = Findings(self.connection("indexer"))
        self.precise = Precise(self.connection("indexer"))
        self.code = Code(self.connection("retriever"))

    def connection(self, service: str) -> Connection:
        """Return the connection to a service by its name, for calls that have no method here."""
        if service not in self._connections:
            self._connections[service] = Connection(
                self._settings.address(service),
                service=service,
                token=self._token,
                token_in_clear=self._settings.token_in_clear,
                credentials=self._credentials,
                call_timeout_seconds=self._settings.call_timeout_seconds,
                redacted=self._redacted,
            )
        return self._connections[service]

    def ask(
        self,
        question: str,
        *,
        repository: str,
        options: orchestrator_pb2.AskOptions | None = None,
        session_id: str = "",
    ) -> AsyncGenerator[orchestrator_pb2.AnswerEvent]:
        """Stream the events of an answer; see `Answers.ask`."""
        return self.answers.ask(question, repository=repository, options=options, session_id=session_id)

    async def close(self) -> None:
        """Close all channels; calls that still run are cancelled."""
        for connection in self._connections.values():
            await connection.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
