"""The queue of jobs in SQLite. Readable by its owner alone: URLs may hold passwords."""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from common.core.errors import DependencyUnavailable
from indexer.adapters.jobs.plain import decode_progress, decode_spec
from indexer.adapters.store.archive import SharedFile
from indexer.adapters.store.disk import storage_errors
from indexer.adapters.store.manifests import decode_counts, encode_counts
from indexer.domain.errors import RequestIdReused, StorageRefused
from indexer.domain.jobs import Job, JobQuery, JobState, Phase, Progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id TEXT NOT NULL UNIQUE,
  request_id TEXT UNIQUE,
  repository TEXT NOT NULL,
  state INTEGER NOT NULL,
  spec TEXT NOT NULL,
  rest TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS removals (repository TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS jobs_by_repository ON jobs (repository, number);
CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state, number);
CREATE INDEX IF NOT EXISTS jobs_waiting ON jobs (repository, number) WHERE state = 1;
"""
_COLUMNS = "number, job_id, request_id, state, spec, rest"
# Goes from one repository to the next by the index: what it costs does not depend on how many jobs each has waiting.
_WAITING = f"""
WITH RECURSIVE waiting (name) AS (
  SELECT min(repository) FROM jobs INDEXED BY jobs_waiting WHERE state = 1
  UNION ALL
  SELECT (SELECT min(repository) FROM jobs INDEXED BY jobs_waiting WHERE state = 1 AND repository > name)
  FROM waiting WHERE name IS NOT NULL
)
SELECT {_COLUMNS} FROM waiting CROSS JOIN jobs ON number = (
  SELECT number FROM jobs INDEXED BY jobs_waiting
  WHERE state = 1 AND repository = name AND job_id NOT IN (SELECT value FROM json_each(?)) ORDER BY number LIMIT 1
)
ORDER BY number
"""  # noqa: S608 - columns are ours
_FINAL = ", ".join(str(int(state)) for state in JobState if state.final)
_OF_LATER_RELEASE = "A later release left this job in a state that this one does not know; index again."
_PLAIN = ("attempts", "snapshot_id", "unchanged", "provisional", "error", "error_reason", "superseded_by")
_TIMES = ("create_time", "start_time", "end_time")


class SqliteJobQueue(SharedFile):
    """
    Keeps jobs in one file; may be used by several threads.

    Args:
        file: Database file; created if it does not exist.
    """

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        super().__init__(file, _SCHEMA)

    def add(self, job: Job) -> Job:
        """
        Store a new job; if a job with the same request id exists, return that one instead.

        Raises RequestIdReused if the existing job has another specification, StorageFull, StorageRefused.
        """
        row = (job.job_id, job.request_id or None, job.spec.repository, int(job.state), _spec(job), _rest(job))
        with self._lock, _write_errors():
            try:
                added = self._connection.execute(
                    "INSERT INTO jobs (job_id, request_id, repository, state, spec, rest) VALUES (?, ?, ?, ?, ?, ?)",
                    row,
                )
            except sqlite3.IntegrityError:
                found = self._one("request_id = ?", job.request_id)
            else:
                return replace(job, number=added.lastrowid or 0)
        if found is None or found.spec != job.spec:
            raise RequestIdReused(
                f"request_id {job.request_id!r} was used for another source; take a new one.",
                metadata={"request_id": job.request_id},
            )
        return found

    def get(self, job_id: str) -> Job | None:
        """Return a job; None if it does not exist."""
        with self._lock, _read_errors():
            return self._one("job_id = ?", job_id)

    def update(self, job: Job) -> None:
        """Store a job, unless it was removed or its stored state is final. Raises StorageFull, StorageRefused."""
        text = f"UPDATE jobs SET state = ?, rest = ? WHERE job_id = ? AND state NOT IN ({_FINAL})"  # noqa: S608 - numbers of ours
        with self._lock, _write_errors():
            self._connection.execute(text, (int(job.state), _rest(job), job.job_id))

    def waiting(self, without: Sequence[str]) -> tuple[Job, ...]:
        """Return the oldest queued job of each repository, oldest first, leaving out the jobs with ids in `without`."""
        with self._lock, _read_errors():
            return tuple(_job(*row) for row in self._connection.execute(_WAITING, (json.dumps(without),)))

    def find(self, query: JobQuery) -> tuple[Job, ...]:
        """Return jobs, newest first."""
        where, values = ["1"], list[object]()
        if query.repository:
            where.append("repository = ?")
            values.append(query.repository)
        if query.states:
            where.append(f"state IN ({','.join('?' * len(query.states))})")
            values.extend(int(state) for state in query.states)
        if query.before:
            where.append("number < ?")
            values.append(query.before)
        with self._lock, _read_errors():
            rows = self._select(f"{' AND '.join(where)} ORDER BY number DESC LIMIT ?", (*values, query.limit))
        return tuple(rows)

    def begin_removal(self, repository: str) -> None:
        """Note that a repository is being removed."""
        with self._lock, _write_errors():
            self._connection.execute("INSERT OR IGNORE INTO removals (repository) VALUES (?)", (repository,))

    def removals(self) -> tuple[str, ...]:
        """Return the repositories whose removal was begun and not finished, in order."""
        with self._lock, _read_errors():
            return tuple(name for (name,) in self._connection.execute("SELECT repository FROM removals ORDER BY 1"))

    def finish_removal(self, repository: str) -> None:
        """Remove all jobs of a repository, then its removal note: a crash in between only means another attempt."""
        with self._lock, _write_errors():
            self._connection.execute("DELETE FROM jobs WHERE repository = ?", (repository,))
            self._connection.execute("DELETE FROM removals WHERE repository = ?", (repository,))

    def git_urls(self) -> dict[str, list[str]]:
        """Return the git URLs that jobs name, by repository, each once."""
        found: dict[str, list[str]] = {}
        text = (
            "SELECT DISTINCT repository, json_extract(spec, '$.source.url') AS url FROM jobs WHERE url IS NOT NULL"
            " ORDER BY repository, url"
        )
        with self._lock, _read_errors():
            for repository, url in self._connection.execute(text):
                found.setdefault(repository, []).append(url)
        return found

    def _one(self, where: str, value: str) -> Job | None:
        return next(iter(self._select(where, (value,))), None)

    def _select(self, where: str, values: Sequence[object]) -> list[Job]:
        text = f"SELECT {_COLUMNS} FROM jobs WHERE {where}"  # noqa: S608 - conditions are ours, values are bound
        return [_job(*row) for row in self._connection.execute(text, values)]


@contextmanager
def _read_errors() -> Iterator[None]:
    """Raise DependencyUnavailable for all SQLite errors while reading: the file may be readable again later."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = f"The indexer cannot read its queue of jobs ({error}); look after its disk."
        raise DependencyUnavailable(text) from error


@contextmanager
def _write_errors() -> Iterator[None]:
    """Raise StorageFull or StorageRefused for errors while writing, those of a failing disk or a lock included."""
    try:
        with storage_errors():
            yield
    except sqlite3.OperationalError as error:
        raise StorageRefused(f"The indexer cannot write its queue of jobs ({error}); look after its disk.") from error


def _spec(job: Job) -> str:
    return json.dumps(asdict(job.spec))


def _rest(job: Job) -> str:
    plain: dict[str, Any] = {name: getattr(job, name) for name in _PLAIN}
    plain |= {name: time.isoformat() if (time := getattr(job, name)) else None for name in _TIMES}
    plain["counts"] = encode_counts(job.counts)
    plain["progress"] = asdict(job.progress) if job.progress else None
    return json.dumps(plain)


def _job(number: int, job_id: str, request_id: str | None, state: int, spec: str, rest: str) -> Job:
    plain = json.loads(rest)
    job = Job(
        number=number,
        job_id=job_id,
        request_id=request_id or "",
        spec=decode_spec(json.loads(spec)),
        state=JobState(state) if state in tuple(JobState) else JobState.FAILED,
        counts=decode_counts(plain["counts"]),
        progress=_progress(plain["progress"]),
        create_time=datetime.fromisoformat(plain["create_time"]),
        start_time=_time(plain["start_time"]),
        end_time=_time(plain["end_time"]),
        **{name: plain[name] for name in _PLAIN if name in plain},  # rows of earlier versions lack the later ones
    )
    return job if job.state == state else replace(job, error=_OF_LATER_RELEASE)


def _progress(plain: dict[str, Any] | None) -> Progress | None:
    """Return the progress of a job; None if none is stored, or its phase is one of a later release."""
    return decode_progress(plain) if plain and plain["phase"] in tuple(Phase) else None


def _time(plain: str | None) -> datetime | None:
    return datetime.fromisoformat(plain) if plain else None
