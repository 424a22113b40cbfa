"""A worker that is loaded before its job comes."""

from __future__ import annotations

import asyncio
import os
import select
import signal
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from pathlib import Path

import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb

from indexer.adapters.jobs.process import ProcessWorker
from indexer.domain.errors import JobFailed
from indexer.domain.jobs import JobSpec, LocalSource, Published, WorkEvent
from tests.integration.indexer.jobs.test_indexer_service import workers_of
from tests.integration.indexer.service import Indexer, running


async def waiting_worker(indexer: Indexer) -> int:
    """Return the process that waits for a job once no other is left."""
    async with asyncio.timeout(30):
        while len(found := workers_of(indexer.process.pid)) != 1:  # noqa: ASYNC110 - /proc does not call back
            await asyncio.sleep(0.02)
    return found[0]


def wait_for_end(handle: int) -> bool:
    """Tell whether a process ends within half a minute."""
    return bool(select.select([handle], [], [], 30)[0])


async def test_next_job_is_done_by_the_worker_that_waits(data: Path, shop: Path) -> None:
    """A job that has published leaves a loaded worker behind, which does the next job and is replaced in turn."""
    async with running(data) as indexer:
        await indexer.index(shop)
        first = await waiting_worker(indexer)
        (shop / "shop" / "more.py").write_text("def more():\n    return 1\n")
        edited = await indexer.index(shop)
        second = await waiting_worker(indexer)

    assert edited.state == pb.INDEX_JOB_STATE_SUCCEEDED
    assert first != second


async def test_dead_worker_is_not_waited_for(data: Path, shop: Path) -> None:
    """The next job gets a new process where the one that waited has died."""
    async with running(data) as indexer:
        await indexer.index(shop)
        handle = os.pidfd_open(waiting := await waiting_worker(indexer))
        os.kill(waiting, signal.SIGKILL)
        ended = await asyncio.to_thread(wait_for_end, handle)
        (shop / "shop" / "more.py").write_text("def more():\n    return 1\n")
        edited = await indexer.index(shop)
    os.close(handle)

    assert ended
    assert edited.state == pb.INDEX_JOB_STATE_SUCCEEDED


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
async def test_waiting_worker_ends_with_its_service(data: Path, shop: Path, end: signal.Signals) -> None:
    """However the service ends, nothing of it is left."""
    async with running(data) as indexer:
        await indexer.index(shop)
        handle = os.pidfd_open(await waiting_worker(indexer))
        indexer.process.send_signal(end)
        await indexer.process.wait()
        ended = await asyncio.to_thread(wait_for_end, handle)
    os.close(handle)

    assert ended


def own_workers(data: Path) -> list[int]:
    """Return the processes that this one started to work in a data folder."""
    found = []
    for each in workers_of(os.getpid()):
        with suppress(OSError):  # it has ended
            if f"CGRAG_DATA_DIR={data}\0".encode() in Path(f"/proc/{each}/environ").read_bytes():
                found.append(each)
    return found


async def workers_once_there_are(number: int, data: Path) -> list[int]:
    """Return them once they are so many, or those that there are after half a minute."""
    with suppress(TimeoutError):
        async with asyncio.timeout(30):
            while len(own_workers(data)) != number:  # noqa: ASYNC110 - /proc does not call back
                await asyncio.sleep(0.02)
    return own_workers(data)


async def _cancelled_beside(events: AsyncGenerator[WorkEvent, None]) -> None:
    """Ask for the next event, and cancel while another worker is being started for it."""
    following = asyncio.create_task(anext(events))
    await asyncio.sleep(0)
    following.cancel()
    with suppress(asyncio.CancelledError):
        await following


async def test_worker_whose_job_is_cancelled_while_it_starts_waits_for_the_next(data: Path, shop: Path) -> None:
    """Cancelled before its worker runs, or as it has published: one worker waits in the end, and none once closed."""
    worker = ProcessWorker({**os.environ, "CGRAG_DATA_DIR": str(data)}, lambda _secret: None, lambda: None)
    spec = JobSpec("shop", LocalSource(str(shop)))
    for _ in range(2):
        await _cancelled_beside(worker.work(spec))
    async with aclosing(worker.work(spec)) as events:
        async for event in events:
            if isinstance(event, Published):
                await _cancelled_beside(events)
    waiting = await workers_once_there_are(1, data)
    worker.close()

    assert len(waiting) == 1
    assert await workers_once_there_are(0, data) == []


@pytest.mark.parametrize(
    ("number", "reason", "told"),
    [
        (signal.SIGBUS, "ERROR_REASON_STORAGE_FULL", "disk is full"),
        (signal.SIGKILL, "ERROR_REASON_INTERNAL", "signal 9"),
    ],
)
async def test_worker_that_was_killed_is_told_and_cleared_away(
    data: Path, shop: Path, number: int, reason: str, told: str
) -> None:
    """By its own name where the disk was too full for a map of memory; what it left goes when nobody holds it."""
    tidied: list[list[int]] = []
    environ = {**os.environ, "CGRAG_DATA_DIR": str(data)}
    worker = ProcessWorker(environ, lambda _secret: None, lambda: tidied.append(own_workers(data)))

    async def killed() -> None:
        async with aclosing(worker.work(JobSpec("shop", LocalSource(str(shop))))) as events:
            async for _ in events:
                for each in own_workers(data):  # none once it is killed, while events of before are still read
                    os.kill(each, number)

    with pytest.raises(JobFailed, match=told) as failed:
        await killed()
    worker.close()

    assert failed.value.worker_reason == reason
    assert tidied == [[]]
