"""Reads the history of a repository from `git log`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.errors import SourceUnavailable
from indexer.domain.tree import Commit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.adapters.sources.git import Git

_COMMIT_MARK = "\0\x01"
_MESSAGE_CHARS = 2000
_SHORTER = 6


def read_history(git: Git, commit: str, limit: int) -> tuple[Commit, ...]:
    """Return at most `limit` commits that lead to `commit`, newest first, merges left out; paths as in the commit."""
    if not commit:
        return ()
    while limit > 0:
        try:
            return tuple(_commits(_log(git, commit, limit).decode("utf-8", "surrogateescape")))
        except SourceUnavailable:
            limit //= _SHORTER  # a shallow or partial clone lacks old objects; fewer commits may still be complete
    return ()


def _log(git: Git, commit: str, limit: int) -> bytes:
    return git.run(
        "log",
        f"--max-count={limit}",
        "--no-merges",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--name-only",
        "--relative",
        "-z",
        "--format=%x00%x01%ct%x00%B%x00",
        "--end-of-options",
        commit,
    )


def _commits(printed: str) -> Iterator[Commit]:
    for block in printed.split(_COMMIT_MARK)[1:]:
        time, message, *rest = (*block.split("\0"), "")
        if not time.isdecimal():  # the name of a file looks like the mark
            continue
        names = (name.strip("\n") for name in rest)
        told = message.strip()[:_MESSAGE_CHARS].encode("utf-8", "replace").decode()
        yield Commit(int(time), tuple(name for name in names if name), told)
