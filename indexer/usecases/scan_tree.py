"""Reads a source tree and decides what goes into the index; what is known already is not read again."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from indexer.domain.blobs import blob_id
from indexer.domain.jobs import Phase
from indexer.domain.scan import Reading, Scan
from indexer.domain.screening import decode, screen_path, screen_text
from indexer.domain.tree import Entry, Skipped, SkipReason, SourceFile, TextFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.domain.tree import KeptFile
    from indexer.ports import ScanMemory, SourceTree
    from indexer.usecases.phases import Phases


class TreeScanner:
    """
    Scans trees.

    Args:
        memory: What earlier scans read.
        max_file_bytes: Greater files are left out.
    """

    def __init__(self, memory: ScanMemory, max_file_bytes: int) -> None:
        self._memory = memory
        self._max_file_bytes = max_file_bytes

    def scan(self, repository: str, tree: SourceTree, kept: Mapping[str, KeptFile], phases: Phases) -> Scan:
        """
        Return what a tree holds; each file that is left out is counted with its reason.

        Args:
            repository: Whose earlier scans are looked at.
            kept: Files by path whose text need not be read as long as they have these contents.
        """
        known = self._memory.load(repository, tree.commit)
        skipped: list[Skipped] = []
        readings: dict[str, Reading] = {}
        files: dict[str, SourceFile] = {}
        unread: list[Entry] = []
        listing = tree.listing()
        phases.begin(Phase.SCANNING, len(listing.entries))
        for entry in listing.entries:
            reason = screen_path(entry.path, entry.size, self._max_file_bytes)
            reading, file = known.get(entry.path), kept.get(entry.path)
            if reason is not None:
                skipped.append(Skipped(entry.path, reason))
            elif reading is None or reading.stamp != entry.stamp:
                unread.append(entry)
            elif reading.reason is not None:
                readings[entry.path] = reading
            elif file is not None and file.sha256 == reading.sha256:
                readings[entry.path], files[entry.path] = reading, file
            else:
                unread.append(entry)
        phases.advance(len(listing.entries) - len(unread))
        for entry, data in zip(unread, tree.read(unread), strict=True):
            readings[entry.path], text = self._read(entry, data, tree.commit)
            if text is not None:
                files[entry.path] = text
            phases.advance()
        lasting = {path: each for path, each in readings.items() if each.stamp}
        if lasting != known:
            self._memory.save(repository, tree.commit, lasting)
        left_out = (Skipped(path, each.reason) for path, each in readings.items() if each.reason is not None)
        skipped = sorted((*listing.skipped, *skipped, *left_out), key=lambda each: each.path)
        revision = tree.revision({path: each.blob for path, each in readings.items() if each.blob})
        taken = tuple(files[path] for path in sorted(files))
        return Scan(taken, tuple(skipped), listing.ignored, revision, listing.links)

    def _read(self, entry: Entry, data: bytes | None, commit: str) -> tuple[Reading, TextFile | None]:
        if data is None:
            return Reading("", SkipReason.UNREADABLE), None  # it may be another time, with the same stamp
        blob = blob_id(data, commit)
        if len(data) > self._max_file_bytes:
            return Reading(entry.stamp, SkipReason.OVERSIZE, blob=blob), None
        text = decode(data)
        reason = text if isinstance(text, SkipReason) else screen_text(entry.path, text)
        if reason is not None or isinstance(text, SkipReason):
            return Reading(entry.stamp, reason, blob=blob), None
        file = TextFile(entry.path, hashlib.sha256(data).hexdigest(), len(data), text)
        return Reading(entry.stamp, None, file.sha256, file.size, file.lines, blob), file
