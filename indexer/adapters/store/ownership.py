"""Ensures that only one indexer uses a data folder: a second one would treat its running jobs as abandoned."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

import structlog

from common.core.errors import StartupError
from indexer.adapters.store.disk import try_lock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from io import FileIO
    from pathlib import Path

_LOCK = "service.lock"
_POLL_SECONDS = 0.5
_log = structlog.get_logger(__name__)


@asynccontextmanager
async def owned(
    folder: Path, *, wait_seconds: float, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> AsyncIterator[None]:
    """
    Lock a data folder for this process; the lock ends with the process at the latest, even if that crashes.

    Args:
        folder: The data folder; it is created if it does not exist.
        wait_seconds: Longest wait for another indexer to release it; the one before may still be finishing its calls.
        sleep: Waits between attempts.

    Raises:
        StartupError: if another indexer still holds it then, or if it cannot be written or locked.
    """
    with _told(folder):
        (folder / "indexer").mkdir(parents=True, exist_ok=True)
        # Unbuffered: on a full disk, closing the file would try to write the buffer and fail again.
        opened = (folder / "indexer" / _LOCK).open("a+b", buffering=0)
    with opened as file:
        await _lock(file, folder, wait_seconds, sleep)
        with _told(folder):
            file.truncate(0)
            file.write(f"{socket.gethostname()}:{os.getpid()}\n".encode())
        yield


async def _lock(file: FileIO, folder: Path, wait_seconds: float, sleep: Callable[[float], Awaitable[object]]) -> None:
    left = wait_seconds
    while True:
        with _told(folder):
            if try_lock(file.fileno()):
                return
            owner = _owner(file)
        if left <= 0:
            raise StartupError(
                f"{folder}: another indexer works in it ({owner}); stop that one, or set CGRAG_DATA_DIR "
                "(data_dir in [indexer]) to another folder"
            )
        if left == wait_seconds:
            _log.info("data_dir.waiting", folder=str(folder), owner=owner, seconds=wait_seconds)
        await sleep(min(left, _POLL_SECONDS))
        left -= _POLL_SECONDS


def _owner(file: FileIO) -> str:
    file.seek(0)
    host, _, process = file.read().decode("utf-8", "replace").strip().rpartition(":")
    return f"process {process or 'unknown'} on {host or 'an unknown host'}"


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StartupError(
            f"{folder}: cannot be written or locked ({error.strerror}); set CGRAG_DATA_DIR (data_dir in [indexer]) to "
            "a folder that can, or mend its permissions"
        ) from error
