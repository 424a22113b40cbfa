"""Callers that leave while a thread works for them: what it does is not lost, and nobody takes their turn before."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from indexer.domain.jobs import Job, JobSpec, JobState, LocalSource
from indexer.usecases.findings.apply_import import ApplyFindingsImport
from indexer.usecases.findings.receive import ImportFindings
from tests.fakes.indexer_jobs import MemoryJobQueue
from tests.fakes.indexer_service import JobService, Shelves

SECONDS = 30.0


class Gate:
    """Holds whoever comes in a thread until it is opened."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.may_go = threading.Event()

    def pass_by(self) -> None:
        """Wait in front of it."""
        self.entered.set()
        assert self.may_go.wait(SECONDS)

    @asynccontextmanager
    async def leaving(self, work: Callable[[], Any]) -> AsyncIterator[asyncio.Task[Any]]:
        """Cancel somebody who is held; inside the block the gate is still shut."""
        caller = asyncio.ensure_future(work())
        try:
            assert await asyncio.to_thread(self.entered.wait, SECONDS)
            caller.cancel()
            await turns()
            yield caller
        finally:
            self.may_go.set()
            await asyncio.wait([caller])


async def turns() -> None:
    """Let whoever can go on do so."""
    for _ in range(20):
        await asyncio.sleep(0)


class SlowQueue(MemoryJobQueue):
    """Takes its time to keep a job, or what became of it."""

    def __init__(self) -> None:
        super().__init__()
        self.adding, self.updating = Gate(), Gate()
        self.adding.may_go.set()
        self.updating.may_go.set()

    def add(self, job: Job) -> Job:
        """Wait, then keep it."""
        self.adding.pass_by()
        return super().add(job)

    def update(self, job: Job) -> None:
        """Wait, then keep it."""
        self.updating.pass_by()
        super().update(job)


async def test_a_job_is_done_though_who_started_it_left() -> None:
    """It is in the queue by then, and nobody else would say so: it would wait there for good."""
    queue = SlowQueue()
    async with JobService(queue=queue).running() as service:
        queue.adding.may_go.clear()
        async with queue.adding.leaving(lambda: service.start.run(JobSpec("shop", LocalSource("/shop")), "")):
            pass
        async with asyncio.timeout(SECONDS):
            (job_id,) = queue.jobs
            job = await service.until(job_id, JobState.SUCCEEDED)

    assert job.spec.repository == "shop"


async def test_an_older_state_of_a_job_does_not_overtake_a_newer_one() -> None:
    """Who leaves while one is written does not let the next one in before."""
    queue = SlowQueue()
    service = JobService(queue=queue)
    job = await service.start.run(JobSpec("shop", LocalSource("/shop")), "")
    started = job.started(service.clock.now())
    queue.updating.may_go.clear()
    async with queue.updating.leaving(lambda: service.board.update(started)) as caller:
        ended = asyncio.create_task(service.board.update(started.ended(JobState.SUCCEEDED, service.clock.now())))
        await turns()
        left_early = caller.done()
    await ended

    assert not left_early
    assert queue.jobs[job.job_id].state is JobState.SUCCEEDED


class SlowShelves(Shelves):
    """Takes its time to remove findings."""

    def __init__(self, *published: str) -> None:
        super().__init__(set(published))
        self.gate = Gate()

    def step(self, name: str, what: object) -> None:
        """Wait, then remove."""
        if name == "findings":
            self.gate.pass_by()
        super().step(name, what)


async def test_a_removal_whose_caller_left_removes_nothing_of_what_is_indexed_since() -> None:
    """The repository is begun anew when the thread that removes it has ended, and not while it goes on."""
    shelves = SlowShelves("shop")
    service = JobService(shelves=shelves)
    async with shelves.gate.leaving(lambda: service.remove.run("shop")) as removing:
        starting = asyncio.create_task(service.start.run(JobSpec("shop", LocalSource("/shop")), ""))
        await turns()
        left_early = removing.done()
    job = await starting
    steps = [name for name, _ in shelves.steps]

    assert not left_early
    assert steps == ["snapshots", "clones", "findings", "vectors"]
    assert list(service.queue.jobs) == [job.job_id]


class Requests:
    """Implements `ImportRequests` and counts how many look at once."""

    def __init__(self) -> None:
        self.gate = Gate()
        self.running = self.most = 0

    def outcome(self, repository: str, request_id: str, content: str) -> object:
        """Wait, then know the request."""
        self.running += 1
        self.most = max(self.most, self.running)
        self.gate.pass_by()
        self.running -= 1
        return content


class OneSnapshot:
    """Any repository has a snapshot."""

    repository = "shop"

    @property
    def snapshot(self) -> OneSnapshot:
        """Return itself."""
        return self

    async def get(self, repository: str, snapshot_id: str) -> OneSnapshot:
        """Return itself."""
        return self


async def test_reports_are_read_one_at_a_time_though_their_callers_leave() -> None:
    """Each takes many times its size of memory, also for those who cancel and send again."""
    requests: Any = Requests()
    nothing: Any = None
    snapshots: Any = OneSnapshot()
    take = ApplyFindingsImport(nothing, nothing, nothing, requests, nothing)
    imports = ImportFindings(snapshots, take.run)
    async with requests.gate.leaving(lambda: imports.run("shop", "first", b"{}")) as first:
        second = asyncio.create_task(imports.run("shop", "second", b"{}"))
        await turns()
        left_early = first.done()
    await second

    assert not left_early
    assert first.cancelled()
    assert requests.most == 1
