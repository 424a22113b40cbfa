"""Finds parameters of functions that a question names, and what they are if nobody gives them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from common.core.terms import words
from retriever.domain.names import Name, parse
from retriever.domain.parameters import LANGUAGES, Parameter, parameters
from retriever.domain.values import SymbolKind
from retriever.usecases.naming import CONSTRUCTORS, closest, find_symbols, innermost, members

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot

FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)
_SAID_OF_ANY = frozenset({"default", "defaults", "value", "values", "parameter", "argument", "of", "in", "for"})
"""Words of any question for a default, whatever parameters are called so."""
_ASKED = re.compile(r"\b(?:of|for) (?:the )?`?(\w+)", re.IGNORECASE)
_OWNER = re.compile(r"\b(?:of|in|for) (?:the )?(?:class )?`?([A-Z]\w*)")
"""Types of one word, which only an index can tell from other words."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A parameter of a function, and the line that declares it."""

    function: Symbol
    parameter: Parameter
    line: int


def declared_parameters(snapshot: Snapshot, question: str, named: Sequence[str]) -> list[Declared]:
    """
    Return the parameters that a question says of functions it names, or of members of classes; by path and line.

    Args:
        named: What the question names; `Pool.take.timeout` says function and parameter at once.
    """
    said = (frozenset(words(question)) - _SAID_OF_ANY) | frozenset(_ASKED.findall(question))
    named = tuple(dict.fromkeys((*named, *_OWNER.findall(question))))
    found: dict[tuple[str, int], Declared] = {}
    for name in filter(None, map(parse, named)):
        pairs = [(name, said - set(name.parts))]
        if len(name.parts) > 1:
            pairs.append((Name(name.parts[:-1], name.path), frozenset({name.last})))
        for owner, wanted in pairs:
            for each in _of(snapshot, owner, wanted):
                found.setdefault((each.function.path, each.line), each)
    return [found[key] for key in sorted(found)]


def constructor_parameters(snapshot: Snapshot, name: str) -> list[Declared]:
    """Return the parameters of this name that constructors give a default, tests aside; by path and line."""
    made = (each for written in sorted(CONSTRUCTORS) for each in snapshot.symbols.named(written))
    own = [
        Declared(function, each, _line_of(snapshot, function, each.name))
        for function in made
        if function.name in CONSTRUCTORS and not function.is_test
        for each in parameters(function.signature)
        if each.name == name and each.default
    ]
    return sorted(own, key=lambda each: (each.function.path, each.line))


def parameter_at(symbols: Sequence[Symbol], text: str, line: int) -> Symbol | None:
    """Return the function in whose brackets a line stands, where it declares parameters; None elsewhere."""
    around = innermost(symbols, line)
    if around is None or around.kind not in FUNCTIONS:
        return None
    before = text.split("\n")[around.start_line - 1 : line - 1]
    head = re.compile(rf"(?<![\w$]){re.escape(around.name)}\s*[(<]")
    # Decorators stand above it.
    first = next((place for place, each in enumerate(before) if head.search(each)), len(before))
    depths = list(accumulate(each.count("(") - each.count(")") for each in before[first:]))
    return around if depths and min(depths) > 0 else None


def _of(snapshot: Snapshot, owner: Name, wanted: frozenset[str]) -> Iterator[Declared]:
    for symbol in closest(find_symbols(snapshot, owner), owner):
        file = snapshot.files.at(symbol.path)
        if file is None or file.language not in LANGUAGES:
            continue
        functions = [symbol] if symbol.kind in FUNCTIONS else members(snapshot, symbol)
        for function in functions:
            own = parameters(function.signature) if function.kind in FUNCTIONS else ()
            for each in own:
                if each.name in wanted:
                    yield Declared(function, each, _line_of(snapshot, function, each.name))


def _line_of(snapshot: Snapshot, function: Symbol, name: str) -> int:
    lines = snapshot.files.lines(function.path, function.start_line, function.end_line).split("\n")
    written = re.compile(rf"[(,]\s*{re.escape(name)}(?![\w$])|^\s*{re.escape(name)}(?![\w$])")
    found = (number for number, each in enumerate(lines, function.start_line) if written.search(each))
    return next(found, function.start_line)
