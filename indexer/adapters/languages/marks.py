"""
Marks the roles of symbols, such as constructor or test, by the table `[symbols]` of a language's `pack.toml`.

  constructors: names of members that make instances, besides the name of the type
  packages: stems of files that stand for their folder; programs: stems of files at which a program starts
  implicit: pattern of names that the language or a runtime calls although no call is written
  begins: pattern of the implicit names at which a flow may begin
  tests: pattern of qualified names that test code of the same file
  structural: pattern in the signature of types that a class implements by having their methods, undeclared
  open: pattern in the signature of types that are made to be extended
  name_first: parameters have their name before their type, without a colon between
  apart: whether methods of a type may stand outside of it, in other files of its folder too
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from indexer.adapters.languages.packs import read_pack
from indexer.domain.model import FactKind, SymbolKind, SymbolMark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.domain.model import Fact, ParsedFile, SymbolDef

_NEVER = re.compile(r"(?!)")
_RECEIVERS = ("self", "cls", "this")
_WITH_COLON = re.compile(r"(\w+)\??\s*:[\s'\"&*]*(?:mut\s+|dyn\s+)?([\w.:]+)")
_NAME_FIRST = re.compile(r"(\w+)\s+[*&\[\]]*([\w.]+)\s*[,)]")
_TYPE_FIRST = re.compile(r"([\w.:]+)(?:<[^<>]*>)?[\s&*]+(\w+)\s*[,)=]")


class _Marks:
    """
    The table of one pack.

    Args:
        table: Its keys and values.
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._table = table
        self._patterns = {key: re.compile(value) for key, value in table.items() if isinstance(value, str)}

    def has_flag(self, key: str) -> bool:
        """Return whether a flag is set."""
        return self._table.get(key) is True

    def _lists(self, key: str, name: str) -> bool:
        return name in self._table.get(key, ())

    def of(self, symbol: SymbolDef, symbols: Sequence[SymbolDef], stem: str) -> int:
        """Return the marks of one symbol of a file with this stem."""
        marks = [mark for mark, holds in self._of_kind(symbol, symbols, stem) if holds]
        if self._fits("tests", symbol.qualified_name):
            marks.append(SymbolMark.TEST)
        return sum(marks)

    def _of_kind(self, symbol: SymbolDef, symbols: Sequence[SymbolDef], stem: str) -> Iterator[tuple[SymbolMark, bool]]:
        if symbol.kind == SymbolKind.MODULE:
            yield SymbolMark.PACKAGE, self._lists("packages", stem)
            yield SymbolMark.BEGINS, self._lists("programs", stem)
        elif symbol.kind == SymbolKind.CLASS:
            yield SymbolMark.APART, self.has_flag("apart")
            yield SymbolMark.STRUCTURAL, self._has("structural", symbol.signature)
            yield SymbolMark.OPEN, self._has("open", symbol.signature)
        elif symbol.kind != SymbolKind.VARIABLE:
            around = symbols[symbol.parent]
            makes = self._lists("constructors", symbol.name) or symbol.name == around.name
            yield SymbolMark.CONSTRUCTOR, around.kind == SymbolKind.CLASS and makes
            is_implicit = self._fits("implicit", symbol.name)
            yield SymbolMark.IMPLICIT, is_implicit
            yield SymbolMark.BEGINS, is_implicit and self._fits("begins", symbol.name)

    def _fits(self, key: str, name: str) -> bool:
        return self._patterns.get(key, _NEVER).fullmatch(name) is not None

    def _has(self, key: str, signature: str) -> bool:
        return self._patterns.get(key, _NEVER).search(signature) is not None


def with_marks(language: str, path: str, parsed: ParsedFile) -> ParsedFile:
    """Return a file with the marks of its symbols, and with the types of the objects that its bodies change."""
    table = _table(language)
    if table is None:
        return parsed
    parsed = _with_holders(parsed, name_first=table.has_flag("name_first"))
    stem = path.rpartition("/")[2].partition(".")[0]
    marked = [(symbol, table.of(symbol, parsed.symbols, stem)) for symbol in parsed.symbols]
    if not any(marks for _, marks in marked):
        return parsed
    return replace(parsed, symbols=tuple(replace(each, marks=marks) if marks else each for each, marks in marked))


@cache
def _table(language: str) -> _Marks | None:
    table = read_pack(language).get("symbols")
    return _Marks(table) if table else None


def _with_holders(parsed: ParsedFile, *, name_first: bool) -> ParsedFile:
    """
    Return a file whose MUTATES facts have as detail the type of the object that holds the attribute, if known.

    Args:
        name_first: Parameters have their name before their type, without a colon between.
    """
    types: dict[int, dict[str, str]] = {}

    def completed(fact: Fact) -> Fact:
        holder = fact.value.rpartition(".")[0].rpartition(".")[2] if fact.kind == FactKind.MUTATES else ""
        if not holder:
            return fact
        if holder in _RECEIVERS:
            return replace(fact, detail=_class_around(parsed.symbols, fact.symbol))
        if fact.symbol not in types:
            types[fact.symbol] = _parameters(parsed.symbols[fact.symbol].signature, name_first=name_first)
        return replace(fact, detail=types[fact.symbol].get(holder, ""))

    return replace(parsed, facts=tuple(map(completed, parsed.facts)))


def _class_around(symbols: Sequence[SymbolDef], position: int) -> str:
    while position > 0 and symbols[position].kind != SymbolKind.CLASS:
        position = symbols[position].parent
    return symbols[position].name if position > 0 else ""


def _parameters(signature: str, *, name_first: bool) -> dict[str, str]:
    """Return the types of parameters by name, each without its namespaces."""
    found = _WITH_COLON.findall(signature)
    if not found:
        pairs = (_NAME_FIRST if name_first else _TYPE_FIRST).findall(signature)
        found = pairs if name_first else [(name, kind) for kind, name in pairs]
    return {name: kind.replace("::", ".").rpartition(".")[2] for name, kind in found}
