"""Finds the git directory of a folder, and rejects one with parts outside of the allowed roots."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.adapters.sources.git import NOWHERE, Git

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_BYTES = 1 << 16
_MOST_ENTRIES = 1_000_000
_WALKED = ("objects", "refs")
"""Folders of a git directory that commits are read from, to any depth."""


class _LeadsOut(Exception):
    """A git directory has parts outside of the roots, or too many or too unusual parts to be checked."""


def is_git_directory(folder: Path) -> bool:
    """Return whether a folder is itself a git directory, as a bare repository is."""
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def git_of(folder: Path, roots: Sequence[Path]) -> Git:
    """
    Return git for a folder, a real path below the roots.

    The git directory is the folder itself or the nearest `.git` at or above it. If it is below the roots and leads out
    of them, by a link, a `gitdir:` file or alternates, git works without a repository. A `.git` above the roots is
    trusted, as it belongs to the operator. Below the roots, git is given the directory and searches for no other.
    """
    if is_git_directory(folder):
        return Git(folder, environ={"GIT_DIR": _checked(folder, roots)})
    for place in (folder, *folder.parents):
        named = place / ".git"
        if os.path.lexists(named):
            if not _within(place, roots):
                break
            return Git(folder, environ={"GIT_DIR": _checked(named, roots), "GIT_WORK_TREE": str(place)})
    return Git(folder)


def _within(path: Path, roots: Sequence[Path]) -> bool:
    return any(path.is_relative_to(root) for root in roots)


def _checked(named: Path, roots: Sequence[Path]) -> str:
    """Return the path of a git directory, or of the file that points to it; NOWHERE if it leads out of the roots."""
    try:
        _check(named, roots)
    except _LeadsOut:
        return NOWHERE
    return str(named)


def _check(named: Path, roots: Sequence[Path]) -> None:
    """Raise _LeadsOut if git would read outside: the directory, its `commondir`, links or alternates."""
    directory = Path(os.path.realpath(named))
    if directory.is_file():
        directory = _pointed(directory, named.parent, "gitdir: ")
    shared = _pointed(directory / "commondir", directory, "")
    entries = 0
    seen: set[Path] = set()
    left = [(place, False) for place in (directory, shared)]
    while left:
        place, walked = left.pop()
        if place in seen:
            continue
        seen.add(place)
        if not _within(place, roots):
            raise _LeadsOut
        left += [(alternate, True) for alternate in _alternates(place)]
        for target, name in _entries(place):
            entries += 1
            if entries > _MOST_ENTRIES or not _within(target, roots):
                raise _LeadsOut
            if (walked or name in _WALKED or name == "info") and target.is_dir():
                left.append((target, True))


def _entries(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield (real path, name) of the links and folders in a folder."""
    try:
        with os.scandir(folder) as found:
            for each in found:
                if each.is_symlink():
                    yield Path(os.path.realpath(each.path)), each.name
                elif each.is_dir(follow_symlinks=False):
                    yield Path(each.path), each.name
    except OSError:  # git cannot read it either
        return


def _alternates(folder: Path) -> Iterator[Path]:
    """Yield the object folders in `info/alternates`, with `..` behind a link resolved in both possible ways."""
    for line in _text(folder / "info" / "alternates").replace("\0", "\n").split("\n"):
        if line.startswith('"'):  # a path quoted as in C, which git writes for control characters only
            raise _LeadsOut
        if line and not line.startswith("#"):
            named = os.path.join(folder, line)  # noqa: PTH118 (as it is written)
            yield Path(os.path.realpath(named))
            yield Path(os.path.realpath(os.path.normpath(named)))


def _pointed(file: Path, base: Path, prefix: str) -> Path:
    """Return the real path that a file names relative to a folder; the folder itself without such a file."""
    if not file.is_file():
        return base
    text = _text(file).removeprefix(prefix).partition("\0")[0].rstrip("\r\n")  # blanks are part of the path
    return Path(os.path.realpath(base / text))


def _text(file: Path) -> str:
    """Return the content of a small file; "" if it does not exist."""
    try:
        with file.open("rb") as opened:
            data = opened.read(_MOST_BYTES + 1)
    except OSError:
        return ""
    if len(data) > _MOST_BYTES:
        raise _LeadsOut
    return os.fsdecode(data)
