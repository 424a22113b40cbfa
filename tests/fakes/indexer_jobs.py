"""Jobs without disk and processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from common.core.errors import AppError
from indexer.domain.errors import RequestIdReused
from indexer.domain.jobs import GitSource, Job, JobQuery, JobSpec, JobState, LocalSource, WorkEvent
from indexer.domain.parsing import FileFacts

Script = list[WorkEvent | Exception | None]


class MemoryJobQueue:
    """Keeps jobs in memory."""

    def __init__(self) -> None:
        self.jobs: dict[str, Job] = {}
        self.removing: set[str] = set()
        self.refusal: AppError | None = None
        self._added = 0

    def add(self, job: Job) -> Job:
        """Keep a new job, or return the one of the same request id."""
        for known in self.jobs.values():
            if job.request_id and known.request_id == job.request_id:
                if known.spec != job.spec:
                    raise RequestIdReused("used for another source", metadata={"request_id": job.request_id})
                return known
        self._added += 1
        self.jobs[job.job_id] = replace(job, number=self._added)
        return self.jobs[job.job_id]

    def get(self, job_id: str) -> Job | None:
        """Return a job."""
        return self.jobs.get(job_id)

    def update(self, job: Job) -> None:
        """Replace a job that is there and not final, unless the disk refuses it."""
        if self.refusal is not None:
            raise self.refusal
        if job.job_id in self.jobs and not self.jobs[job.job_id].state.final:
            self.jobs[job.job_id] = replace(job, number=self.jobs[job.job_id].number)

    def waiting(self, without: Sequence[str]) -> tuple[Job, ...]:
        """Return the oldest queued job of each repository but those."""
        heads: dict[str, Job] = {}
        for job in self.jobs.values():
            if job.state == JobState.QUEUED and job.job_id not in without:
                heads.setdefault(job.spec.repository, job)
        return tuple(heads.values())

    def find(self, query: JobQuery) -> tuple[Job, ...]:
        """Return jobs, newest first."""
        found = list(reversed(self.jobs.values()))
        fitting = [
            job
            for job in found
            if query.repository in ("", job.spec.repository)
            and (not query.states or job.state in query.states)
            and (not query.before or job.number < query.before)
        ]
        return tuple(fitting[: query.limit])

    def begin_removal(self, repository: str) -> None:
        """Remember that a repository is being removed."""
        self.removing.add(repository)

    def removals(self) -> tuple[str, ...]:
        """Return what is being removed, in order."""
        return tuple(sorted(self.removing))

    def finish_removal(self, repository: str) -> None:
        """Forget the jobs of a repository, and that it was being removed."""
        for job_id in [job_id for job_id, job in self.jobs.items() if job.spec.repository == repository]:
            del self.jobs[job_id]
        self.removing.discard(repository)

    def git_urls(self) -> dict[str, list[str]]:
        """Return the git URLs of jobs by repository."""
        urls: dict[str, set[str]] = {}
        for job in self.jobs.values():
            if isinstance(job.spec.source, GitSource):
                urls.setdefault(job.spec.repository, set()).add(job.spec.source.url)
        return {name: sorted(urls[name]) for name in sorted(urls)}


class ScriptedWorker:
    """
    Does what it was told for each source or repository, and remembers what it was asked.

    A script is a list of events and exceptions; None among them waits until the test lets it go on, by `go`. It ends at
    once, or when `may_end` is set again that a test has cleared; `ending` is set by the first that is to end.
    """

    def __init__(self) -> None:
        self.scripts: dict[str, Script] = {}
        self.asked: list[JobSpec] = []
        self.running: set[str] = set()
        self.most_running = 0
        self.go = asyncio.Event()
        self.ending = asyncio.Event()
        self.may_end = asyncio.Event()
        self.may_end.set()
        self._at_work = 0

    async def work(self, spec: JobSpec) -> AsyncGenerator[WorkEvent, None]:
        """Play the script of a repository."""
        self.asked.append(spec)
        self.running.add(spec.repository)
        self._at_work += 1
        self.most_running = max(self.most_running, self._at_work)
        try:
            place = spec.source.path if isinstance(spec.source, LocalSource) else spec.source.url
            for step in self.scripts.get(place) or self.scripts.get(spec.repository, []):
                if step is None:
                    await self.go.wait()
                elif isinstance(step, Exception):
                    raise step
                else:
                    yield step
        finally:
            self.ending.set()
            await self.may_end.wait()
            self._at_work -= 1
            self.running.discard(spec.repository)


class CountedJobs:
    """Remembers the jobs that ended."""

    def __init__(self) -> None:
        self.ended: list[Job] = []
        self.served: list[str] = []

    def published(self, job: Job) -> None:
        """Remember which job's snapshot began to serve."""
        self.served.append(job.job_id)

    def job_ended(self, job: Job) -> None:
        """Remember a job."""
        self.ended.append(job)


class MemoryFactsCache:
    """Keeps facts in memory."""

    def __init__(self) -> None:
        self.facts: dict[str, FileFacts] = {}

    def get(self, keys: list[str]) -> dict[str, FileFacts]:
        """Return what is kept."""
        return {key: self.facts[key] for key in keys if key in self.facts}

    def put(self, facts: list[FileFacts]) -> None:
        """Keep facts that depend on their keys alone."""
        self.facts |= {each.key: each for each in facts if each.keep}
