"""
Runs each job in a process of its own: `python -m indexer.worker job`.

The worker reads the job's specification as one line of JSON and writes events, one a line. Its input pipe stays open:
it closes when the service dies, and the worker then ends itself with all its children. Loading a worker takes half a
second, so the next one is started as soon as a job has published: the job of a following edit need not wait for it.
"""

from __future__ import annotations

import asyncio
import json
import signal
from contextlib import aclosing, suppress
from dataclasses import asdict
from typing import IO, TYPE_CHECKING

from indexer.adapters.jobs.plain import decode_event
from indexer.adapters.store.disk import FULL_TEXT
from indexer.adapters.worker_process import end_worker, started_worker
from indexer.domain.errors import JobFailed, StorageFull
from indexer.domain.jobs import Published

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from indexer.adapters.worker_process import Worker
    from indexer.domain.jobs import JobSpec, WorkEvent

_LINE_LIMIT = 1 << 20


class ProcessWorker:
    """
    Gives each job a process of its own.

    Args:
        environ: Environment of the processes; settings are read from it again.
        on_redacted: Called with the class of each secret that a worker removed from a model's input; a worker has no
            metrics of its own.
        tidy: Removes files of killed workers. It is called at once, since these files may fill the disk, and then no
            later job could remove them.
    """

    def __init__(
        self, environ: Mapping[str, str], on_redacted: Callable[[str], None], tidy: Callable[[], None]
    ) -> None:
        self._environ = dict(environ)
        self._on_redacted = on_redacted
        self._tidy = tidy
        self._waiting: Worker | None = None
        self._closed = False

    async def work(self, spec: JobSpec) -> AsyncGenerator[WorkEvent, None]:
        """Yield the events of the process; raises JobFailed. Closing the generator kills it with all its children."""
        process = self._take() or await self._started()
        if process.stdin is None or process.stdout is None:
            raise JobFailed("the worker has no pipes")
        try:
            with suppress(BrokenPipeError):  # it exited before it read the job: the exit code says why
                process.stdin.write(json.dumps(asdict(spec)).encode() + b"\n")
                process.stdin.flush()
            async with aclosing(_lines(process.stdout)) as lines:
                async for line in lines:
                    message = json.loads(line)
                    if "redacted" in message:
                        self._on_redacted(message["redacted"])
                        continue
                    if "error" in message:
                        raise JobFailed(message["error"], message["reason"])
                    event = decode_event(message)
                    yield event
                    if isinstance(event, Published):
                        await self._keep_one_waiting()
            code = await asyncio.to_thread(process.wait)
            if code:
                end_worker(process)  # its children may still hold its pipes
                await asyncio.to_thread(self._tidy)
                raise _failure(code)
        finally:
            end_worker(process)

    def close(self) -> None:
        """Kill the worker that waits for a job, and keep none waiting from now on."""
        self._closed = True
        if self._waiting is not None:
            end_worker(self._waiting)
            self._waiting = None

    def _take(self) -> Worker | None:
        """Return the waiting worker process, if it is alive."""
        process, self._waiting = self._waiting, None
        if process is not None and process.poll() is not None:
            end_worker(process)
            return None
        return process

    async def _keep_one_waiting(self) -> None:
        if self._waiting is None:
            self._keep(await self._started())

    async def _started(self) -> Worker:
        return await started_worker("job", self._environ, unwanted=self._keep)

    def _keep(self, process: Worker) -> None:
        if self._waiting is None and not self._closed:
            self._waiting = process
        else:  # another job has kept a worker already, or this object is closed
            end_worker(process)


async def _lines(pipe: IO[bytes]) -> AsyncGenerator[bytes, None]:
    """Yield the lines of a pipe, waiting on the event loop; closes it at the end."""
    reader = asyncio.StreamReader(limit=_LINE_LIMIT)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    try:
        async for line in reader:
            yield line
    finally:
        transport.close()


def _failure(code: int) -> JobFailed:
    if code == -signal.SIGBUS:
        # SIGBUS: a memory-mapped file, as vectors use, could not be written because the disk is full.
        return JobFailed(FULL_TEXT, StorageFull.reason)
    described = f"signal {-code}" if code < 0 else f"exit code {code}"
    return JobFailed(f"the worker ended unexpectedly ({described}); its log has more")
