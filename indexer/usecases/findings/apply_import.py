"""Imports the findings of a scanner's report: stores them in the archive, and publishes a set that has them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.errors import RepositoryNotFound, StateForbids
from indexer.domain.findings.finding import Finding, ImportedFinding, ImportOutcome
from indexer.domain.sarif.places import resolve
from indexer.domain.sarif.report import read_report
from indexer.usecases.indexing.current_set import require_published

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.domain.findings.finding import CodeFile
    from indexer.domain.sarif.report import Run
    from indexer.ports import CoreCode, FindingsArchive, ImportRequests, SnapshotStore
    from indexer.usecases.findings.publish import FindingsPublisher


@dataclass(frozen=True, slots=True)
class ApplyFindingsImport:
    """Imports reports; callers run one import at a time."""

    store: SnapshotStore
    code: CoreCode
    archive: FindingsArchive
    requests: ImportRequests
    publisher: FindingsPublisher

    def run(self, repository: str, request_id: str, report: bytes) -> ImportOutcome:
        """
        Publish a set with the report's findings instead of earlier ones of the same tools.

        Raises InvalidArgument, RequestIdReused, StateForbids if another snapshot came meanwhile, RepositoryNotFound if
        the repository was removed meanwhile, StorageFull.
        """
        content = hashlib.sha256(report).hexdigest()
        earlier = self.requests.outcome(repository, request_id, content) if request_id else None
        if earlier is not None:
            return earlier
        runs = read_report(report)
        current = self.store.current(repository)
        if current is None:
            raise RepositoryNotFound.of(repository)
        files = self.code.files(self.store.layer_folder(repository, current.core))
        by_tool: dict[str, list[ImportedFinding]] = {}
        for run in runs:
            by_tool.setdefault(run.tool.lower(), []).extend(_inside(run, files))
        with self.store.staging(repository):  # the repository cannot be removed between check and import
            require_published(self.store, repository)
            for tool, findings in by_tool.items():
                self.archive.replace(repository, tool, findings)
        published = self.publisher.publish(current, None)
        if published is None:
            raise StateForbids.overtaken(repository)
        imported = sum(map(len, by_tool.values()))
        outcome = ImportOutcome(published.snapshot_id, imported, sum(len(run.results) for run in runs) - imported)
        if request_id:
            self.requests.record(repository, request_id, content, outcome)
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
