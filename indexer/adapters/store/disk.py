"""Crash-safe files: written to a temporary name, flushed, renamed; a full disk becomes a domain error."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from indexer.domain.errors import StorageFull, StorageRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_FAILPOINT_EXIT = 86
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
_PRIMARY = 0xFF
"""Mask of the primary part of a SQLite error code; the other bits are details."""

FULL_TEXT = "The indexer's disk is full; the published snapshot still serves. Free some space and start again."
_READ_ONLY_TEXT = (
    "The indexer may not write into its data folder; the published snapshot still serves. Mend its permissions, or "
    "remount it for writing, and start again."
)


@contextmanager
def storage_errors() -> Iterator[None]:
    """Raise StorageFull for errors of a full disk, StorageRefused for those of a read-only one; let others pass."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StorageFull(FULL_TEXT) from error
        if error.errno in _READ_ONLY:
            raise StorageRefused(_READ_ONLY_TEXT) from error
        raise
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise StorageFull(FULL_TEXT) from error
        if error.sqlite_errorcode & _PRIMARY == sqlite3.SQLITE_READONLY:
            raise StorageRefused(_READ_ONLY_TEXT) from error
        raise


def write_files(folder: Path, texts: Mapping[str, str]) -> int:
    """Write files by name in UTF-8, flush them to disk, and return how many bytes they have."""
    written = {folder / name: text.encode() for name, text in texts.items()}
    for file, data in written.items():
        file.write_bytes(data)
        sync(file)
    return sum(map(len, written.values()))


def sync(path: Path) -> None:
    """Flush to disk a file's contents, or a folder's names, so that a rename in it survives a loss of power."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(file: Path, data: bytes, reached: Callable[[str], None]) -> None:
    """
    Write a file so that a reader sees the old or the new contents, whole.

    Args:
        reached: Called with "before_replace" and "after_replace".
    """
    beside = file.with_name(f".{file.name}.new")
    with beside.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    reached("before_replace")
    beside.replace(file)
    reached("after_replace")
    sync(file.parent)


def is_there(path: Path, descriptor: int) -> bool:
    """Return whether an open file still exists at its path."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def try_lock(descriptor: int) -> bool:
    """Try to lock an open file until it is closed; return whether this process has the lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def failpoint(name: str) -> Callable[[str], None]:
    """
    Return a callback that ends the process, as a crash would, at the step of this name; "" never does.

    "step:2" ends it when the step is reached for the second time.
    """
    wanted, _, times = name.partition(":")
    left = int(times or 1)

    def reached(step: str) -> None:
        nonlocal left
        if step == wanted:
            left -= 1
            if left == 0:
                os._exit(_FAILPOINT_EXIT)

    return reached
