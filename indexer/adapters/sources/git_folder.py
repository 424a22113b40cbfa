"""Where the git directory of a working tree really is: a tree may point to that of somebody else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.adapters.sources.git import NOWHERE, Git

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_BYTES = 4096


def git_of(folder: Path, roots: Sequence[Path]) -> Git:
    """
    Return git as it may be used in a real folder below the roots.

    A `.git` below the roots that leads out of them, by a link or as a file, is passed by: its history is not that of
    these files. One above the roots is the operator's own.
    """
    for place in (folder, *folder.parents):
        named = place / ".git"
        if os.path.lexists(named):
            ours = not _within(place, roots) or all(_within(each, roots) for each in _places(named))
            return Git(folder) if ours else Git(folder, environ={"GIT_DIR": NOWHERE})
    return Git(folder)


def _within(path: Path, roots: Sequence[Path]) -> bool:
    return any(path.is_relative_to(root) for root in roots)


def _places(named: Path) -> Iterator[Path]:
    """Yield the real paths that git would read: its directory, the one shared between worktrees, links in both."""
    directory = Path(os.path.realpath(named))
    if directory.is_file():
        directory = _pointed(directory, named.parent, "gitdir:")
    shared = _pointed(directory / "commondir", directory, "")
    for place in {directory, shared}:
        yield place
        try:
            with os.scandir(place) as found:
                links = [each.path for each in found if each.is_symlink()]
        except OSError:  # git cannot read it either
            continue
        yield from (Path(os.path.realpath(link)) for link in links)


def _pointed(file: Path, base: Path, prefix: str) -> Path:
    """Return the real path that a file names relative to a folder; the folder itself without such a file."""
    try:
        with file.open("rb") as opened:
            text = os.fsdecode(opened.read(_MOST_BYTES))
    except OSError:
        return base
    return Path(os.path.realpath(base / text.removeprefix(prefix).strip().replace("\0", "")))
