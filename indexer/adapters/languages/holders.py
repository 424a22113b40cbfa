"""Adds to facts about changed attributes the type of the object: the enclosing class, or that of a parameter."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.domain.model import FactKind, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.model import Fact, ParsedFile, SymbolDef

_RECEIVERS = ("self", "cls", "this")
_WITH_COLON = re.compile(r"(\w+)\??\s*:[\s'\"&*]*(?:mut\s+|dyn\s+)?([\w.:]+)")
_NAME_FIRST = re.compile(r"(\w+)\s+[*&\[\]]*([\w.]+)\s*[,)]")
_TYPE_FIRST = re.compile(r"([\w.:]+)(?:<[^<>]*>)?[\s&*]+(\w+)\s*[,)=]")


def with_holders(parsed: ParsedFile, *, name_first: bool) -> ParsedFile:
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
