"""One edited file: its symbols and edges before and after, with the ids that they have in the core layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.domain.model import EdgeRow, SymbolKind
from indexer.domain.provisional.symbols import Untouched, number_symbols, untouched

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.domain.model import SymbolDef
    from indexer.domain.provisional.published import PublishedSymbol
    from indexer.domain.snapshots.core import IndexedFile


@dataclass(frozen=True, slots=True)
class EditedFile:
    """
    A file before and after an edit.

    Args:
        before: Its published symbols, in order of id; none if the file is new.
        edges: Published edges that start in it.
        after: The file after the edit; None if it was removed.
        ids: Ids of its symbols after the edit.
        same: Symbols and lines that the edit did not change.
    """

    file_id: int
    path: str
    before: tuple[PublishedSymbol, ...]
    edges: tuple[EdgeRow, ...]
    after: IndexedFile | None
    ids: tuple[int, ...]
    same: Untouched

    @property
    def gone(self) -> tuple[int, ...]:
        """Return the ids of the symbols that the edit removed."""
        return tuple(sorted({each.id for each in self.before} - {*self.ids}))

    @property
    def changed(self) -> tuple[int, ...]:
        """Return the ids of changed and new symbols, except variables."""
        if self.after is None or self.after.parsed is None:
            return ()
        symbols = zip(self.ids, self.after.parsed.symbols, strict=True)
        return tuple(at for at, each in symbols if each.kind != SymbolKind.VARIABLE and at not in self.same.ids)


def compare_file(
    file_id: int,
    path: str,
    before: tuple[PublishedSymbol, ...],
    edges: tuple[EdgeRow, ...],
    old_text: str,
    after: IndexedFile | None,
    free: Iterator[int],
) -> EditedFile:
    """Compare a file with its published state; new symbols get the next ids of `free`."""
    symbols: Sequence[SymbolDef] = after.parsed.symbols if after is not None and after.parsed is not None else ()
    ids = number_symbols(before, symbols, free)
    new_text = after.source.text if after is not None else ""
    same = untouched(before, old_text, symbols, ids, new_text)
    return EditedFile(file_id, path, before, edges, after, ids, same)
