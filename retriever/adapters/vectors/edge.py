"""
Searches vectors layers with the embedded engine.

Opening a shard rewrites files in it, and only one process may open it: so each process unpacks copies of its own, and
removes them at its end.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import shutil
import tarfile
import tempfile
import threading
from collections import OrderedDict
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

import qdrant_edge

from common.core.errors import DependencyUnavailable
from retriever.adapters.vectors.hits import ROOM_FOR_CHUNKS, best_rows, hits_of, nearest_first

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from common.model.embeddings import Vectors as Array
    from retriever.adapters.snapshots.folder import Layer
    from retriever.adapters.vectors.query_embedding import QueryEmbedding
    from retriever.ports import VectorHit

PACKED = "shard.tar.gz"
SHARD = "shard"
_BLOCK = 1 << 16
_OF_BLOCKS = 512
"""Bytes per block in `st_blocks`, independent of the file system's block size."""
_PREFIX = "cgrag-vectors-"
_CLAIM = "claim"
_HINTS = {
    errno.ENOSPC: "; free space on the retriever's disk",
    errno.EROFS: "; the retriever's disk cannot be written",
}


@dataclass
class _Open:
    """A shard, the number of searches that use it now, and the lock held while it is opened."""

    users: int = 0
    shard: qdrant_edge.EdgeShard | None = None
    folder: Path | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def close(self) -> None:
        if self.shard is not None:
            self.shard.close()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


class EdgeShards:
    """
    The open copies of shards.

    Args:
        keep_open: Shards kept open when nobody searches them; the least recently used is closed first.
        folder: Contains a folder for the copies of this process; None means the folder for temporary files.
    """

    def __init__(self, *, keep_open: int, folder: Path | None = None) -> None:
        self._keep_open = keep_open
        self._copies = _Copies(folder)
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, _Open] = OrderedDict()
        with suppress(OSError):  # lexical search works without copies; a search by vectors raises the error
            self._copies.begin()

    @contextmanager
    def using(self, layer: Layer) -> Iterator[qdrant_edge.EdgeShard]:
        """Yield the shard of a layer, opened if necessary. Raises DependencyUnavailable."""
        with self._lock:
            entry = self._entries.setdefault(layer.digest, _Open())
            self._entries.move_to_end(layer.digest)
            entry.users += 1
        try:
            with entry.lock:
                if entry.shard is None:
                    entry.folder, entry.shard = self._load(layer)
            yield entry.shard
        finally:
            self._release(entry)

    def close_unused(self, layer: Layer) -> None:
        """Close a layer's shard and remove its copy unless it is being searched; a later search opens it again."""
        with self._lock:
            entry = self._entries.get(layer.digest)
            if entry is None or entry.users:
                return
            del self._entries[layer.digest]
        entry.close()

    def close(self) -> None:
        """Close all shards and remove the copies; nothing may be searched any more."""
        with self._lock:
            entries = list(self._entries.values())
            self._entries.clear()
        for entry in entries:
            entry.close()
        self._copies.close()

    def _release(self, entry: _Open) -> None:
        with self._lock:
            entry.users -= 1
            unused = [digest for digest, each in self._entries.items() if each.users == 0]
            doomed = [self._entries.pop(digest) for digest in unused[: max(0, len(self._entries) - self._keep_open)]]
        for each in doomed:
            each.close()

    def _load(self, layer: Layer) -> tuple[Path, qdrant_edge.EdgeShard]:
        copy: Path | None = None
        try:
            copy = self._copies.new()
            _unpack(layer.folder / PACKED, copy)
            _require_room(copy)
            return copy, qdrant_edge.EdgeShard.load(str(copy / SHARD))
        except Exception as error:
            if copy is not None:
                shutil.rmtree(copy, ignore_errors=True)
            hint = _HINTS.get(error.errno or 0, "") if isinstance(error, OSError) else ""
            raise DependencyUnavailable(f"the vectors layer cannot be opened{hint}") from error


class _Copies:
    """
    The folder of this process for copies, within one that processes may share.

    Args:
        folder: The folder around it; None means the folder for temporary files.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._home: tempfile.TemporaryDirectory[str] | None = None
        self._claim: IO[str] | None = None

    def begin(self) -> Path:
        """Return the folder; the first call removes leftovers of ended processes and creates it. Raises OSError."""
        with self._lock:
            if self._home is None:
                if self._folder is not None:
                    self._folder.mkdir(parents=True, exist_ok=True)
                    _sweep(self._folder)
                home = tempfile.TemporaryDirectory(prefix=_PREFIX, dir=self._folder)
                # The claim file is locked until this process exits; a later one removes folders whose claim is not.
                # It gets its final name only once it is locked: `_sweep` ignores folders without a file of that name.
                claim = Path(home.name) / f"{_CLAIM}.new"
                self._claim = claim.open("w")
                fcntl.flock(self._claim, fcntl.LOCK_EX)
                claim.rename(claim.with_name(_CLAIM))
                self._home = home
            return Path(self._home.name)

    def new(self) -> Path:
        """Return a new empty folder for a copy. Raises OSError."""
        return Path(tempfile.mkdtemp(dir=self.begin()))

    def close(self) -> None:
        """Remove all copies."""
        if self._claim is not None:
            self._claim.close()
        if self._home is not None:
            self._home.cleanup()


class EdgeVectors:
    """
    The vectors of one snapshot; the shard is opened at the first search.

    Args:
        told: Called after each search with None, or with the error if the shard could not be opened.
    """

    def __init__(
        self,
        shards: EdgeShards,
        layer: Layer,
        embedding: QueryEmbedding,
        told: Callable[[DependencyUnavailable | None], None] = lambda _: None,
    ) -> None:
        self._told = told
        self._shards = shards
        self._layer = layer
        self._embedding = embedding

    async def nearest(self, text: str, *, symbols: int, documents: int) -> tuple[VectorHit, ...]:
        """Embed a text and return its neighbours, nearest first; ties by kind, then id."""
        vector = await self._embedding.vector(text)
        try:
            found = await asyncio.to_thread(self._search, vector, symbols, documents)
        except DependencyUnavailable as error:
            self._told(error)
            raise
        self._told(None)
        return found

    def close(self) -> None:
        """Close the shard, unless another snapshot is searching the same layer."""
        self._shards.close_unused(self._layer)

    def _search(self, vector: Array, symbols: int, documents: int) -> tuple[VectorHit, ...]:
        found: list[VectorHit] = []
        with self._shards.using(self._layer) as shard:
            for kind, limit in (("symbol", symbols), ("doc", documents)):
                if limit > 0:
                    request = qdrant_edge.QueryRequest(
                        limit=limit * ROOM_FOR_CHUNKS[kind],
                        query=qdrant_edge.Query.Nearest(vector.tolist()),
                        filter=_of_kind(kind),
                        with_payload=["row_id"],
                    )
                    rows = ((int((point.payload or {})["row_id"]), point.score) for point in shard.query(request))
                    found.extend(hits_of(kind, best_rows(rows, limit)))
        return nearest_first(found)


def _sweep(folder: Path) -> None:
    """Remove the copies of processes that ended without doing so."""
    for claim in folder.glob(f"{_PREFIX}*/{_CLAIM}"):
        try:
            with claim.open("r+") as opened:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(claim.parent, ignore_errors=True)
        except (BlockingIOError, FileNotFoundError):  # still locked, or already removed by another process
            continue


def _of_kind(kind: str) -> qdrant_edge.Filter:
    return qdrant_edge.Filter(must=[qdrant_edge.FieldCondition("kind", match=qdrant_edge.MatchValue(kind))])


def _unpack(packed: Path, target: Path) -> None:
    """Unpack zeros as holes of sparse files: most of the space that the engine allocates is empty."""
    with tarfile.open(packed) as archive:
        for member in archive:
            path = target / member.name
            if not path.resolve().is_relative_to(target.resolve()):
                raise tarfile.TarError(f"{member.name} leads out of the layer")
            if member.isdir():
                path.mkdir(parents=True, exist_ok=True)
                continue
            content = archive.extractfile(member) if member.isfile() else None
            if content is None:
                continue
            with path.open("wb") as out:
                while block := content.read(_BLOCK):
                    if block.count(0) == len(block):
                        out.seek(len(block), 1)
                    else:
                        out.write(block)
                out.truncate(member.size)


def _require_room(copy: Path) -> None:
    """
    Raise OSError if the disk has no space for data in all the holes of a copy.

    The engine writes through memory-mapped files: if the disk is full then, the process is killed without an error.
    """
    found = [path.stat() for path in copy.rglob("*") if path.is_file()]
    holes = sum(max(0, each.st_size - each.st_blocks * _OF_BLOCKS) for each in found)
    if shutil.disk_usage(copy).free < holes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
