"""
Imports a report of findings in a process of its own: `python -m indexer.worker findings`.

The process reads one line of JSON with repository and request id, then the report; it writes one line of JSON.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from indexer.adapters.plain_errors import raise_error
from indexer.adapters.worker_process import end_worker, start_worker
from indexer.domain.errors import ImportFailed
from indexer.domain.findings.finding import ImportOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.usecases.findings.apply_import import ApplyFindingsImport

SMALL_BYTES = 1 << 20
"""A report of at most this size is imported in less time than a process takes to start."""


class ProcessFindingsImporter:
    """
    Imports reports; one of more than `SMALL_BYTES` in its own process, as 60 MB would block this process for seconds.

    Args:
        environ: Environment of the processes; settings are read from it again.
        here: Imports small reports in this process.
    """

    def __init__(self, environ: Mapping[str, str], here: ApplyFindingsImport) -> None:
        self._environ = dict(environ)
        self._here = here

    def run(self, repository: str, request_id: str, report: bytes) -> ImportOutcome:
        """Import a report; blocks, so call it in a thread. Raises what `ApplyFindingsImport` does, or ImportFailed."""
        if len(report) <= SMALL_BYTES:
            return self._here.run(repository, request_id, report)
        process = start_worker("findings", self._environ)
        try:
            if process.stdin is None or process.stdout is None:
                raise ImportFailed("The importing process has no pipes.")
            with suppress(BrokenPipeError), process.stdin as pipe:  # its output says why, if there is any
                pipe.write(json.dumps({"repository": repository, "request_id": request_id}).encode() + b"\n")
                pipe.write(report)
            answer = process.stdout.read()
        finally:
            end_worker(process)
        if not answer:
            raise ImportFailed(
                "The import ended unexpectedly, for example for lack of memory; the log of the indexer has more. "
                "Import a smaller report."
            )
        plain = json.loads(answer)
        raise_error(plain)
        return ImportOutcome(**plain)
