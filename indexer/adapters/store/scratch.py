"""Room for work that takes long: folders that their maker holds a lock on, so that leftovers can be told."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.adapters.store.disk import storage_errors, try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOCK = ".lock"
_WORK = "work"


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
        """Yield an empty folder; what crashed processes left beside it is removed first."""
        with storage_errors():
            with self._alone():
                self._sweep()
                home = Path(tempfile.mkdtemp(dir=self._root))
                lock = (home / _LOCK).open("w")
                fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
            try:
                (home / _WORK).mkdir()
                yield home / _WORK
            finally:
                shutil.rmtree(home, ignore_errors=True)
                lock.close()

    def sweep(self) -> None:
        """Remove what crashed processes left; folders of living ones stay."""
        with self._alone():
            self._sweep()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep others from taking a folder for a leftover before its maker holds the lock on it."""
        self._root.mkdir(parents=True, exist_ok=True)
        with self._root.with_suffix(_LOCK).open("w") as lock:
            fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
            yield

    def _sweep(self) -> None:
        for folder in self._root.iterdir():
            if folder.is_dir() and not _is_held(folder / _LOCK):
                shutil.rmtree(folder, ignore_errors=True)


def _is_held(file: Path) -> bool:
    try:
        with file.open("r+") as lock:
            return not try_lock(lock.fileno())
    except OSError:  # its maker died before there was a lock, or it is being removed
        return False
