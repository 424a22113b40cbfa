"""
What a language takes a definition for, by the table `[symbols]` of its pack `indexer/languages/<name>/pack.toml`.

  constructors: names of members that make instances, besides the name of the type
  implicit: pattern of names that the language or a runtime calls without their being written
  begins: those of them with which a flow may begin
  tests: pattern of qualified names that test code of the same file
  structural: pattern in the signature of types that others have by their methods alone
  apart: methods of a type may stand outside of it, in other files of its folder too
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from indexer.domain.model import SymbolKind, SymbolMark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.model import ParsedFile, SymbolDef

_NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class _Marks:
    """The table of one pack."""

    constructors: frozenset[str]
    implicit: re.Pattern[str]
    begins: re.Pattern[str]
    tests: re.Pattern[str]
    structural: re.Pattern[str]
    apart: bool

    def of(self, symbol: SymbolDef, symbols: Sequence[SymbolDef]) -> SymbolMark:
        """Return the marks of one symbol of a file."""
        marks = SymbolMark(0)
        if symbol.kind == SymbolKind.CLASS:
            marks |= SymbolMark.APART if self.apart else 0
            marks |= SymbolMark.STRUCTURAL if self.structural.search(symbol.signature) else 0
        if symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD):
            around = symbols[symbol.parent]
            if around.kind == SymbolKind.CLASS and (symbol.name in self.constructors or symbol.name == around.name):
                marks |= SymbolMark.CONSTRUCTOR
            if self.implicit.fullmatch(symbol.name):
                marks |= SymbolMark.IMPLICIT
                marks |= SymbolMark.BEGINS if self.begins.fullmatch(symbol.name) else 0
        if self.tests.fullmatch(symbol.qualified_name):
            marks |= SymbolMark.TEST
        return marks


def with_marks(language: str, parsed: ParsedFile) -> ParsedFile:
    """Return a file with the marks of its symbols."""
    table = _table(language)
    marked = [(symbol, table.of(symbol, parsed.symbols)) for symbol in parsed.symbols] if table else []
    if not any(marks for _, marks in marked):
        return parsed
    symbols = tuple(replace(symbol, marks=int(marks)) if marks else symbol for symbol, marks in marked)
    return replace(parsed, symbols=symbols)


@cache
def _table(language: str) -> _Marks | None:
    pack = files("indexer").joinpath("languages", language, "pack.toml")
    table = tomllib.loads(pack.read_text("utf-8")).get("symbols", {}) if pack.is_file() else {}
    keys = ("implicit", "begins", "tests", "structural")
    implicit, begins, tests, structural = (re.compile(table.get(key, _NEVER)) for key in keys)
    constructors = frozenset(table.get("constructors", ()))
    return _Marks(constructors, implicit, begins, tests, structural, apart=table.get("apart", False))
