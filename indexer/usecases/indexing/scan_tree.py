"""Reads a source tree and decides which files are indexed; unchanged files are not read again."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from common.core.words.word_sets import pack_words
from indexer.domain.jobs import Phase
from indexer.domain.source.blobs import blob_id
from indexer.domain.source.notebooks import is_notebook, own_size, without_data
from indexer.domain.source.scan import MAX_WORDS_BYTES, Reading, Scan
from indexer.domain.source.screening import decode, is_private_key, is_secret_path, screen_path, screen_text
from indexer.domain.tree import Entry, Skipped, SkipReason, SourceFile, TextFile, escaped, safe_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.domain.tree import KeptFile
    from indexer.ports import ScanMemory, SourceTree
    from indexer.usecases.jobs.phases import Phases


_MAX_WORDS_BYTES_IN_ALL = 64_000_000
"""Bytes of skipped files that are read, in order of path, only to record their words."""


class TreeScanner:
    """
    Scans trees.

    Args:
        memory: Cache of what earlier scans read.
        max_file_bytes: Larger files are left out.
        secret_files: Index also files that usually hold secrets, such as private keys.
    """

    def __init__(self, memory: ScanMemory, max_file_bytes: int, *, secret_files: bool = False) -> None:
        self._secret_files = secret_files
        self._memory = memory
        self._max_file_bytes = max_file_bytes

    def scan(self, repository: str, tree: SourceTree, kept: Mapping[str, KeptFile], phases: Phases) -> Scan:
        """
        Return the files of a tree that are to be indexed, and those that are left out, each with its reason.

        Args:
            repository: Name of the repository, whose earlier scans are in the cache.
            kept: Published files by path; a file with the same contents is taken from here instead of being read.
        """
        known = self._memory.load(repository, tree.commit)
        skipped: list[Skipped] = []
        readings: dict[str, Reading] = {}
        files: dict[str, SourceFile] = {}
        unread: list[Entry] = []
        listing = tree.listing()
        phases.begin(Phase.SCANNING, len(listing.entries))
        room = _MAX_WORDS_BYTES_IN_ALL
        for entry in listing.entries:
            reason = self._screened(entry)
            reading, file = known.get(entry.path), kept.get(entry.path)
            has_words = reason not in (None, SkipReason.BINARY) and entry.size <= MAX_WORDS_BYTES
            room -= entry.size if has_words else 0
            if reason == SkipReason.BINARY:
                skipped.append(Skipped(_shown(entry.path), reason, b""))
            elif reason is not None and (room < 0 or not has_words):
                skipped.append(Skipped(_shown(entry.path), reason))
            elif reading is None or reading.stamp != entry.stamp or self._is_taken_now(reading):
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
        left_out = (
            Skipped(_shown(path), each.reason, each.words) for path, each in readings.items() if each.reason is not None
        )
        skipped = sorted((*listing.skipped, *skipped, *left_out), key=lambda each: each.path)
        revision = tree.revision({path: each.blob for path, each in readings.items() if each.blob})
        taken = tuple(files[path] for path in sorted(files))
        return Scan(taken, tuple(skipped), listing.ignored, revision, listing.links)

    def _is_taken_now(self, reading: Reading) -> bool:
        """Return whether an earlier scan left a file out for a reason that the settings no longer give."""
        return self._secret_files and reading.reason == SkipReason.SECRET

    def _screened_text(self, path: str, text: str) -> SkipReason | None:
        if not self._secret_files and is_private_key(path, text):
            return SkipReason.SECRET
        return screen_text(path, text)

    def _read(self, entry: Entry, data: bytes | None, commit: str) -> tuple[Reading, TextFile | None]:
        if data is None:
            return Reading("", SkipReason.UNREADABLE), None  # no stamp: read it again next time
        text = decode(data)
        screened = self._screened(entry)
        if screened is not None:
            return Reading(entry.stamp, screened, words=_words(data, text)), None
        blob = blob_id(data, commit)
        size = len(data)
        if is_notebook(entry.path) and isinstance(text, str):
            text, size = without_data(text), own_size(text)
        if size > self._max_file_bytes:
            return Reading(entry.stamp, SkipReason.OVERSIZE, blob=blob, words=_words(data, text)), None
        reason = text if isinstance(text, SkipReason) else self._screened_text(entry.path, text)
        if reason is not None or isinstance(text, SkipReason):
            return Reading(entry.stamp, reason, blob=blob, words=_words(data, text)), None
        file = TextFile(entry.path, hashlib.sha256(data).hexdigest(), len(data), text)
        return Reading(entry.stamp, None, file.sha256, file.size, file.lines, blob), file

    def _screened(self, entry: Entry) -> SkipReason | None:
        if not self._secret_files and is_secret_path(entry.path):
            return SkipReason.SECRET
        return entry.refused or screen_path(entry.path, entry.size, self._max_file_bytes)


def _shown(path: str) -> str:
    return path if safe_path(path) else escaped(path)


def _words(data: bytes, text: str | SkipReason) -> bytes | None:
    """Return the packed words of a file that is left out; None if it is too large for all of its words."""
    if len(data) > MAX_WORDS_BYTES:
        return None
    if text == SkipReason.BINARY:
        return b""
    return pack_words(text.encode() if isinstance(text, str) else data)
