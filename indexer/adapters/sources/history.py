"""History of a repository as `git log` tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.errors import SourceUnavailable
from indexer.domain.tree import Commit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.adapters.sources.git import Git

_COMMIT_MARK = "\x01"


def read_history(git: Git, commit: str, limit: int) -> tuple[Commit, ...]:
    """Return at most `limit` commits that lead to `commit`, newest first, merges left out; paths as in the commit."""
    if not commit or limit <= 0:
        return ()
    try:
        printed = git.run(
            "log",
            f"--max-count={limit}",
            "--no-merges",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--name-only",
            "--relative",
            "-z",
            f"--format={_COMMIT_MARK}%ct",
            "--end-of-options",
            commit,
        )
    except SourceUnavailable:  # a shallow or damaged history takes nothing from the files
        return ()
    return tuple(_commits(printed.decode("utf-8", "surrogateescape")))


def _commits(printed: str) -> Iterator[Commit]:
    for block in printed.split(_COMMIT_MARK)[1:]:
        time, _, rest = block.partition("\0")
        names = (name.strip("\n") for name in rest.split("\0"))
        yield Commit(int(time.split("\n")[0]), tuple(name for name in names if name))
