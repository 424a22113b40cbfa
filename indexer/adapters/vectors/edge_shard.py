"""
Builds a vectors layer as an embedded shard, which is closed and packed into one file.

The engine preallocates and rewrites its files; the packed file is small, does not change and is hashed once, and each
reader unpacks its own copy. The log of updates is left out, as all updates are flushed into segments before.
"""

from __future__ import annotations

import shutil
import tarfile
from typing import TYPE_CHECKING

import qdrant_edge

from indexer.adapters.store.disk import sync
from indexer.adapters.vectors.embedding import finish

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from indexer.adapters.vectors.embedding import Embedded, UnitEmbedder
    from indexer.domain.text.embedding import BuiltVectors, Unit

PACKED = "shard.tar.gz"
SHARD = "shard"
HNSW_FROM_POINTS = 50_000
"""No HNSW graph for fewer vectors: comparing all takes less than 10 ms, while building a graph takes minutes."""
_GZIP_LEVEL = 1


class EdgeVectorBuilder:
    """
    Builds vectors layers without a server.

    The engine holds the global interpreter lock while it works: use it in a process that does nothing else.
    """

    def __init__(self, embedder: UnitEmbedder) -> None:
        self._embedder = embedder

    def build(self, repository: str, core: Path, folder: Path, advance: Callable[[int, int], None]) -> BuiltVectors:  # noqa: ARG002 (a folder belongs to one repository)
        """Embed the planned units of code.db in `core` and write the layer into the empty `folder`."""
        plan = self._embedder.plan(core)
        shard_folder = folder / SHARD
        done: list[Unit] = []
        shard = qdrant_edge.EdgeShard.create(str(shard_folder), _config(self._embedder.dimensions))
        try:
            for embedded in self._embedder.embed(plan.units, advance):
                shard.update(qdrant_edge.UpdateOperation.upsert_points(_points(embedded, len(done))))
                done.extend(embedded.units)
            keyword = qdrant_edge.PayloadSchemaType.Keyword
            shard.update(qdrant_edge.UpdateOperation.create_field_index("kind", keyword))
            if len(done) >= HNSW_FROM_POINTS:
                shard.optimize()
            shard.flush()
        finally:
            shard.close()
        _pack(shard_folder, folder / PACKED)
        return finish(plan, done, self._embedder.model, folder)

    def keep_only(self, repository: str, layers: Sequence[Path]) -> None:
        """Do nothing: a layer's folder is removed with its snapshot."""


def _config(dimensions: int) -> qdrant_edge.EdgeConfig:
    vectors = qdrant_edge.EdgeVectorParams(size=dimensions, distance=qdrant_edge.Distance.Cosine)
    return qdrant_edge.EdgeConfig(vectors=vectors)


def _points(embedded: Embedded, first: int) -> list[qdrant_edge.Point]:
    return [
        qdrant_edge.Point(first + position + 1, vector.tolist(), payload(unit))
        for position, (unit, vector) in enumerate(zip(embedded.units, embedded.vectors, strict=True))
    ]


def payload(unit: Unit) -> dict[str, str | int]:
    """Return the payload of a unit's point, as docs/snapshot-format.md describes it."""
    return {
        "kind": str(unit.kind),
        "row_id": unit.row_id,
        "path": unit.path,
        "qualified_name": unit.qualified_name,
        "start_line": unit.start_line,
        "end_line": unit.end_line,
    }


def _pack(folder: Path, packed: Path) -> None:
    with tarfile.open(packed, "w:gz", compresslevel=_GZIP_LEVEL) as archive:
        archive.add(folder, arcname=SHARD, filter=_without_log)
    sync(packed)
    shutil.rmtree(folder)


def _without_log(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if member.name.startswith(f"{SHARD}/wal/") else member
