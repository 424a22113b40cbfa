"""Unpacks a source archive into a folder that can be indexed."""

from __future__ import annotations

import fcntl
import hashlib
import lzma
import os
import shutil
import tarfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cgrag_client.errors import UsageError
from cgrag_client.upload import tar_filter, zipped

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIXES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
MOST_BYTES = 4 << 30
MOST_MEMBERS = 1_000_000
_FOLDER = "unpacked-2"
"""Folder of unpacked archives; to be renamed when the rules change, as it has archives unpacked by earlier rules."""
_PART = ".part"
_LONGEST_LINK = 4095
_DAMAGE = (tarfile.TarError, OSError, EOFError, KeyError, ValueError, zlib.error, lzma.LZMAError, *zipped.DAMAGE)
"""Exceptions for archives that are cut off, damaged or malicious."""


def is_archive(path: Path) -> bool:
    """Tell by its name whether a file is an archive that can be unpacked."""
    return path.name.endswith(SUFFIXES)


def unpacked(archive: Path, data: Path, *, most_bytes: int = MOST_BYTES, most_members: int = MOST_MEMBERS) -> Path:
    """
    Unpack a tar or zip archive below `data` and return the folder to index; the same archive is unpacked only once.

    If the archive has a single top-level folder and nothing beside it, that folder is returned, else the folder with
    all of its content. `.git` and links to it are left out. Raises UsageError for an archive that has members outside
    its folder or special files such as devices, or more bytes or members than allowed, as it may be made to fill the
    disk.
    """
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    target = data / _FOLDER / digest[:16]
    with _alone(target.parent):
        if not target.exists():
            beside = target.with_suffix(_PART)
            beside.mkdir()
            try:
                _unpack(archive, beside, _Members(most_bytes, most_members))
            except _DAMAGE as error:
                shutil.rmtree(beside)
                raise UsageError(
                    f"{archive}: cannot be unpacked ({error}); unpack it yourself and give the folder"
                ) from error
            beside.rename(target)
    inside = list(target.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else target


def _unpack(archive: Path, folder: Path, members: _Members) -> None:
    if archive.name.endswith(".zip"):
        zipped.unzip(archive, folder, count=members.count, leave_out=_of_git)
        return
    with tarfile.open(archive) as tar:
        tar.extraction_filter = _as_judged
        judged = (members.judge(each, str(folder)) for each in tar)
        tar.extractall(folder, members=(each for each in judged if each is not None))  # noqa: S202 (judged)


def _as_judged(member: tarfile.TarInfo, _: str) -> tarfile.TarInfo:
    return member


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock for unpacking, and remove the partial folders of killed commands."""
    folder.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
        for left in folder.glob(f"*{_PART}"):
            shutil.rmtree(left)
        yield


class _Members:
    """Counts the bytes and files that are extracted from one archive."""

    def __init__(self, most_bytes: int, most_members: int) -> None:
        self._bytes_left = most_bytes
        self._members_left = most_members

    def judge(self, member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
        """Return a member as it may be written, None to leave it out. Raises TarError if the archive is refused."""
        self.count(member.size)
        # With `.git`, the indexer would run git on it with settings that the archive's author chose.
        if _of_git(member.name) or (_is_link(member) and _of_git(member.linkname)):
            return None
        judged: tarfile.TarInfo = tar_filter.of_this_python(member, folder)
        if _is_link(judged):
            self._take(_cost(judged, folder))
        return judged

    def count(self, size: int) -> None:
        """Count a member. Raises TarError if there are too many, or too large ones."""
        self._members_left -= 1
        self._take(size)

    def _take(self, size: int) -> None:
        self._bytes_left -= size
        if self._bytes_left < 0 or self._members_left < 0:
            raise tarfile.TarError("too large")


def _cost(link: tarfile.TarInfo, folder: str) -> int:
    """
    Return the bytes that a link may take on disk: a link that cannot be created is unpacked as a copy of its target.

    Raises TarError for a link that certainly cannot be created: its target is too long, or not there for a hard link.
    """
    if len(os.fsencode(link.linkname)) > _LONGEST_LINK:
        raise tarfile.TarError(f"{link.name} is a link of too many characters")
    if link.issym():
        return 0
    named = Path(folder, link.linkname)
    if not named.is_file():
        raise tarfile.TarError(f"{link.name} is a link to a file that is not there")
    return named.stat().st_size


def _is_link(member: tarfile.TarInfo) -> bool:
    return member.issym() or member.islnk()


def _of_git(path: str) -> bool:
    return any(part.lower() == ".git" for part in path.split("/"))
