"""Symbols of a core layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retriever.adapters.core.database import as_list, by_number
from retriever.domain.values import Symbol, SymbolKind, SymbolMark

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.adapters.core.database import Database
    from retriever.adapters.core.files import SqliteFiles

_KEPT = 2048
"""Most cached symbols: those that much of the code calls are read for many questions."""
_KEPT_FILES = 64
"""Most files whose symbols are cached: one question reads the symbols of a file several times."""
_KEPT_OF_ONE = 512
"""Most symbols of a read that is cached: a longer one is a listing, which would displace everything else."""

_KIND = by_number(SymbolKind)


class SqliteSymbols:
    """Implements `Symbols`; paths and modules come from the list of files."""

    def __init__(self, database: Database, files: SqliteFiles) -> None:
        self._database = database
        self._files = files
        self._kept: dict[int, Symbol] = {}
        self._files_kept: dict[str, tuple[Symbol, ...]] = {}

    def get(self, ids: Sequence[int]) -> tuple[Symbol, ...]:
        """Return the symbols of these ids in the order asked."""
        kept = self._kept
        found = {each: kept[each] for each in ids if each in kept}
        missing = [each for each in ids if each not in found]
        if missing:
            read = {row[0]: self._symbol(row) for row in self._database.rows("symbols_by_id", ids=as_list(missing))}
            found |= read
            self._keep(read)
        return tuple(found[each] for each in ids if each in found)

    def _keep(self, read: Mapping[int, Symbol]) -> None:
        if len(read) > _KEPT_OF_ONE:
            return
        if len(self._kept) + len(read) > _KEPT:  # readers continue with the previous cache
            self._kept = {}
        self._kept.update(read)

    def named(self, name: str) -> tuple[Symbol, ...]:
        """Return symbols with this simple name, exact case first, then by path and line."""
        rows = self._database.rows("symbols_by_name", name=name)
        symbols = (self._symbol(row) for row in rows)
        return tuple(sorted(symbols, key=lambda each: (each.name != name, each.path, each.start_line, each.id)))

    def in_file(self, path: str) -> tuple[Symbol, ...]:
        """Return the symbols of a file in order of start line, its module first."""
        kept = self._files_kept.get(path)
        if kept is not None:
            return kept
        file = self._files.at(path)
        if file is None:
            return ()
        found = tuple(self._symbol(row) for row in self._database.rows("symbols_by_file", file=file.id))
        if len(self._files_kept) >= _KEPT_FILES:  # readers continue with the previous cache
            self._files_kept = {}
        if len(found) <= _KEPT_OF_ONE:
            self._files_kept[path] = found
        return found

    def _symbol(self, row: tuple[Any, ...]) -> Symbol:
        key, file_id, parent, kind, name, qualified, start, end, signature, doc, decorators, public, marks = row
        file = self._files.by_id(file_id)
        return Symbol(
            id=key,
            file_id=file_id,
            parent_id=parent,
            kind=_KIND[kind],
            path=file.path,
            module=file.module,
            language=file.language,
            is_test=file.is_test or bool(marks & SymbolMark.TEST),
            name=name,
            qualified_name=qualified,
            start_line=start,
            end_line=end,
            signature=signature,
            docstring=doc,
            decorators=tuple(decorators.split("\n")) if decorators else (),
            is_public=bool(public),
            marks=marks,
            role=file.role,
        )
