"""
The extraction filter for untrusted tar archives: `tarfile.data_filter`, or its equivalent for Python 3.11.0 to 3.11.3.

These versions lack it, and Debian 12 ships Python 3.11.2.
"""

from __future__ import annotations

import copy
import os
import tarfile

_OWNER_READS, _OWNER_RUNS, _NOBODY_RUNS = 0o600, 0o100, 0o644
_MOST = 0o755


def data_filter(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo:
    """
    Return a file, folder or link below `folder` as it may be extracted: owned by this user, writable by nobody else.

    The rules are those of `tarfile.data_filter` (PEP 706). Raises TarError for all else.
    """
    real = os.path.realpath(folder)
    safe = copy.copy(member)
    safe.name = member.name.lstrip("/" + os.sep)
    _require_within(real, os.path.join(real, safe.name), member)  # noqa: PTH118 (names are not normalised before)
    if not (member.isreg() or member.isdir() or member.issym() or member.islnk()):
        raise tarfile.TarError(f"{member.name} is a special file")
    if member.issym() or member.islnk():
        if os.path.isabs(member.linkname):  # noqa: PTH117 (as above)
            raise tarfile.TarError(f"{member.name} is a link to an absolute path")
        base = os.path.dirname(safe.name) if member.issym() else ""  # noqa: PTH120
        _require_within(real, os.path.join(real, base, member.linkname), member)  # noqa: PTH118
    safe.mode = _MOST
    if member.isreg() or member.islnk():
        safe.mode = member.mode & (_MOST if member.mode & _OWNER_RUNS else _NOBODY_RUNS) | _OWNER_READS
    safe.uid, safe.gid, safe.uname, safe.gname = os.getuid(), os.getgid(), "", ""
    return safe


def _require_within(folder: str, path: str, member: tarfile.TarInfo) -> None:
    if os.path.commonpath([os.path.realpath(path), folder]) != folder:
        raise tarfile.TarError(f"{member.name} leads out of the folder")


of_this_python = getattr(tarfile, "data_filter", data_filter)
"""The filter of the standard library if this Python has it, else `data_filter` of this module."""
