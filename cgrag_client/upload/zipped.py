"""Unpacks zip archives as strictly as `tar_filter` does tar archives: only regular files and folders in one folder."""

from __future__ import annotations

import re
import shutil
import stat
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DAMAGE = (zipfile.BadZipFile, NotImplementedError)
"""What `zipfile` raises, besides what `tarfile` does, for archives that are damaged or packed in an unknown way."""

_ENCRYPTED = 1
_DRIVE = re.compile(r"[A-Za-z]:")


def unzip(archive: Path, folder: Path, *, count: Callable[[int], None], leave_out: Callable[[str], bool]) -> None:
    """
    Unpack an archive into an empty folder; links are left out.

    Args:
        archive: The file.
        folder: The target folder.
        count: Called with the size of each member before it is written; raises if the archive becomes too large.
        leave_out: Returns whether the member with the given name is not to be unpacked.

    Raises BadZipFile for members that are encrypted, would leave the folder, or are neither file, folder nor link.
    """
    with zipfile.ZipFile(archive) as opened:
        for member in opened.infolist():
            count(member.file_size)
            kind = stat.S_IFMT(member.external_attr >> 16)
            if leave_out(member.filename) or kind == stat.S_IFLNK:
                continue
            if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise zipfile.BadZipFile(f"{member.filename!r} is no regular file")
            if member.flag_bits & _ENCRYPTED:
                raise zipfile.BadZipFile(f"{member.filename!r} is encrypted")
            target = _inside(folder, member.filename)
            if member.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with opened.open(member) as source, target.open("xb") as written:
                shutil.copyfileobj(source, written)


def _inside(folder: Path, name: str) -> Path:
    parts = name.rstrip("/").split("/")
    if "\\" in name or _DRIVE.match(name) or any(part in ("", ".", "..") for part in parts):
        raise zipfile.BadZipFile(f"{name!r} would leave the folder")
    return folder.joinpath(*parts)
