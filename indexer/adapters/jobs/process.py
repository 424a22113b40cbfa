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
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

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
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "indexer.worker",
            "job",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=self._environ,
            limit=_LINE_LIMIT,
            start_new_session=True,
        )
        if process.stdin is None or process.stdout is None:
            raise JobFailed("the worker has no pipes")
        try:
            process.stdin.write(json.dumps(encode_spec(spec)).encode() + b"\n")
            async for line in process.stdout:
                message = json.loads(line)
                if "error" in message:
                    raise JobFailed(message["error"])
                yield decode_event(message)
            code = await process.wait()
            if code:
                raise JobFailed(f"the worker ended unexpectedly ({_described(code)}); its log has more")
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            process.stdin.close()


def _described(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
