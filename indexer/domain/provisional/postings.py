"""Replaces the postings of edited files in the lexical index; layouts as in docs/snapshot-format.md."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from common.core.words.terms import count_terms
from indexer.domain.snapshots.lexical import Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from indexer.domain.snapshots.lexical import FileTerms

    Ids = NDArray[np.uint32]

_FIELDS = len(Field)


@dataclass
class Added:
    """New units of one level with their uint32 lengths, and for each term the units with their uint8 counts."""

    ids: list[int] = field(default_factory=list)
    lengths: list[bytes] = field(default_factory=list)
    postings: dict[str, list[tuple[int, bytes]]] = field(default_factory=dict)

    def add_unit(self, unit_id: int, lengths: bytes) -> None:
        """Add a unit with its uint32 lengths."""
        self.ids.append(unit_id)
        self.lengths.append(lengths)


def place_terms(terms: FileTerms, file_id: int, symbol_ids: Sequence[int], symbols: Added, files: Added) -> None:
    """Add the counts of one file to `symbols` and `files`, the levels of symbols and of files."""
    width = 4 * _FIELDS
    units = np.frombuffer(terms.units, np.uint32).tolist()
    for number, unit in enumerate(units):
        symbols.add_unit(symbol_ids[unit], terms.unit_lengths[number * width : (number + 1) * width])
    owners = np.frombuffer(terms.posting_units, np.uint32).tolist()
    numbers = np.frombuffer(terms.posting_terms, np.uint32).tolist()
    counts, vocabulary = terms.posting_counts, terms.vocabulary
    for at, (owner, number) in enumerate(zip(owners, numbers, strict=True)):
        posting = (symbol_ids[owner], counts[at * _FIELDS : (at + 1) * _FIELDS])
        symbols.postings.setdefault(vocabulary[number], []).append(posting)
    files.add_unit(file_id, terms.file_lengths)
    for number, term in enumerate(vocabulary):
        posting = (file_id, terms.file_counts[number * _FIELDS : (number + 1) * _FIELDS])
        files.postings.setdefault(term, []).append(posting)


def terms_within(texts: Iterable[str]) -> frozenset[str]:
    """Return all terms under which the lexical index may hold postings for these texts."""
    return frozenset(count_terms("\n".join(texts)))


class Gone:
    """Set of removed ids, with fast tests of whole columns."""

    def __init__(self, ids: Iterable[int]) -> None:
        each = np.fromiter(ids, np.int64)
        self._last = int(each.max(initial=-1)) + 1
        self._first = int(each.min(initial=self._last))
        self._is_gone = np.zeros(self._last + 1, bool)
        self._is_gone[each] = True

    def left(self, ids: Ids) -> NDArray[np.bool_]:
        """Return for each id whether it is not removed."""
        return ~self._is_gone[np.minimum(ids, self._last)]

    def span(self, ascending: memoryview) -> slice:
        """Return the range of an ascending column that holds all removed ids; short, as ids of a file are close."""
        start = bisect_left(ascending, self._first)
        return slice(start, bisect_left(ascending, self._last, start))


def patch_postings(packed: bytes, gone: Gone, added: Sequence[tuple[int, bytes]]) -> bytes:
    """Return the postings of a term without removed units and with the added ones, in ascending order of id."""
    size = len(packed) // (4 + _FIELDS)
    units, rows = [unit for unit, _ in added], b"".join(row for _, row in added)
    column = memoryview(packed)[: 4 * size].cast("I")
    span = gone.span(column)
    counted = packed[4 * size + _FIELDS * span.start : 4 * size + _FIELDS * span.stop]
    if column[span].tolist() == units and counted == rows:
        return packed  # most postings of an edited file are unchanged
    ids = np.frombuffer(packed, np.uint32, size)
    counts = np.frombuffer(packed, np.uint8, offset=4 * size).reshape(size, _FIELDS)
    lost = span.start + np.flatnonzero(~gone.left(ids[span]))
    if ids[lost].tolist() == units and counts[lost].tobytes() == rows:
        return packed  # the same, where ids of unedited files lie within the span
    kept = np.ones(size, bool)
    kept[lost] = False
    ids, counts = ids[kept], counts[kept]
    if added:
        ids = np.concatenate((ids, np.array(units, np.uint32)))
        counts = np.concatenate((counts, np.frombuffer(rows, np.uint8).reshape(-1, _FIELDS)))
        order = np.argsort(ids, kind="stable")
        ids, counts = ids[order], counts[order]
    return ids.tobytes() + counts.tobytes()


def patch_level(packed: tuple[bytes, bytes], gone: Gone, added: Added) -> tuple[bytes, bytes]:
    """Return ids and lengths of a level without removed units and with the added ones, in ascending order of id."""
    ids, lengths = np.frombuffer(packed[0], np.uint32), np.frombuffer(packed[1], np.uint32).reshape(-1, _FIELDS)
    kept = gone.left(ids)
    ids = np.concatenate((ids[kept], np.array(added.ids, np.uint32)))
    new = np.frombuffer(b"".join(added.lengths), np.uint32).reshape(-1, _FIELDS)
    order = np.argsort(ids, kind="stable")
    return ids[order].tobytes(), np.concatenate((lengths[kept], new))[order].tobytes()


def without_files(packed: bytes, gone: Gone) -> bytes:
    """Return a column of uint32 file ids without the removed ones."""
    ids = np.frombuffer(packed, np.uint32)
    return ids[gone.left(ids)].tobytes()
