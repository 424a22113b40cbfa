"""Takes over the findings of a scanner's report."""

from __future__ import annotations

import asyncio
import hashlib
from functools import partial
from typing import TYPE_CHECKING

from common.core.concurrency import run_to_completion
from indexer.domain.errors import StateForbids
from indexer.domain.findings import Finding, ImportedFinding, ImportOutcome
from indexer.domain.sarif.places import resolve
from indexer.domain.sarif.report import read_report
from indexer.usecases.current_set import require_published

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.domain.findings import CodeFile
    from indexer.domain.sarif.report import Run
    from indexer.domain.snapshot import SnapshotSet
    from indexer.ports import CoreCode, FindingsArchive, ImportRequests, SnapshotStore
    from indexer.usecases.publish_findings import FindingsPublisher
    from indexer.usecases.snapshots import Snapshots


class ImportFindings:
    """Imports reports, one at a time: each takes many times its size of memory."""

    def __init__(
        self,
        snapshots: Snapshots,
        store: SnapshotStore,
        code: CoreCode,
        archive: FindingsArchive,
        requests: ImportRequests,
        publisher: FindingsPublisher,
    ) -> None:
        self._snapshots = snapshots
        self._store = store
        self._code = code
        self._archive = archive
        self._requests = requests
        self._publisher = publisher
        self._turn = asyncio.Lock()

    async def run(self, repository: str, request_id: str, report: bytes) -> ImportOutcome:
        """
        Publish a set with the report's findings instead of earlier ones of the same tools.

        Raises InvalidArgument, RepositoryNotFound, IndexNotReady, RequestIdReused, StateForbids, StorageFull.
        """
        current = (await self._snapshots.get(repository, "")).snapshot
        async with self._turn:
            # Who leaves in between does not make room for the next one: the thread goes on.
            return await run_to_completion(partial(self._run, current, request_id, report))

    def _run(self, current: SnapshotSet, request_id: str, report: bytes) -> ImportOutcome:
        content = hashlib.sha256(report).hexdigest()
        earlier = self._requests.outcome(current.repository, request_id, content) if request_id else None
        if earlier is not None:
            return earlier
        runs = read_report(report)
        files = self._code.files(self._store.layer_folder(current.repository, current.core))
        by_tool: dict[str, list[ImportedFinding]] = {}
        for run in runs:
            by_tool.setdefault(run.tool.lower(), []).extend(_inside(run, files))
        with self._store.staging(current.repository):  # it is not removed between the look and what is kept of it
            require_published(self._store, current.repository)
            for tool, findings in by_tool.items():
                self._archive.replace(current.repository, tool, findings)
        published = self._publisher.publish(current, None)
        if published is None:
            raise StateForbids.overtaken(current.repository)
        imported = sum(map(len, by_tool.values()))
        outcome = ImportOutcome(published.snapshot_id, imported, sum(len(run.results) for run in runs) - imported)
        if request_id:
            self._requests.record(current.repository, request_id, content, outcome)
        return outcome


def _inside(run: Run, files: Mapping[str, CodeFile]) -> Sequence[ImportedFinding]:
    paths = resolve((each.location for each in run.results), files)
    return [
        ImportedFinding(
            Finding(
                tool=run.tool,
                rule=each.rule,
                severity=each.severity,
                category=each.category,
                message=each.message,
                path=path,
                start_line=each.start_line,
                end_line=each.end_line,
                imported=True,
            ),
            files[path].sha256,
        )
        for each in run.results
        if (path := paths.get(each.location)) is not None
    ]
