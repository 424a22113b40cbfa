"""Which files change together, counted from the history of a repository."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from indexer.domain.snapshots.core import FileHistory, History
from indexer.domain.tree import Commit

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

MAX_COMMIT_FILES = 50
"""Commits with more files touch everything (renames, formatting) and are not evidence of co-change."""

MAX_TOLD_FILES = 15
"""Messages of commits that change more files are dropped: they describe no file in particular."""

MIN_COMMITS = 2
"""Pairs seen together only once are noise."""


def count_changes(commits: Iterable[Commit], present: Container[str]) -> History:
    """
    Count the changes of each file, and how often two files change in one commit; keep the messages of small commits.

    Args:
        commits: Newest first; those with more than `MAX_COMMIT_FILES` files count for single files, not for pairs.
        present: Paths of the snapshot; other paths are ignored.
    """
    changes: Counter[str] = Counter()
    last: dict[str, int] = {}
    pairs: Counter[tuple[str, str]] = Counter()
    told: list[Commit] = []
    for commit in commits:
        paths = sorted(path for path in commit.paths if path in present)
        changes.update(paths)
        for path in paths:
            last[path] = max(last.get(path, 0), commit.time)
        if commit.message and 0 < len(paths) <= MAX_TOLD_FILES:
            told.append(Commit(commit.time, tuple(paths), commit.message))
        if len(commit.paths) <= MAX_COMMIT_FILES:
            pairs.update(combinations(paths, 2))
    return History(
        files={path: FileHistory(changes[path], last[path]) for path in sorted(changes)},
        cochanges={pair: count for pair, count in sorted(pairs.items()) if count >= MIN_COMMITS},
        commits=tuple(told),
    )
