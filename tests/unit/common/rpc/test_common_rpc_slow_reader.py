"""A stream that nobody reads: it costs a bounded buffer, ends at its deadline, and is closed in its own task."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from cgrag.orchestrator.v1 import orchestrator_pb2

from tests.fakes.answering import ASK, GET, Answers, eventually, serving

MESSAGE_BYTES = 64 * 1024
STILL_SECONDS = 0.3
DEADLINE_SECONDS = 5.0


class Torrent(Answers):
    """Streams without an end, and notes how much was taken from it, when it was closed, and by which task."""

    def __init__(self) -> None:
        super().__init__()
        self.given = 0
        self.closed_at = 0.0
        self.tasks: list[Any] = []

    async def Ask(self, request: Any, context: Any) -> AsyncIterator[Any]:
        """Give more than anybody takes."""
        self.tasks.append(asyncio.current_task())
        text = orchestrator_pb2.TextDelta(text="x" * MESSAGE_BYTES)
        try:
            while True:
                self.given += 1
                yield orchestrator_pb2.AnswerEvent(sequence=self.given, text_delta=text)
        finally:
            self.closed_at = time.monotonic()
            self.tasks.append(asyncio.current_task())

    async def stands_still(self) -> None:
        """Wait until nothing more is taken for a while: how much the system's sockets hold differs by machine."""
        before = -1
        while self.given != before:
            before = self.given
            await asyncio.sleep(STILL_SECONDS)


async def test_what_nobody_reads_is_not_made() -> None:
    """The buffers between are full soon; others are served meanwhile; the deadline ends the handler in its own task."""
    servicer = Torrent()
    async with serving(servicer) as (_, stub, _):
        began = time.monotonic()
        unread = stub.Ask(ASK, timeout=DEADLINE_SECONDS)
        await unread.read()
        await stub.GetAnswer(GET)
        await servicer.stands_still()
        assert servicer.closed_at == 0, "the stream ended before its buffers were full"
        await eventually(lambda: servicer.closed_at > 0)
        unread.cancel()

    assert servicer.closed_at - began < DEADLINE_SECONDS + 0.5
    assert servicer.tasks[0] is servicer.tasks[1]
