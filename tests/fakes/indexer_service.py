"""The job use cases over fakes, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

from common.core.errors import AppError, DependencyUnavailable
from indexer.domain.errors import RepositoryNotFound
from indexer.domain.jobs import Job, JobSpec, JobState
from indexer.usecases.jobs.board import JobBoard
from indexer.usecases.jobs.remove_repository import Belongings, RemoveRepository
from indexer.usecases.jobs.run import JobRunner
from indexer.usecases.jobs.start import StartJob
from indexer.usecases.jobs.watch import watch_job
from tests.fakes.clock import FakeClock
from tests.fakes.ids import SequentialIds
from tests.fakes.indexer_jobs import CountedJobs, MemoryJobQueue, Script, ScriptedWorker


class NoReaders:
    """Nobody who wants to know of repositories."""

    def announce(self, repository: str) -> None:
        """Tell nobody."""


class AnySource:
    """Allows every source."""

    def check(self, spec: JobSpec) -> None:
        """Allow it."""


@dataclass
class Shelves:
    """Stands for everything that is kept of repositories but jobs; remembers the steps of removals."""

    published: set[str] = field(default_factory=set)
    steps: list[tuple[str, object]] = field(default_factory=list)
    fails_at: str = ""

    def delete(self, repository: str) -> int:
        """Remove the snapshots."""
        self.step("snapshots", repository)
        if repository not in self.published:
            raise RepositoryNotFound("none")
        self.published.discard(repository)
        return 2

    def step(self, name: str, what: object) -> None:
        if name == self.fails_at:
            raise DependencyUnavailable("no answer")
        self.steps.append((name, what))


class Data:
    """Stands for something that is kept for each repository."""

    def __init__(self, shelves: Shelves, name: str) -> None:
        self._shelves = shelves
        self._name = name

    def remove(self, repository: str) -> None:
        """Remove what there is."""
        self._shelves.step(self._name, repository)


class Copies:
    """Stands for clones."""

    def __init__(self, shelves: Shelves) -> None:
        self._shelves = shelves

    def remove(self, urls: Sequence[str], used: Sequence[str]) -> None:
        """Remove clones."""
        self._shelves.step("clones", (tuple(urls), tuple(used)))


@dataclass
class JobService:
    """The use cases over fakes."""

    max_jobs: int = 1
    job_seconds: float | None = None
    clock: FakeClock = field(default_factory=FakeClock)
    queue: MemoryJobQueue = field(default_factory=MemoryJobQueue)
    worker: ScriptedWorker = field(default_factory=ScriptedWorker)
    metrics: CountedJobs = field(default_factory=CountedJobs)
    shelves: Shelves = field(default_factory=Shelves)
    ended: list[Job] = field(default_factory=list)
    defects: list[Exception] = field(default_factory=list)
    left: list[tuple[str, AppError]] = field(default_factory=list)
    overtaken: list[tuple[str, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.board = JobBoard(self.queue)
        self.runner = JobRunner(
            self.board,
            self.worker,
            self.clock,
            self.metrics,
            max_jobs=self.max_jobs,
            job_seconds=self.job_seconds,
            provisional_seconds=60.0,
            overtaken=lambda *published: published in self.overtaken,
            on_end=self.ended.append,
            on_defect=lambda _, error: self.defects.append(error),
        )
        data = (Data(self.shelves, "findings"), Data(self.shelves, "vectors"))
        kept = Belongings(self.shelves, data, Copies(self.shelves), self.queue)  # type: ignore[arg-type]  # it does what a removal calls
        self.remove = RemoveRepository(kept, self.board, self.runner, lambda *told: self.left.append(told))
        sources, readers, clock = AnySource(), NoReaders(), self.clock
        self.start = StartJob(sources, self.board, self.runner, readers, clock, SequentialIds(), self.remove)  # type: ignore[arg-type]  # open is not called

    @asynccontextmanager
    async def running(self, scripts: Mapping[str, Script] = MappingProxyType({})) -> AsyncIterator[JobService]:
        """Run jobs inside the block, by these scripts of the worker."""
        self.worker.scripts |= scripts
        task = asyncio.create_task(self.runner.run())
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def begun(self, spec: JobSpec, request_id: str, state: JobState) -> Job:
        """Start a job, and wait until it is in this state."""
        return await self.until((await self.start.run(spec, request_id)).job_id, state)

    async def until(self, job_id: str, *states: JobState) -> Job:
        """Wait until a job is in one of these states."""
        async with aclosing(watch_job(self.board, job_id)) as jobs:
            async for job in jobs:
                if job.state in states:
                    return job
        raise AssertionError(f"{job_id} never was in {states}")

    async def until_shown(self, job_id: str) -> Job:
        """Wait until a job has published a provisional snapshot."""
        async with aclosing(watch_job(self.board, job_id)) as jobs:
            async for job in jobs:
                if job.provisional:
                    return job
        raise AssertionError(f"{job_id} never was shown")
