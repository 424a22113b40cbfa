"""Room for work that takes long: folders that their maker holds a lock on, so that leftovers can be told."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.adapters.store.disk import storage_errors

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
            self._root.mkdir(parents=True, exist_ok=True)
            for left in self._root.iterdir():
                _remove_if_left(left)
            home = Path(tempfile.mkdtemp(dir=self._root))
            try:
                with (home / _LOCK).open("w") as lock:
                    fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
                    (home / _WORK).mkdir()
                    yield home / _WORK
            finally:
                shutil.rmtree(home, ignore_errors=True)


def _remove_if_left(folder: Path) -> None:
    try:
        with (folder / _LOCK).open("r+") as lock:
            fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # held by a living process, or gone already
        return
