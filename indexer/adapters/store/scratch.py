"""Room for work that takes long: folders that their maker holds a lock on, so that leftovers can be told."""

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
        """Keep others from taking a folder for a leftover before its maker holds the lock on it."""
        self._root.mkdir(parents=True, exist_ok=True)
        with self._root.with_suffix(_LOCK).open("w") as lock:
            fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
            yield

    def _set_aside(self) -> list[Path]:
        """Rename leftovers, so that they can be deleted while others go on; return all that are to be deleted."""
        for folder in list(self._root.iterdir()):
            if folder.is_dir() and not folder.name.startswith(_GONE) and not _is_held(folder / _LOCK):
                with suppress(OSError):  # its maker has just removed it, or it stays for another time
                    folder.rename(folder.with_name(f"{_GONE}{folder.name}"))
        return list(self._root.glob(f"{_GONE}*/"))


def _delete(folders: list[Path]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _is_held(file: Path) -> bool:
    try:
        with file.open("r+") as lock:
            return not try_lock(lock.fileno())
    except FileNotFoundError:  # its maker died before there was a lock, or it is being removed
        return False
    except OSError:  # its owner cannot be determined now: a live process's folder must stay
        return True
