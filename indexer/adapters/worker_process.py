"""Starts `indexer.worker` processes for the service, with pipes, and kills them together with their children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from common.core.runtime.concurrency import acquire_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Worker = subprocess.Popen[bytes]


def start_worker(command: str, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a worker in a process group of its own. Do not call it on the event loop: it blocks for milliseconds."""
    # Not with the event loop's subprocess API: uvloop forks, which runs gRPC's fork handlers in the child.
    return subprocess.Popen(  # noqa: S603 - the command is one of our own
        [sys.executable, "-m", "indexer.worker", command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environ,
        start_new_session=True,
    )


async def started_worker(command: str, environ: Mapping[str, str], *, unwanted: Callable[[Worker], None]) -> Worker:
    """Start a worker off the event loop; if the caller is cancelled meanwhile, the worker is passed to `unwanted`."""
    return await acquire_in_thread(lambda: start_worker(command, environ), unwanted)


def end_worker(process: subprocess.Popen[bytes]) -> None:
    """End a worker with all its children, and close its pipes."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()  # returns at once: the process is dead
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()
