"""Opens the layers of one set and combines their readers into a snapshot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from common.core.contract.snapshot import LayerKind
from retriever.adapters.core.database import Database
from retriever.adapters.core.documents import SqliteDocuments
from retriever.adapters.core.facts import SqliteFacts
from retriever.adapters.core.files import SqliteFiles
from retriever.adapters.core.graph import SqliteGraph, SqliteStructure
from retriever.adapters.core.history import SqliteCoverage, SqliteHistory
from retriever.adapters.core.metadata import open_metadata
from retriever.adapters.core.symbols import SqliteSymbols
from retriever.adapters.core.texts import SqliteTexts
from retriever.adapters.core.values import SqliteValues
from retriever.adapters.snapshots.enrichment import EnrichedMetadata
from retriever.adapters.snapshots.findings import FindingsFile
from retriever.domain.errors import SnapshotDamaged
from retriever.domain.values import coverage_of
from retriever.ports import Snapshot, Vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from retriever.adapters.snapshots.folder import Layer, LayerSet
    from retriever.domain.values import SnapshotInfo
    from retriever.ports import Lexical, Metadata


class OpenVectors(Vectors, Protocol):
    """The vectors of an open snapshot, with the resources to close."""

    def close(self) -> None:
        """Release the resources that no other snapshot uses; no search may follow."""
        ...


@dataclass(frozen=True, slots=True)
class LayerOpeners:
    """
    Openers of the parts whose format other modules know.

    Args:
        statements: SQL of the core layer by name.
        lexical: Opens the lexical index of a core layer.
        vectors: Opens a vectors layer, or returns None if it cannot be searched here; None if no vectors are used.
    """

    statements: Mapping[str, str]
    lexical: Callable[[Database], Lexical]
    vectors: Callable[[SnapshotInfo, Layer], OpenVectors | None] | None = None


@dataclass(frozen=True, slots=True)
class OpenSnapshot:
    """A snapshot with the resources to close."""

    snapshot: Snapshot
    database: Database
    vectors: OpenVectors | None = None

    def close(self) -> None:
        """Close the files and the vectors; no read may follow."""
        if self.vectors is not None:
            self.vectors.close()
        self.database.close()


def open_snapshot(found: LayerSet, openers: LayerOpeners) -> OpenSnapshot:
    """Open the layers of a set. Raises SnapshotDamaged if it has no core."""
    core = found.layer(LayerKind.CORE)
    if core is None:
        raise SnapshotDamaged.of(found.info.repository, found.info.snapshot_id, "it has no core layer")
    precise = found.layer(LayerKind.PRECISE)
    edges = precise.folder / "edges.db" if precise else None
    database = Database(core.folder / "code.db", openers.statements, edges)
    files = SqliteFiles(database)
    lexical = openers.lexical(database)
    coverage = SqliteCoverage(database)
    findings = found.layer(LayerKind.FINDINGS)
    layer = found.layer(LayerKind.VECTORS)
    vectors = openers.vectors(found.info, layer) if layer and openers.vectors else None
    snapshot = Snapshot(
        info=replace(
            found.info,
            layers=tuple(sorted(layer.kind for layer in found.layers)),
            coverage=coverage_of(files.all(), coverage.left_out()),
        ),
        files=files,
        texts=SqliteTexts(database, files, lexical),
        symbols=SqliteSymbols(database, files),
        graph=SqliteGraph(database),
        structure=SqliteStructure(database, files),
        facts=SqliteFacts(database),
        values=SqliteValues(database),
        documents=SqliteDocuments(database),
        history=SqliteHistory(database, files),
        coverage=coverage,
        lexical=lexical,
        vectors=vectors,
        vectors_problem="layer cannot be used" if layer and openers.vectors and vectors is None else "",
        findings=FindingsFile(findings.folder / "findings.jsonl") if findings else None,
        metadata=_metadata(database, found),
    )
    return OpenSnapshot(snapshot, database, vectors)


def _metadata(database: Database, found: LayerSet) -> Metadata | None:
    core, enrichment = open_metadata(database), found.layer(LayerKind.ENRICHMENT)
    return EnrichedMetadata(core, enrichment.folder / "files.jsonl") if core and enrichment else core
