"""Matches symbols of an edited file with those before the edit, and finds the unchanged ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from indexer.domain.model import SymbolKind
from indexer.domain.snapshots.canonical import symbol_identities

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.domain.model import SymbolDef
    from indexer.domain.provisional.published import PublishedSymbol


class _Spanning(Protocol):
    @property
    def kind(self) -> SymbolKind: ...
    @property
    def start_line(self) -> int: ...
    @property
    def end_line(self) -> int: ...


def number_symbols(
    before: Sequence[PublishedSymbol], after: Sequence[SymbolDef], free: Iterator[int]
) -> tuple[int, ...]:
    """
    Return the id of each symbol of an edited file: its published id, or the next free one for a new symbol.

    Symbols are matched by qualified name and by position among the symbols of the same qualified name.

    Args:
        before: Published symbols, in order of id.
        free: Unused ids, ascending.
    """
    return tuple(next(free) if known is None else known for known in known_symbols(before, after))


def known_symbols(before: Sequence[PublishedSymbol], after: Sequence[SymbolDef]) -> tuple[int | None, ...]:
    """Return the published id of each symbol, None for those that are not published; `before` in order of id."""
    known = dict(zip(symbol_identities(before), (each.id for each in before), strict=True))
    return tuple(known.get(name) for name in symbol_identities(after))


@dataclass(frozen=True, slots=True)
class Untouched:
    """
    The parts of a file that an edit did not change.

    Args:
        ids: Ids of symbols whose own lines have the same text as before, at any line numbers. Lines of members are not
            a symbol's own.
        lines: New line number by old line number, for the lines of these symbols.
    """

    ids: frozenset[int]
    lines: Mapping[int, int]


def untouched(
    before: Sequence[PublishedSymbol], old_text: str, after: Sequence[SymbolDef], ids: Sequence[int], new_text: str
) -> Untouched:
    """Compare the own lines of the symbols of a file before and after an edit; blank lines do not count."""
    old, new = _own_lines(before, old_text), _own_lines(after, new_text)
    place = {each.id: position for position, each in enumerate(before)}
    same: set[int] = set()
    lines: dict[int, int] = {}
    for position, symbol_id in enumerate(ids):
        was = place.get(symbol_id)
        if was is None or before[was].kind != after[position].kind or after[position].kind == SymbolKind.VARIABLE:
            continue
        if [text for _, text in old[was]] == [text for _, text in new[position]]:
            same.add(symbol_id)
            lines.update((one, other) for (one, _), (other, _) in zip(old[was], new[position], strict=True))
    return Untouched(frozenset(same), lines)


def _own_lines(symbols: Sequence[_Spanning], text: str) -> list[list[tuple[int, str]]]:
    """Return (number, text) of each symbol's own lines: a line belongs to the innermost symbol that is no variable."""
    lines = text.split("\n")
    owner = [-1] * (len(lines) + 1)
    inner_last = sorted(range(len(symbols)), key=lambda at: (symbols[at].start_line, -symbols[at].end_line))
    for position in inner_last:
        symbol = symbols[position]
        if symbol.kind != SymbolKind.VARIABLE:
            end = min(symbol.end_line, len(lines))
            owner[symbol.start_line : end + 1] = [position] * max(0, end - symbol.start_line + 1)
    found: list[list[tuple[int, str]]] = [[] for _ in symbols]
    for number, line in enumerate(lines, 1):
        if owner[number] >= 0 and line.strip():
            found[owner[number]].append((number, line))
    return found
