"""The layer with precise edges: edges.db, which replaces the edges of code.db, and summary.json."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import defaultdict
from contextlib import closing
from typing import TYPE_CHECKING, Any

from common.core.contract.snapshot import LayerKind
from indexer.adapters.store.core.core_file import core_schema
from indexer.adapters.store.core.table_rows import EDGE, edge_row, read_edges
from indexer.adapters.store.disk import storage_errors, sync, write_files
from indexer.domain.model import EdgeKind, SymbolKind
from indexer.domain.precise.graph import Graph, Node
from indexer.domain.precise.merging import merge_file
from indexer.domain.precise.sites import BuiltPrecise
from indexer.domain.snapshots.snapshot import Layer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from indexer.domain.precise.sites import PreciseFile

EDGES = "edges.db"
SUMMARY = "summary.json"
_NODES = """
SELECT s.id, parent_id, path, module, kind, s.name, qualified_name, start_line, decorators
FROM core.symbols s JOIN core.files f ON f.id = s.file_id
"""
_OF_FILE = f"""
SELECT {EDGE} FROM core.edges WHERE source_id IN (
  SELECT s.id FROM core.symbols s JOIN core.files f ON f.id = s.file_id WHERE f.path = :path
) ORDER BY id
"""  # noqa: S608 (names of ours)
_INHERITS = "SELECT source_id, target_id FROM core.edges WHERE kind = ? AND target_id IS NOT NULL ORDER BY id"
_COPY = f"INSERT INTO edges ({EDGE}) {_OF_FILE}"
_INSERT = f"INSERT INTO edges ({EDGE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 (names of ours)
_PRAGMAS = ("page_size=8192", "journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE")


class SqlitePreciseLayer:
    """Implements `PreciseLayer`."""

    def build(self, core: Path, files: Sequence[PreciseFile], imports: str, folder: Path) -> BuiltPrecise:
        """Write the edges of a core layer, with those of `files` replaced. Raises StorageFull."""
        with storage_errors():
            with closing(sqlite3.connect(folder / EDGES, isolation_level=None, uri=True)) as database:
                summary, digest = _Filling(database, core, files).fill(imports)
            sync(folder / EDGES)
            size = write_files(folder, {SUMMARY: json.dumps(summary, indent=1, sort_keys=True)})
        return _built(Layer(LayerKind.PRECISE, digest, size + (folder / EDGES).stat().st_size), summary)

    def read(self, folder: Path) -> tuple[str, BuiltPrecise]:
        """Return the imports that a layer was built from, and its counts; the `Layer` has no digest and size."""
        summary = json.loads((folder / SUMMARY).read_bytes())
        return summary["imports"], _built(Layer(LayerKind.PRECISE, "", 0), summary)


def _built(layer: Layer, summary: Mapping[str, Any]) -> BuiltPrecise:
    return BuiltPrecise(layer, summary["edges"], summary["precise"], summary["replaced"])


class _Filling:
    """One run over a core layer: files in order of path, so that the edges of a file are adjacent."""

    def __init__(self, database: sqlite3.Connection, core: Path, files: Sequence[PreciseFile]) -> None:
        self._database = database
        for pragma in _PRAGMAS:
            database.execute(f"PRAGMA {pragma}")
        database.execute("ATTACH ? AS core", (f"{(core / 'code.db').as_uri()}?mode=ro&immutable=1",))
        self._files = {file.path: file for file in files}
        self._graph = self._read_graph()
        self._hash = hashlib.sha256()

    def fill(self, imports: str) -> tuple[dict[str, Any], str]:
        """Fill the tables, and return the summary and the layer's digest."""
        (core_digest,) = self._database.execute("SELECT value FROM core.meta WHERE key = 'digest'").fetchone()
        self._hash.update(f"{core_digest}\n{imports}\n".encode())
        counts: dict[str, int] = defaultdict(int)
        self._database.execute("BEGIN")
        tables, indexes = core_schema("edges")
        for statement in tables:
            self._database.execute(statement)
        for (path,) in self._database.execute("SELECT path FROM core.files ORDER BY id").fetchall():
            if path in self._files:
                self._write_merged(self._files[path], counts)
            else:
                self._database.execute(_COPY, {"path": path})
        (counts["edges"],) = self._database.execute("SELECT COUNT(*) FROM edges").fetchone()
        for statement in indexes:
            self._database.execute(statement)
        self._database.execute("COMMIT")
        self._database.execute("ANALYZE main")
        summary = {**counts, "files": len(self._files), "imports": imports}
        return summary, self._hash.hexdigest()

    def _write_merged(self, file: PreciseFile, counts: dict[str, int]) -> None:
        linked = list(read_edges(self._database.execute(_OF_FILE, {"path": file.path})))
        merged = merge_file(self._graph, linked, file)
        rows = [edge_row(edge.source_id, edge.target_id, edge) for edge in merged.edges]
        self._hash.update(f"{file.path}\n{json.dumps(rows)}\n".encode())
        self._database.executemany(_INSERT, rows)
        counts["precise"] += merged.precise
        counts["replaced"] += merged.replaced

    def _read_graph(self) -> Graph:
        nodes = {node.id: node for node in map(_node, self._database.execute(_NODES))}
        inherits = list(self._database.execute(_INHERITS, (int(EdgeKind.INHERITS),)))
        overrides: list[tuple[int, int]] = []
        plain = Graph(nodes)
        for file in self._files.values():
            for each in file.implementations:
                source = plain.find_in(file.path, *each.source)
                targets = [found for place in each.targets if place.path and (found := plain.find(place)) is not None]
                pairs = [(source, target) for target in targets] if source is not None else []
                is_class = source is not None and nodes[source].kind is SymbolKind.CLASS
                (inherits if is_class else overrides).extend(pairs)
        return Graph(nodes, inherits, overrides)


def _node(row: tuple[int, int | None, str, str, int, str, str, int, str]) -> Node:
    number, parent, path, module, kind, name, qualified_name, line, decorators = row
    dotted = f"{module}.{qualified_name}" if qualified_name else module
    short = frozenset(each.partition("(")[0].rpartition(".")[2].strip() for each in decorators.split("\n") if each)
    return Node(number, parent, path, SymbolKind(kind), name, qualified_name, dotted, line, short)
