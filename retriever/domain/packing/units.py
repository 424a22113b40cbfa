"""Splits a file into units: each outermost function whole, and the lines of classes and modules between them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from retriever.domain.values import Symbol, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})


@dataclass(frozen=True, slots=True)
class Unit:
    """
    Consecutive lines of one file that belong together.

    Args:
        owner: The function that the lines belong to, else the innermost class around them; None outside of both.
    """

    owner: Symbol | None
    span: Span

    @property
    def is_function(self) -> bool:
        """Whether it is a whole function or method."""
        return self.owner is not None and self.owner.kind in _FUNCTIONS

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self.span.end_line - self.span.start_line + 1


def units_of(path: str, symbols: Iterable[Symbol], text: Sequence[str]) -> tuple[Unit, ...]:
    """
    Split a file into units, in order of line.

    A function within another is part of the outer one. What stands before, between and after the functions of a class
    are units of the class; the rest of the file are units without an owner. Blank lines around a unit belong to none.

    Args:
        symbols: Of the file, in any order.
        text: All lines of the file.
    """
    owners: list[Symbol | None] = [None] * (len(text) + 1)
    for symbol in sorted(symbols, key=lambda each: (each.start_line, -each.end_line)):
        if symbol.kind != SymbolKind.CLASS and symbol.kind not in _FUNCTIONS:
            continue
        outer = owners[symbol.start_line] if symbol.start_line <= len(text) else None
        if outer is not None and outer.kind in _FUNCTIONS and symbol.end_line <= outer.end_line:
            continue
        end = min(symbol.end_line, len(text))
        owners[symbol.start_line : end + 1] = [symbol] * (end + 1 - symbol.start_line)
    return tuple(_runs(path, owners, text))


def _runs(path: str, owners: Sequence[Symbol | None], text: Sequence[str]) -> Iterator[Unit]:
    line = 1
    for _, run in groupby(owners[1:], key=id):
        first, last = line, line + sum(1 for _ in run) - 1
        line = last + 1
        while first <= last and not text[first - 1].strip():
            first += 1
        while last > first and not text[last - 1].strip():
            last -= 1
        if first <= last:
            yield Unit(owners[first], Span(path, first, last))
