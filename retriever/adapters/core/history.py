"""History and coverage of a core layer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from common.core.runtime.concurrency import detached_from_call
from common.core.words.word_sets import concatenated, hashes_of, unpack_words
from retriever.domain.values import LeftOut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from retriever.adapters.core.database import Database
    from retriever.adapters.core.files import SqliteFiles


class SqliteHistory:
    """Implements `History`."""

    def __init__(self, database: Database, files: SqliteFiles) -> None:
        self._database = database
        self._files = files

    def co_changed(self, path: str, minimum: int) -> tuple[tuple[str, int], ...]:
        """Return (path, count) of files changed together with this one, most often first."""
        file = self._files.at(path)
        if file is None:
            return ()
        rows = self._database.rows("co_changed", file=file.id, minimum=minimum)
        found = [(self._files.by_id(key).path, int(count)) for key, count in rows]
        return tuple(sorted(found, key=lambda each: (-each[1], each[0])))


class SqliteCoverage:
    """Implements `Coverage`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._sets: _WordSets | None = None
        self._left_out: tuple[LeftOut, ...] | None = None

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return every file whose text is not in the snapshot, in order of path."""
        with self._lock:
            if self._left_out is None:
                has_words = bool(self._database.rows("has_skipped_words"))
                rows = self._database.rows("skipped_and_read" if has_words else "skipped")
                self._left_out = tuple(LeftOut(path, reason, bool(is_read)) for path, reason, is_read in rows)
            return self._left_out

    def may_hold(self, text: str) -> LeftOut | None:
        """Return a left-out file that has the words of a text, else one whose words are unknown; None for neither."""
        files = self.left_out()
        with self._lock, detached_from_call():
            if self._sets is None:
                self._sets = _WordSets(self._database, files)
            return self._sets.may_hold(text)


class _WordSets:
    """The words of all left-out files: sorted hashes, each with the position of its file."""

    def __init__(self, database: Database, files: tuple[LeftOut, ...]) -> None:
        self._files = files
        has_words = bool(database.rows("has_skipped_words"))
        packed = dict(database.rows("skipped_words")) if has_words else {}
        sets = [unpack_words(packed.get(each.path) or b"") for each in files]
        self._hashes = concatenated(sets)
        self._places = np.repeat(np.arange(len(sets), dtype=np.int32), [len(each) for each in sets])
        order = np.argsort(self._hashes, kind="stable")
        self._hashes, self._places = self._hashes[order], self._places[order]
        self._unread = next((each for each in files if not each.is_read), None)

    def may_hold(self, text: str) -> LeftOut | None:
        found: NDArray[np.int32] | None = None
        for each in hashes_of(text):
            first, last = np.searchsorted(self._hashes, each, "left"), np.searchsorted(self._hashes, each, "right")
            held = self._places[first:last]
            found = held if found is None else np.intersect1d(found, held)
        if found is not None and len(found):
            return self._files[int(found.min())]
        return self._unread
