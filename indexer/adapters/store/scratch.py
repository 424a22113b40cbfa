"""Temporary folders for long work; their process holds a lock on each, so that leftovers of crashes are recognized."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.adapters.store.disk import storage_errors, try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOCK = ".lock"
_WORK = "work"
_GONE = ".gone-"


class FolderScratch:
    """
    Makes folders on the file system of the snapshots, so that publication is a rename.

    Args:
        root: `<data>/indexer/scratch`.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Yield an empty folder; leftovers of crashed processes are removed first."""
        with storage_errors():
            with self._alone():
                gone = self._set_aside()
                home = Path(tempfile.mkdtemp(dir=self._root))
                lock = (home / _LOCK).open("w")
                fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
            try:
                _delete(gone)
                (home / _WORK).mkdir()
                yield home / _WORK
            finally:
                shutil.rmtree(home, ignore_errors=True)
                lock.close()

    def sweep(self) -> None:
        """Remove what crashed processes left; folders of living ones stay."""
        with self._alone():
            gone = self._set_aside()
        _delete(gone)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock of the root, so that no process takes a new folder, not locked yet, for a leftover."""
        self._root.mkdir(parents=True, exist_ok=True)
        with self._root.with_suffix(_LOCK).open("w") as lock:
            fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
            yield

    def _set_aside(self) -> list[Path]:
        """Rename leftovers, so that they can be deleted without the lock; return all folders to delete."""
        for folder in list(self._root.iterdir()):
            if folder.is_dir() and not folder.name.startswith(_GONE) and not _is_held(folder / _LOCK):
                with suppress(OSError):  # removed meanwhile, or to be tried again the next time
                    folder.rename(folder.with_name(f"{_GONE}{folder.name}"))
        return list(self._root.glob(f"{_GONE}*/"))


def _delete(folders: list[Path]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _is_held(file: Path) -> bool:
    try:
        with file.open("r+") as lock:
            return not try_lock(lock.fileno())
    except FileNotFoundError:  # its process died before it made the lock, or is removing the folder
        return False
    except OSError:  # its owner cannot be determined now: a live process's folder must stay
        return True
