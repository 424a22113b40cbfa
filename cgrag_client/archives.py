"""Unpacks a source archive into a folder that can be indexed."""

from __future__ import annotations

import fcntl
import hashlib
import lzma
import shutil
import tarfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cgrag_client.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUFFIXES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar")
MOST_BYTES = 4 << 30
MOST_MEMBERS = 1_000_000
_PART = ".part"
_DAMAGE = (tarfile.TarError, OSError, EOFError, KeyError, ValueError, zlib.error, lzma.LZMAError)
"""What `tarfile` raises for archives that are cut off, damaged, or made to do harm."""


def is_archive(path: Path) -> bool:
    """Tell by its name whether a file is an archive that can be unpacked."""
    return path.name.endswith(SUFFIXES)


def unpacked(archive: Path, data: Path, *, most_bytes: int = MOST_BYTES, most_members: int = MOST_MEMBERS) -> Path:
    """
    Unpack a tar archive below `data` and return the folder to index; the same archive is unpacked once.

    The folder is the archive's only top-level folder, or else all of it. Members that would leave the folder,
    devices and the like are refused, and so is the archive then; git's own files are left out. Raises UsageError,
    also for an archive of more bytes or members, which stand for an archive that is made to fill the disk.
    """
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    target = data / "unpacked" / digest[:16]
    with _alone(target.parent):
        if not target.exists():
            beside = target.with_suffix(_PART)
            beside.mkdir()
            try:
                with tarfile.open(archive) as tar:
                    tar.extractall(beside, filter=_Members(most_bytes, most_members).judge)  # noqa: S202 (judged)
            except _DAMAGE as error:
                shutil.rmtree(beside)
                raise UsageError(
                    f"{archive}: cannot be unpacked ({error}); unpack it yourself and give the folder"
                ) from error
            beside.rename(target)
    inside = list(target.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else target


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other commands from unpacking meanwhile, and remove what killed ones left."""
    folder.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
        for left in folder.glob(f"*{_PART}"):
            shutil.rmtree(left)
        yield


class _Members:
    """Counts what comes out of one archive."""

    def __init__(self, most_bytes: int, most_members: int) -> None:
        self._bytes_left = most_bytes
        self._members_left = most_members

    def judge(self, member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
        """Return a member as it may be written, None to leave it out. Raises TarError."""
        self._bytes_left -= member.size
        self._members_left -= 1
        if self._bytes_left < 0 or self._members_left < 0:
            raise tarfile.TarError("too large")
        # The indexer would take it for a repository, with whatever settings its maker put there.
        if any(part.lower() == ".git" for part in member.name.split("/")):
            return None
        return tarfile.data_filter(member, folder)
