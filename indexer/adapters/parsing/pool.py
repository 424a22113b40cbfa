"""A pool of parsing processes; a file that kills or blocks its process is skipped."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections import deque
from dataclasses import replace
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

from indexer.adapters.parsing.child import UNANSWERED, Limits, as_text, serve
from indexer.adapters.parsing.packing import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from indexer.domain.parsing import FileFacts, ParseRequest
    from indexer.ports import Language

_BATCH_FILES = 32
_BATCH_CHARACTERS = 200_000
_POLL_SECONDS = 0.5
_START_SECONDS = 60.0
_END_SECONDS = 10.0
_PATIENCE = 10


class ParserPool:
    """
    Parses in child processes under limits of time and memory.

    Args:
        languages: By name; a child gets those that it needs, pickled.
        processes: Most children; they are started when there is work for them.
        file_seconds: A child that takes more processor time for one file, or ten times that in wall-clock time, is
            killed.
        limits: Of each child.
    """

    def __init__(
        self, languages: Mapping[str, Language], *, processes: int, file_seconds: float, limits: Limits
    ) -> None:
        self._languages = languages
        self._processes = processes
        self._file_seconds = file_seconds
        self._limits = limits
        self._workers: list[_Worker] = []

    def __enter__(self) -> ParserPool:
        """Return the pool; children start later."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all children."""
        self._end()

    def _end(self) -> None:
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def prepare(self) -> None:
        """Start a child ahead of time, as starting takes a while, before the files to parse are known."""
        if not self._workers:
            self._workers.append(_Worker(self._languages, self._limits, self._file_seconds))

    def load(self, like: ParseRequest) -> None:
        """Let the children that `prepare` started parse a file without an answer, so that they load the code for it."""
        for worker in self._workers:
            worker.give((replace(like, key=UNANSWERED),))

    def parse(self, requests: Sequence[ParseRequest]) -> Iterator[FileFacts]:
        """Yield facts in order of completion; those of a file over a limit have an error and `keep` unset."""
        batches = deque(_batches(requests))
        names = {request.language for request in requests}
        spoken = {name: language for name, language in self._languages.items() if name in names}
        while batches or any(worker.pending for worker in self._workers):
            self._feed(batches, spoken)
            for worker in self._ready():
                facts = worker.receive()
                if facts is not None:
                    yield facts
            for worker in self._stuck():
                yield from self._bury(worker, batches)
        self._end()  # later phases need the memory

    def _feed(self, batches: deque[tuple[ParseRequest, ...]], languages: Mapping[str, Language]) -> None:
        while batches:
            idle = next((worker for worker in self._workers if not worker.pending), None)
            if idle is None and len(self._workers) < self._processes:
                idle = _Worker(languages, self._limits, self._file_seconds)
                self._workers.append(idle)
            if idle is None:
                return
            idle.give(batches.popleft())

    def _ready(self) -> list[_Worker]:
        by_pipe = {worker.pipe: worker for worker in self._workers if worker.pending}
        return [by_pipe[pipe] for pipe in wait(list(by_pipe), timeout=_POLL_SECONDS)]  # type: ignore[index]  # wait gives back what it got

    def _stuck(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.dead or worker.stuck(self._file_seconds * _PATIENCE)]

    def _bury(self, worker: _Worker, batches: deque[tuple[ParseRequest, ...]]) -> Iterator[FileFacts]:
        """Skip the file at which a child died, and put the rest of its batch back for another child."""
        self._workers.remove(worker)
        crashed = worker.dead and not worker.ran_out_of_time
        reason = "the parser crashed" if crashed else f"parsing took more than {self._file_seconds:.0f} s"
        culprit, *rest = worker.pending
        worker.end()
        if rest:
            batches.appendleft(tuple(rest))
        yield as_text(culprit, reason, keep=False)


class _Worker:
    """One parser process with its pipe, and the requests that it has not answered yet."""

    def __init__(self, languages: Mapping[str, Language], limits: Limits, file_seconds: float) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, dict(languages), limits, file_seconds), daemon=True)
        self._process.start()
        theirs.close()
        self.pending: deque[ParseRequest] = deque()
        self.dead = False
        self._since = time.monotonic() + _START_SECONDS

    def give(self, batch: tuple[ParseRequest, ...]) -> None:
        self.pending.extend(request for request in batch if request.key != UNANSWERED)
        self._since = max(self._since, time.monotonic())
        try:
            self.pipe.send(batch)
        except (BrokenPipeError, ConnectionResetError):
            self.dead = True

    def receive(self) -> FileFacts | None:
        try:
            answer = self.pipe.recv_bytes()
        except (EOFError, ConnectionResetError):
            self.dead = True
            return None
        self._since = time.monotonic()
        keep, packed = answer[:1] == b"1", answer[1:]
        return replace(unpack(self.pending.popleft().key, packed), keep=keep, packed=packed if keep else b"")

    @property
    def ran_out_of_time(self) -> bool:
        """Return whether the system killed a child for exceeding its processor time."""
        self._process.join(_END_SECONDS)
        return self._process.exitcode == -signal.SIGPROF

    def stuck(self, seconds: float) -> bool:
        return bool(self.pending) and time.monotonic() - self._since > seconds

    def end(self) -> None:
        self.pipe.close()
        self._process.kill()
        self._process.join()


def _batches(requests: Sequence[ParseRequest]) -> Iterator[tuple[ParseRequest, ...]]:
    batch: list[ParseRequest] = []
    size = 0
    for request in requests:
        batch.append(request)
        size += len(request.text)
        if len(batch) >= _BATCH_FILES or size >= _BATCH_CHARACTERS:
            yield tuple(batch)
            batch, size = [], 0
    if batch:
        yield tuple(batch)
