"""Lists the files of a directory, respecting .gitignore: with git in a repository, else by a walk."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec

from indexer.domain.errors import SourceUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.adapters.sources.git import Git

_Rules = tuple[tuple[str, GitIgnoreSpec], ...]
"""Folders from the root down, each with the rules of its .gitignore."""


@dataclass(frozen=True, slots=True)
class ListedPaths:
    """Paths relative to the root, links and special files among them, and how many entries are ignored."""

    paths: frozenset[str]
    ignored: int


def list_git(git: Git) -> ListedPaths | None:
    """Return what git tracks or would track; None if it knows no file here, so that the folder must be walked."""
    try:
        listed = git.run("ls-files", "--cached", "--others", "--exclude-standard", "-z")
        ignored = git.run("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
    except SourceUnavailable:
        return None
    paths = frozenset(filter(None, listed.decode("utf-8", "surrogateescape").split("\0")))
    return ListedPaths(paths, ignored.count(b"\0")) if paths else None


def unwanted(git: Git) -> frozenset[str]:
    """Return the tracked files that a sparse checkout leaves out of the working tree."""
    try:
        listed = git.run("ls-files", "--cached", "-t", "-z")
    except SourceUnavailable:
        return frozenset()
    rows = listed.decode("utf-8", "surrogateescape").split("\0")
    return frozenset(row[2:] for row in rows if row.startswith("S "))


def list_folder(root: Path) -> ListedPaths:
    """List the files below a folder, with the rules of every .gitignore on the way; links are not followed."""
    walk = _Walk(root)
    return ListedPaths(frozenset(walk.paths()), walk.ignored)


class _Walk:
    """A walk that collects ignore rules on the way down; deeper rules win."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._waiting: list[tuple[str, _Rules]] = [("", ())]
        self.ignored = 0

    def paths(self) -> Iterator[str]:
        """Yield files in no order; folders may be nested as deep as the file system lets them."""
        while self._waiting:
            yield from self._within(*self._waiting.pop())

    def _within(self, folder: str, rules: _Rules) -> Iterator[str]:
        try:
            with os.scandir(f"{self._root}/{folder}") as found:
                children = list(found)
        except OSError:
            yield folder  # comes back as unreadable
            return
        own = self._rules(folder) if any(child.name == ".gitignore" for child in children) else None
        rules = (*rules, (folder, own)) if own else rules
        for child in children:
            path = f"{folder}/{child.name}" if folder else child.name
            is_folder = child.is_dir(follow_symlinks=False)
            if child.name == ".git":
                continue
            if _ignored(path, rules, slash="/" if is_folder else ""):
                self.ignored += 1
            elif is_folder:
                self._waiting.append((path, rules))
            else:
                yield path

    def _rules(self, folder: str) -> GitIgnoreSpec | None:
        file = Path(self._root, folder, ".gitignore")
        try:
            if file.is_symlink() or not file.is_file():
                return None
            return GitIgnoreSpec.from_lines(file.read_text("utf-8", "replace").splitlines())
        except (OSError, ValueError):
            return None


def _ignored(path: str, rules: _Rules, slash: str) -> bool:
    for folder, spec in reversed(rules):
        inside = path[len(folder) + 1 :] if folder else path
        verdict = spec.check_file(inside + slash).include
        if verdict is not None:
            return verdict
    return False
