"""The service and its workers are killed at random moments, again and again; nobody who reads ever notices."""

from __future__ import annotations

import asyncio
import os
import random
import select
import signal
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb

from indexer.adapters.store.manifests import intact
from tests.fakes.git_repositories import commit_all
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.indexer.service import Indexer, running

KILLS = 50
FINAL = (pb.INDEX_JOB_STATE_SUCCEEDED, pb.INDEX_JOB_STATE_FAILED, pb.INDEX_JOB_STATE_CANCELLED)


def processes_below(parent: int) -> list[int]:
    """Return children of all threads, their children, and so on."""
    children: list[str] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{parent}/task").iterdir():
            children += (thread / "children").read_text().split()
    return [each for child in map(int, children) for each in (child, *processes_below(child))]


def wait_until_gone(processes: list[int]) -> None:
    """Wait for the end of processes of others."""
    for process in processes:
        with suppress(ProcessLookupError):
            descriptor = os.pidfd_open(process)
            try:
                assert select.select([descriptor], [], [], 30)[0], f"process {process} outlives its service"
            finally:
                os.close(descriptor)


def check_whole(indexing: Indexing) -> None:
    """Read the current set as a reader would, every layer checked."""
    for layer in indexing.current().layers:
        assert intact(layer, indexing.data / "repositories/shop/layers" / layer.folder)
    with closing(sqlite3.connect(f"file:{indexing.core()}?mode=ro", uri=True)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def kill_something(indexer: Indexer, chance: random.Random, job_id: str) -> bool:
    """Kill the service, or one of the processes that work for it; tell whether it was the service."""
    below = processes_below(indexer.process.pid)
    if not below or chance.random() < 0.5:
        await indexer.kill()
        await asyncio.to_thread(wait_until_gone, below)
        return True
    with suppress(ProcessLookupError):
        os.kill(chance.choice(below), signal.SIGKILL)
    last = (await indexer.watch(job_id))[-1]
    assert last.state in FINAL
    return False


@pytest.mark.long
async def test_fifty_kills_never_show(indexing: Indexing, shop: Path) -> None:
    """
    After each kill the current snapshot is whole; in the end everything is as if nothing had happened.

    Every job comes to an end, the last one with the digest of a fresh index, and no file and no process is left.
    """
    chance = random.Random(1)
    commit_all(shop)
    indexing.run(shop)
    of_service = 0
    kills = 0
    while kills < KILLS:
        async with running(indexing.data) as indexer:
            alive = True
            while alive and kills < KILLS:
                kills += 1
                write_tree(shop, {"shop/new.py": f"def f{kills}():\n    return {kills}\n"})
                source = pb.Source(local_path=str(shop))
                job = await indexer.stub.StartIndexing(pb.StartIndexingRequest(source=source))
                await asyncio.sleep(chance.uniform(0.0, 2.5))
                alive = not await kill_something(indexer, chance, job.job_id)
                of_service += not alive
                check_whole(indexing)
    async with running(indexing.data) as indexer:
        done = await indexer.index(shop, repository="shop")
        jobs = (await indexer.stub.ListIndexJobs(pb.ListIndexJobsRequest(page_size=200))).jobs
        digest = indexing.current().core.digest
    other = Indexing(indexing.data.parent / "other")
    other.run(shop)
    home = indexing.data / "repositories/shop"
    sets = {path.stem for path in (home / "sets").iterdir()}

    assert 10 < of_service < 40
    assert done.state == pb.INDEX_JOB_STATE_SUCCEEDED
    assert [job.job_id for job in jobs if job.state not in FINAL] == []
    assert digest == other.current().layers[0].digest
    assert not indexing.current().provisional
    assert len(sets) <= 4
    assert list((home / "staging").iterdir()) == []
    assert list((indexing.data / "indexer/scratch").iterdir()) == []
    assert not list(home.rglob(".*.new"))
