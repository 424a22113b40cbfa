"""Reads a source tree and decides what goes into the index."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from indexer.domain.jobs import Phase
from indexer.domain.scan import Scan
from indexer.domain.screening import decode, screen_path, screen_text
from indexer.domain.tree import Entry, Skipped, SkipReason, TextFile

if TYPE_CHECKING:
    from indexer.ports import SourceTree
    from indexer.usecases.phases import Phases


def scan_tree(tree: SourceTree, phases: Phases, max_file_bytes: int) -> Scan:
    """Read every file that is worth it; each file that is left out is counted with its reason."""
    listing = tree.listing()
    skipped = list(listing.skipped)
    wanted: list[Entry] = []
    for entry in listing.entries:
        reason = screen_path(entry.path, entry.size, max_file_bytes)
        if reason is None:
            wanted.append(entry)
        else:
            skipped.append(Skipped(entry.path, reason))
    files: list[TextFile] = []
    phases.begin(Phase.SCANNING, len(wanted))
    for entry, data in zip(wanted, tree.read(wanted), strict=True):
        read = _read(entry, data, max_file_bytes)
        if isinstance(read, TextFile):
            files.append(read)
        else:
            skipped.append(Skipped(entry.path, read))
        phases.advance()
    skipped.sort(key=lambda each: each.path)
    return Scan(tuple(files), tuple(skipped), listing.ignored, tree.revision())


def _read(entry: Entry, data: bytes | None, max_file_bytes: int) -> TextFile | SkipReason:
    if data is None:
        return SkipReason.UNREADABLE
    if len(data) > max_file_bytes:
        return SkipReason.OVERSIZE
    text = decode(data)
    if isinstance(text, SkipReason):
        return text
    return screen_text(entry.path, text) or TextFile(entry.path, hashlib.sha256(data).hexdigest(), len(data), text)
