"""
Runs one command of the worker, such as a job of the service: `python -m indexer.worker`.

Parsing processes import this module again when they start, so it imports other modules only inside `main`.
"""

from __future__ import annotations

import sys


def main() -> int:
    """Run one command and return its exit code."""
    import gc

    gc.disable()  # nearly all objects live to the end: garbage collection would double the time of linking

    import argparse
    import os
    from pathlib import Path

    from common.core.settings import load, read_toml
    from indexer.settings import IndexerSettings
    from indexer.worker import by_hand, for_findings, for_import, for_service

    parser = argparse.ArgumentParser(prog="python -m indexer.worker", description="Index in a process of its own.")
    commands = parser.add_subparsers(required=True, dest="command")
    index = commands.add_parser("index", help="make a snapshot of a folder or git URL, and print it as JSON")
    index.add_argument("source", help="folder, or URL of a git repository")
    index.add_argument("--repository", required=True, help="name by which it is asked for")
    index.add_argument("--revision", default="", help="branch, tag or commit of a git URL")
    commands.add_parser("job", help="do one job of the service: JSON comes in, events go out")
    commands.add_parser("precise", help="import one SCIP index for the service: JSON comes in and goes out")
    commands.add_parser("findings", help="import the report of a scanner for the service: it comes in, JSON goes out")
    arguments = parser.parse_args()

    def settings() -> IndexerSettings:
        config = os.environ.get("CGRAG_CONFIG")
        file = read_toml(Path(config).expanduser() if config else None)
        return load(IndexerSettings, "indexer", environ=os.environ, file=file)

    if arguments.command == "index":
        return by_hand.run(settings(), arguments.source, arguments.revision, arguments.repository)
    work = {"job": for_service.run, "precise": for_import.run, "findings": for_findings.run}
    try:
        return work[arguments.command](settings())
    except Exception as error:  # noqa: BLE001 (the process ends here: the error is logged, and the exit code reports it)
        log_defect(error)
        return 1


def log_defect(error: Exception) -> None:
    """Log an unexpected exception as one event of the service's log, with secrets redacted."""
    import structlog  # slow to import, and seldom needed

    from common.observability import logging

    logging.configure("indexer")
    structlog.get_logger(__name__).error("worker.defect", error_type=type(error).__name__, exc_info=error)


if __name__ == "__main__":
    import os

    status = main()
    sys.stdout.flush()
    os._exit(status)  # without freeing millions of objects one by one, as an ordinary exit does
