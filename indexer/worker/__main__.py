"""`python -m indexer.worker index PATH`: makes a snapshot of a folder and prints what it made as JSON."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from common.core.errors import AppError
from common.core.settings import load, read_toml
from indexer.bootstrap import index_repository
from indexer.domain.jobs import GitSource, JobSpec, LocalSource
from indexer.settings import IndexerSettings

if TYPE_CHECKING:
    from indexer.domain.jobs import Progress
    from indexer.domain.snapshot import Counts


class _Lines:
    """Prints each phase once, with its size, on stderr."""

    def __init__(self) -> None:
        self._phase = 0

    def progress(self, progress: Progress, counts: Counts) -> None:  # noqa: ARG002 - the port's signature
        if progress.phase != self._phase:
            self._phase = progress.phase
            sys.stderr.write(f"{progress.phase.name.lower()} {progress.total or ''}\n")


def main() -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m indexer.worker", description=__doc__)
    commands = parser.add_subparsers(required=True, dest="command")
    index = commands.add_parser("index", help="make a snapshot of a folder or git URL")
    index.add_argument("source", help="folder, or URL of a git repository")
    index.add_argument("--repository", required=True, help="name by which it is asked for")
    index.add_argument("--revision", default="", help="branch, tag or commit of a git URL")
    arguments = parser.parse_args()
    config = os.environ.get("CGRAG_CONFIG")
    settings = load(IndexerSettings, "indexer", environ=os.environ, file=read_toml(Path(config) if config else None))
    return _index(settings, arguments.source, arguments.revision, arguments.repository)


def _index(settings: IndexerSettings, source: str, revision: str, repository: str) -> int:
    is_url = "://" in source or (":" in source and not Path(source).exists())
    place = GitSource(source, revision) if is_url else LocalSource(str(Path(source).absolute()))
    try:
        with index_repository(settings) as indexer:
            outcome = indexer.run(JobSpec(repository, place), _Lines())
    except AppError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    counts = outcome.snapshot.counts
    result = {
        "snapshot_id": outcome.snapshot.snapshot_id,
        "unchanged": outcome.unchanged,
        "files": counts.files,
        "lines": counts.lines,
        "symbols": counts.symbols,
        "edges": counts.edges,
        "docs": counts.docs,
        "files_parsed": counts.files_parsed,
        "files_reused": counts.files_reused,
        "skipped": {reason.name.lower(): number for reason, number in counts.skipped.items()},
        "seconds": {phase.name.lower(): round(seconds, 3) for phase, seconds in outcome.seconds.items()},
    }
    sys.stdout.write(f"{json.dumps(result)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
