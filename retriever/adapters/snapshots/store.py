"""Serves snapshots from the data folder: each is verified and opened once, and closed when long unused."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import OrderedDict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import structlog

from common.core.contract.snapshot import LayerKind
from common.core.runtime.concurrency import acquire_in_thread, detached_from_call
from common.stores.sqlite import is_damage
from retriever.adapters.snapshots.folder import LayerDamaged, SnapshotFolder, is_snapshot_id, verify
from retriever.adapters.snapshots.opening import open_snapshot
from retriever.domain.errors import SnapshotDamaged, SnapshotNotFound, SnapshotUnsupported

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from datetime import datetime
    from pathlib import Path

    from retriever.adapters.snapshots.folder import Layer
    from retriever.adapters.snapshots.leases import Leases
    from retriever.adapters.snapshots.opening import LayerOpeners, OpenSnapshot
    from retriever.domain.values import SnapshotInfo
    from retriever.ports import Snapshot

_LOG = structlog.get_logger(__name__)


@dataclass
class _Entry:
    """
    An open snapshot, the number of answers that read it now, and the lock held while it is opened.

    Args:
        is_forgotten: Its repository was removed while it was read: it is closed when its last reader is done, and is
            served until then only if its set exists.
        problem: The error of its database once that proved to be damaged; else "".
    """

    users: int = 0
    opened: OpenSnapshot | None = None
    is_forgotten: bool = False
    problem: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)


class FolderSnapshots:
    """
    Implements the port over `<data>/repositories`.

    `CURRENT` is read at every call, so a new set is served at once. A layer is hashed before it is served for the
    first time; one that differs from its manifest is not used again by this process. If it is the core, the latest
    other set is served instead, unless the caller asked for the damaged one by id.

    Args:
        root: `<data>/repositories`.
        openers: Open the layers whose format other packages know.
        leases: Show the indexer which snapshots are in use.
        keep_open: Snapshots kept open when nobody reads them; the least recently used is closed first.
        on_failure: Called with "damaged" for each damaged layer.
        renew: Fetches a damaged layer of a repository again, or raises LayerDamaged; None if it cannot be fetched.
    """

    def __init__(
        self,
        root: Path,
        openers: LayerOpeners,
        leases: Leases,
        *,
        keep_open: int,
        on_failure: Callable[[str], None],
        renew: Callable[[str, Layer], None] | None = None,
    ) -> None:
        self._root = root
        self._openers = openers
        self._leases = leases
        self._keep_open = keep_open
        self._on_failure = on_failure
        self._renew = renew
        self._lock = threading.Lock()
        self._entries: OrderedDict[tuple[str, str], _Entry] = OrderedDict()
        self._quarantine: dict[tuple[object, ...], str] = {}

    @asynccontextmanager
    async def open(self, repository: str, snapshot_id: str) -> AsyncIterator[Snapshot]:
        """
        Open a snapshot for as long as the context lasts; without an id the one that `CURRENT` names now.

        Raises SnapshotDamaged, also if the damage shows only while the snapshot is read; later calls get another one.
        """
        key, snapshot = await acquire_in_thread(lambda: self._acquire(repository, snapshot_id), self._let_go)
        try:
            yield snapshot
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            await asyncio.shield(asyncio.to_thread(self._put_away, key, str(error)))
            raise SnapshotDamaged.of(repository, key[1], str(error)) from error
        finally:
            await asyncio.shield(asyncio.to_thread(self._release, key))

    async def at_revision(self, repository: str, revision: str) -> str:
        """
        Return the latest snapshot of a commit, or the revision itself if it is a snapshot id; "" stays "".

        One of a working tree that differed from the commit counts only where there is no other.
        """
        return await asyncio.to_thread(self._at_revision, repository, revision)

    def _at_revision(self, repository: str, revision: str) -> str:
        folder = SnapshotFolder(self._root, repository)
        if not revision or is_snapshot_id(revision):
            return revision
        found = (folder.read_set(snapshot_id).info for snapshot_id in folder.earlier_sets(than=""))
        same = sorted((each for each in found if each.commit == revision), key=lambda each: each.dirty)
        if not same:
            raise SnapshotNotFound.of(repository, revision)
        return same[0].snapshot_id

    async def forget_repository(self, repository: str, before: datetime) -> None:  # noqa: ARG002 (the port's)
        """Close the open snapshots of a repository, those in use once they are released; they reopen on demand."""
        await asyncio.to_thread(self._forget, repository)

    def drop(self, repository: str, snapshot_id: str) -> bool:
        """Close an unused snapshot; return whether it is closed now."""
        with self._lock:
            entry = self._entries.get((repository, snapshot_id))
            if entry is not None and entry.users > 0:
                return False
            self._entries.pop((repository, snapshot_id), None)
        if entry is not None and entry.opened:
            entry.opened.close()
        return True

    def close(self) -> None:
        """Close everything; nothing may be read any more."""
        with self._lock:
            entries = list(self._entries.values())
            self._entries.clear()
        for entry in entries:
            if entry.opened:
                entry.opened.close()

    def _forget(self, repository: str) -> None:
        with self._lock:
            own = [(key, entry) for key, entry in self._entries.items() if key[0] == repository]
            for _, entry in own:
                entry.is_forgotten = True
            closing = [self._entries.pop(key) for key, entry in own if entry.users == 0]
        for entry in closing:
            if entry.opened:
                entry.opened.close()

    def _acquire(self, repository: str, snapshot_id: str) -> tuple[tuple[str, str], Snapshot]:
        folder = SnapshotFolder(self._root, repository)
        if snapshot_id:
            return self._served(folder, repository, snapshot_id)
        current = ""
        try:
            current = folder.current()
            return self._served(folder, repository, current)
        except (SnapshotDamaged, SnapshotNotFound, SnapshotUnsupported) as problem:
            if current and folder.current() != current:  # replaced meanwhile, and collected before it was leased
                return self._acquire(repository, "")
            if isinstance(problem, SnapshotNotFound):  # the set that CURRENT names is missing
                problem = SnapshotDamaged.of(repository, current, "its set is missing")
            key, snapshot = self._served_instead(folder, repository, current, problem)
            why = "of a format that is not known here" if isinstance(problem, SnapshotUnsupported) else "damaged"
            note = f"snapshot {current[:12] or 'that is current'}: {why}, an earlier one was read"
            return key, replace(snapshot, notes=(*snapshot.notes, note))

    def _served_instead(
        self, folder: SnapshotFolder, repository: str, current: str, problem: SnapshotDamaged | SnapshotUnsupported
    ) -> tuple[tuple[str, str], Snapshot]:
        for other in folder.earlier_sets(than=current):
            try:
                return self._served(folder, repository, other)
            except (SnapshotDamaged, SnapshotNotFound, SnapshotUnsupported):
                continue
        raise problem

    def _served(self, folder: SnapshotFolder, repository: str, snapshot_id: str) -> tuple[tuple[str, str], Snapshot]:
        key = (repository, snapshot_id)
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            entry.users += 1
        try:
            with entry.lock:
                if entry.problem:
                    raise SnapshotDamaged.of(repository, snapshot_id, entry.problem)
                if entry.opened is None:
                    folder.require_set(snapshot_id)  # an unknown id gets no lease, in file or memory
                self._leases.hold(folder.path, snapshot_id)  # before loading: the indexer may collect it
                if entry.opened is None:
                    with detached_from_call():
                        entry.opened = self._load(folder, repository, snapshot_id)
                elif entry.is_forgotten:
                    folder.read_set(snapshot_id)
        except BaseException:
            self._release(key)
            raise
        return key, entry.opened.snapshot

    def _put_away(self, key: tuple[str, str], problem: str) -> None:
        """Stop serving a snapshot whose core was intact when it was opened and is damaged now."""
        core = SnapshotFolder(self._root, key[0]).read_set(key[1]).layer(LayerKind.CORE)
        with self._lock:
            entry = self._entries.get(key)
            is_news = entry is not None and not entry.problem
            if entry is not None:
                entry.problem, entry.is_forgotten = problem, True
        if core is not None:
            self._quarantine[_copy(core)] = problem
        if is_news:
            _LOG.error("snapshot.quarantined", snapshot_id=key[1], layer="core", problem=problem)
            self._on_failure("damaged")

    def _load(self, folder: SnapshotFolder, repository: str, snapshot_id: str) -> OpenSnapshot:
        found = folder.read_set(snapshot_id)
        for layer in found.layers:
            copy = _copy(layer)
            problem = self._quarantine.get(copy) or self._damage(found.info, layer)
            if not problem:
                continue
            self._quarantine[copy] = problem
            if layer.kind == LayerKind.CORE:
                raise SnapshotDamaged.of(repository, snapshot_id, problem)
            found = replace(found, layers=tuple(each for each in found.layers if each != layer))
        opened = open_snapshot(found, self._openers)
        _LOG.info("snapshot.opened", snapshot_id=snapshot_id, layers=list(opened.snapshot.info.layers))
        if opened.snapshot.metadata is None:
            _LOG.info("snapshot.without_metadata", snapshot_id=snapshot_id)
        return opened

    def _damage(self, info: SnapshotInfo, layer: Layer) -> str:
        """Return what is wrong with the files of a layer, "" if nothing is."""
        try:
            self._verify(info.repository, layer)
        except LayerDamaged as error:
            _LOG.error("snapshot.quarantined", snapshot_id=info.snapshot_id, layer=layer.kind, problem=str(error))
            self._on_failure("damaged")
            return str(error)
        return ""

    def _verify(self, repository: str, layer: Layer) -> None:
        try:
            verify(layer)
        except LayerDamaged:
            if self._renew is None:
                raise
            self._renew(repository, layer)
            verify(layer)

    def _let_go(self, acquired: tuple[tuple[str, str], Snapshot]) -> None:
        asyncio.get_running_loop().run_in_executor(None, self._release, acquired[0])

    def _release(self, key: tuple[str, str]) -> None:
        with self._lock:
            if key in self._entries:
                self._entries[key].users -= 1
            idle = [each for each, entry in self._entries.items() if entry.users == 0]
            spent = [each for each in idle if self._entries[each].opened is None or self._entries[each].is_forgotten]
            kept = [each for each in idle if each not in spent]
            closing = [self._entries.pop(each) for each in spent + kept[: max(0, len(kept) - self._keep_open)]]
        for entry in closing:
            if entry.opened:
                entry.opened.close()


def _copy(layer: Layer) -> tuple[object, ...]:
    """Return the identity of a layer's present folder, which changes if the indexer replaces it by an equal layer."""
    try:
        found = layer.folder.stat()
    except OSError:
        return (layer.folder,)
    return layer.folder, found.st_ino, found.st_mtime_ns
