"""A thread cannot be called off: what it does for a call asks whether the call still runs."""

from __future__ import annotations

import asyncio
import threading
import time
from contextvars import copy_context
from typing import Any

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2

from common.core.errors import Cancelled
from common.core.runtime.concurrency import detached_from_call, raise_if_cancelled, start_token
from tests.fakes.answering import ASK, GET, Answers, eventually, serving

_GIVEN_UP_SECONDS = 30.0


class Working(Answers):
    """Works in a thread for as long as that is wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.ended = threading.Event(), threading.Event()

    async def GetAnswer(self, request: Any, context: Any) -> Any:
        """Work until nobody wants it."""
        await asyncio.to_thread(self._work)

    async def Ask(self, request: Any, context: Any) -> Any:
        """Give one event, then work until nobody wants it."""
        yield orchestrator_pb2.AnswerEvent(sequence=1)
        await asyncio.to_thread(self._work)

    def _work(self) -> None:
        self.begun.set()
        until = time.monotonic() + _GIVEN_UP_SECONDS
        try:
            while time.monotonic() < until:
                raise_if_cancelled()
                time.sleep(0.002)
        except Cancelled:
            self.ended.set()


@pytest.mark.parametrize("method", ["GetAnswer", "Ask"])
async def test_work_in_a_thread_ends_with_the_call_that_wanted_it(method: str) -> None:
    """Whether the caller leaves or its time is over, and whatever the shape of the call."""
    for leaves in (True, False):
        servicer = Working()
        async with serving(servicer) as (_, stub, _):
            begin = getattr(stub, method)
            call = begin(GET if method == "GetAnswer" else ASK, timeout=None if leaves else 0.5)
            reading = asyncio.ensure_future(call.read() if method == "Ask" else call)
            await eventually(servicer.begun.is_set)
            if leaves:
                call.cancel()
            await eventually(servicer.ended.is_set)
            await asyncio.gather(reading, return_exceptions=True)

            assert await call.code() in (grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED)


def test_what_is_kept_for_others_goes_on() -> None:
    """A call that has ended wants nothing more for itself; outside of calls everything is wanted."""

    def work() -> None:
        start_token().is_cancelled = True
        with detached_from_call():
            raise_if_cancelled()
        with pytest.raises(Cancelled):
            raise_if_cancelled()

    copy_context().run(work)
    raise_if_cancelled()
