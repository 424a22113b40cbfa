"""Many streams on one process: all complete, cancelled ones leave nothing, a slow reader costs nothing."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2

from tests.integration.test_kit_process import sample

MEGABYTE = 1 << 20


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


async def _cancel_many(stub: Any, count: int) -> None:
    async def one() -> None:
        call = stub.Ask(orchestrator_pb2.AskRequest(question="60"))
        await call.read()
        call.cancel()

    for _ in range(count // 100):
        await asyncio.gather(*(one() for _ in range(100)))


async def test_a_thousand_streams_at_once_all_complete() -> None:
    """Every stream gets all of its events."""
    async with sample() as (_, _, stub):

        async def read_all() -> list[int]:
            return [event.sequence async for event in stub.Ask(orchestrator_pb2.AskRequest(question="1"))]

        streams = await asyncio.gather(*(read_all() for _ in range(1000)))

    assert streams == [[1, 2]] * 1000


@pytest.mark.alone
async def test_a_burst_on_a_busy_process_loses_nothing() -> None:
    """What arrives while the process cannot take calls up waits for it: nobody is told CANCELLED."""
    async with sample() as (running, _, stub):

        async def read_all(call: Any) -> int:
            return len([event async for event in call])

        # Connected before, so that all requests are there when the process wakes up; they leave while they are awaited.
        await read_all(stub.Ask(orchestrator_pb2.AskRequest(question="0")))
        running.process.send_signal(signal.SIGSTOP)
        waking = asyncio.get_running_loop().call_later(1.0, running.process.send_signal, signal.SIGCONT)
        try:
            calls = [stub.Ask(orchestrator_pb2.AskRequest(question="0")) for _ in range(3000)]
            async with asyncio.timeout(60):
                events = await asyncio.gather(*map(read_all, calls))
        finally:
            waking.cancel()
            running.process.send_signal(signal.SIGCONT)

    assert events == [2] * 3000


@pytest.mark.long
async def test_cancelled_streams_leave_memory_flat() -> None:
    """15,000 cancelled streams cost at most 10 MB."""
    async with sample() as (running, _, stub):
        await _cancel_many(stub, 1000)
        before = resident_bytes(running.process.pid)
        await _cancel_many(stub, 15_000)
        after = resident_bytes(running.process.pid)

    assert after - before <= 10 * MEGABYTE
