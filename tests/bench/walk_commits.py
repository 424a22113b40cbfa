"""
Walks commits and checks that an index that was kept up to date says what a fresh one says.

`make walk-commits REPO=<git repository> COUNT=50 [ARGS="--from REV --path FOLDER --json"]` takes the last COUNT commits
up to REV, along first parents and oldest first, checks each out in a clone of its own, indexes it in one data folder
that is kept and in an empty one, and compares the digests of the core layer and all of its rows. It ends with exit code
1 if some commits differ, and names them with the first file in which they do.

A commit that changes nothing that is indexed (a mode, a skipped file) leaves the kept snapshot as it is, with what it
tells of the commits before; all the rest of it is compared.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.bench.core_rows import core_database, read_meta, read_rows

Index = Callable[[Path, Path], None]

REPOSITORY = "walk"


@dataclass(frozen=True, slots=True)
class Step:
    """One commit: files changed since the one before, seconds of both ways, and the first file that differs, or ""."""

    commit: str
    files_changed: int
    incremental_seconds: float
    fresh_seconds: float
    differs: str


def walk(
    repo: Path, scratch: Path, index: Index, *, count: int, newest: str = "HEAD", below: str = ""
) -> Iterator[Step]:
    """
    Index successive commits in two ways and compare them.

    Args:
        repo: Repository, bare or not; it is only cloned.
        scratch: Empty folder for the clone and the indexes.
        index: Indexes a folder into a data folder, as repository `walk`.
        count: Commits at most, along first parents.
        newest: The last of them.
        below: Folder of the repository that is indexed; "" for all of it.
    """
    tree, kept, fresh = scratch / "tree", scratch / "kept", scratch / "fresh"
    git(scratch, "clone", "--quiet", "--shared", "--no-checkout", str(repo.resolve()), str(tree))
    commits = git(tree, "rev-list", "--first-parent", f"--max-count={count}", newest).split()[::-1]
    before = ""
    for commit in commits:
        git(tree, "checkout", "--quiet", "--force", "--detach", commit)
        git(tree, "clean", "-ffdxq")
        changed = len(git(tree, "diff", "--no-renames", "--name-only", before, commit).splitlines()) if before else 0
        incremental = _timed(index, tree / below, kept)
        empty = _timed(index, tree / below, fresh)
        yield Step(commit, changed, incremental, empty, first_difference(kept, fresh))
        shutil.rmtree(fresh)
        before = commit


def first_difference(kept: Path, fresh: Path) -> str:
    """Return the first path whose rows differ between two data folders, `(digest)` if only that does, "" if nothing."""
    core, other = core_database(kept, REPOSITORY), core_database(fresh, REPOSITORY)
    meta, other_meta = read_meta(core), read_meta(other)
    is_current = meta["commit"] == other_meta["commit"]
    rows, other_rows = (read_rows(each, with_history=is_current) for each in (core, other))
    if rows != other_rows:
        return min(path for path in rows.keys() | other_rows.keys() if rows.get(path) != other_rows.get(path))
    return "(digest)" if is_current and meta["digest"] != other_meta["digest"] else ""


def git(folder: Path, *arguments: str) -> str:
    """Run git with no hooks, no filters of large files and no questions."""
    return subprocess.run(
        ["git", "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false", *arguments],
        cwd=folder,
        env={**os.environ, "GIT_LFS_SKIP_SMUDGE": "1", "GIT_TERMINAL_PROMPT": "0"},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def index_in_process_of_its_own(folder: Path, data: Path) -> None:
    """Index a folder as `python -m indexer.worker index` does."""
    command = [sys.executable, "-m", "indexer.worker", "index", str(folder), "--repository", REPOSITORY]
    environ = {**os.environ, "CGRAG_DATA_DIR": str(data)}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the indexer ended with exit code {done.returncode}:\n{done.stderr[-2000:]}")


def _timed(index: Index, folder: Path, data: Path) -> float:
    begun = time.monotonic()
    index(folder, data)
    return time.monotonic() - begun


def main() -> int:
    """Walk and print."""
    parser = argparse.ArgumentParser(description="Check kept indexes against fresh ones, commit by commit.")
    parser.add_argument("--repo", required=True, type=Path, help="git repository, bare or not")
    parser.add_argument("--count", type=int, default=50, help="commits, along first parents")
    parser.add_argument("--from", dest="newest", default="HEAD", help="the last of the commits")
    parser.add_argument("--path", default="", help="index only this folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    steps = []
    with tempfile.TemporaryDirectory(prefix="cgrag-walk-") as scratch:
        for step in walk(
            arguments.repo,
            Path(scratch),
            index_in_process_of_its_own,
            count=arguments.count,
            newest=arguments.newest,
            below=arguments.path,
        ):
            steps.append(step)
            sys.stderr.write(f"{len(steps)}/{arguments.count} {_line(step)}\n")
    sys.stdout.write(f"{json.dumps(_result(steps)) if arguments.json else _table(steps)}\n")
    return int(any(step.differs for step in steps))


def _result(steps: list[Step]) -> dict[str, object]:
    return {
        "commits": len(steps),
        "equal": sum(not step.differs for step in steps),
        "files_changed": sum(step.files_changed for step in steps),
        "incremental_seconds": round(sum(step.incremental_seconds for step in steps[1:]), 1),
        "fresh_seconds": round(sum(step.fresh_seconds for step in steps[1:]), 1),
        "per_commit": [asdict(step) for step in steps],
    }


def _table(steps: list[Step]) -> str:
    result = _result(steps)
    del result["per_commit"]
    lines = [f"{name.replace('_', ' ')}: {value}" for name, value in result.items()]
    return "\n".join([*lines, *(_line(step) for step in steps if step.differs)])


def _line(step: Step) -> str:
    said = f"DIFFERS in {step.differs}" if step.differs else "equal"
    return (
        f"{step.commit[:12]} {said}, {step.files_changed} files changed, "
        f"{step.incremental_seconds:.1f} s kept, {step.fresh_seconds:.1f} s fresh"
    )


if __name__ == "__main__":
    sys.exit(main())
