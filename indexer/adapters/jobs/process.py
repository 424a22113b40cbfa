"""
Does a job in a process of its own: `python -m indexer.worker job`.

What to index goes in as one line of JSON, events come out, one a line. The pipe in stays open: when the service dies
it closes, and the worker ends itself with all its children.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import aclosing, suppress
from typing import IO, TYPE_CHECKING

from indexer.adapters.jobs.plain import decode_event, encode_spec
from indexer.domain.errors import JobFailed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from indexer.domain.jobs import JobSpec, WorkEvent

_LINE_LIMIT = 1 << 20


class ProcessWorker:
    """
    Starts one process for each job.

    Args:
        environ: Environment of the processes; settings are read from it again.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = dict(environ)

    async def work(self, spec: JobSpec) -> AsyncGenerator[WorkEvent, None]:
        """Yield what the process says; raises JobFailed. Closing the generator kills it with all its children."""
        process = await asyncio.to_thread(self._start)
        if process.stdin is None or process.stdout is None:
            raise JobFailed("the worker has no pipes")
        try:
            process.stdin.write(json.dumps(encode_spec(spec)).encode() + b"\n")
            process.stdin.flush()
            async with aclosing(_lines(process.stdout)) as lines:
                async for line in lines:
                    message = json.loads(line)
                    if "error" in message:
                        raise JobFailed(message["error"], message["reason"])
                    yield decode_event(message)
            code = await asyncio.to_thread(process.wait)
            if code:
                raise JobFailed(f"the worker ended unexpectedly ({_described(code)}); its log has more")
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()  # returns at once: the process is dead
            process.stdin.close()

    def _start(self) -> subprocess.Popen[bytes]:
        # Not by the event loop: uvloop forks, which runs gRPC's handlers in the child, where `Popen` does not.
        return subprocess.Popen(
            [sys.executable, "-m", "indexer.worker", "job"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self._environ,
            start_new_session=True,
        )


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


def _described(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
