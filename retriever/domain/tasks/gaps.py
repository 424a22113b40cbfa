"""Gaps: what is missing from the evidence, and how the search for it can end."""

from __future__ import annotations

import builtins
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapSupply
from retriever.domain.questions.names import (
    Name,
    file_named,
    likely_names,
    marked_names,
    parse,
    paths_in_text,
    quoted_names,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from common.core.contract.evidence import Gap, GapOutcome, Occurrence, Span
    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Symbol

_NEAR = 3
"""Most names in a hint."""
_SHORT = 8
"""Most words of a description in which names are looked for without quotation marks."""
_FEW = 5
"""Most words of a description that asks only for the name in it."""
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True)
class Wanted:
    """
    A gap with what it asks for.

    Args:
        name: The symbol that is asked for; None if the gap names none.
        path: The file that is asked for, or in which the symbol is; "" if the gap names none.
        is_sure: The name was given or marked as one; otherwise a word of the description only looks like a name.
        mention: The one name in a description that asks for something else.
    """

    gap: Gap
    name: Name | None
    path: str
    is_sure: bool = True
    mention: Name | None = None

    @property
    def file(self) -> str:
        """The file that may be all that is asked for; "" if a symbol is."""
        return self.path if self.name is None else self.name.file


@dataclass(frozen=True, slots=True)
class Place:
    """
    Lines of a file that are asked for, or that contain a text that is asked for.

    Args:
        symbol: The definition that they are shown as a part of; None for none.
    """

    path: str
    lines: tuple[int, ...]
    symbol: Symbol | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """
    The result of the search for a gap, before evidence is made of it.

    Args:
        step: The step that decided: lines, text, users, symbol_in_file, file, symbol, error, semantic.
        detail: One sentence for a person.
        symbols: The match if RESOLVED, or the candidates if AMBIGUOUS, best first.
        span: What to show where the match is a place and no symbol.
        occurrence: What the name is in the code, where no definition has it and that is the match.
        alike: Names of definitions that are spelled nearly alike, if it is ABSENT.
        lists: Lists shown beside or in place of source: users of a thing, places of a text.
        places: Lines that are shown first, then widened; they replace symbols and span.
        most: Tokens that one piece of source may take; 0 where the budget of the gap is the only bound.
        supply: How much of the match is supplied as evidence.
    """

    outcome: GapOutcome
    step: str
    detail: str
    symbols: tuple[Symbol, ...] = ()
    span: Span | None = None
    occurrence: Occurrence | None = None
    alike: tuple[str, ...] = ()
    lists: tuple[Draft, ...] = ()
    places: tuple[Place, ...] = ()
    most: int = 0
    supply: GapSupply = GapSupply.UNSPECIFIED


def read_gap(gap: Gap) -> Wanted:
    """
    Return what a gap asks for: its symbol and file if they are given, else the names that its description marks.

    If a description marks no name or several, none is taken. Nor is an unquoted name in a description of more than five
    words: the name is then only a part of what is described ("make a Session of the given options"). A camel-case word
    among a few words is taken, but not as sure: it counts if the repository has it.
    """
    given = parse(gap.symbol)
    file = file_named(gap.path)
    if given:
        return Wanted(gap, given if given.parts else None, file or given.path)
    if file:
        return Wanted(gap, None, file)
    text = f"{gap.symbol} {gap.description}"
    whole = parse(text)
    if whole:
        return Wanted(gap, whole if whole.parts else None, whole.path)
    words = len(text.split())
    quoted = quoted_names(text)
    marked = quoted or (marked_names(text) if words <= _SHORT else ())
    likely = marked or (likely_names(text) if words <= _SHORT else ())
    name = likely[0] if len(likely) == 1 else None
    paths = paths_in_text(text)
    path = name.path if name and name.path else paths[0] if len(paths) == 1 else ""
    if words > _FEW and not quoted:
        return Wanted(gap, None, path, is_sure=not likely, mention=name)
    return Wanted(gap, name, path, is_sure=not likely or bool(marked))


def is_external(name: Name, external_names: Collection[str], own_roots: Collection[str]) -> bool:
    """
    Return whether a name is known to be defined outside the repository.

    This holds for a dotted name in a package that the code imports from outside or that belongs to Python's standard
    library, for a simple name that the code takes from outside, and for Python's built-in names. If the repository's
    own modules begin with the same part (`org` in Java), it holds only for prefixes of names that the code imports.

    Args:
        external_names: Dotted names behind external imports and calls; packages of Go and Node.js with `/` and `:`.
        own_roots: First parts of the repository's own modules.
    """
    if name.parts[0] in own_roots:
        below = name.dotted + "."
        return len(name.parts) > 1 and any((_dotted(known) + ".").startswith(below) for known in external_names)
    if name.parts[0] in sys.stdlib_module_names and len(name.parts) > 1:
        return True
    if name.dotted in _BUILTINS or (len(name.parts) == 2 and name.parts[0] in _BUILTINS):
        return True
    return any(external_names_of(name, external_names))


def external_names_of(name: Name, external_names: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Yield, in parts, the names known from imports that contain a name, or whose package it begins with."""
    dotted, root = f".{name.dotted}", name.parts[0]
    for known in external_names:
        whole = f".{_dotted(known)}"
        is_simple = len(name.parts) == 1
        if whole.endswith(dotted) if is_simple else f"{dotted}." in f"{whole}." or _package(known) == root:
            yield tuple(filter(None, whole.split(".")))


def _dotted(known: str) -> str:
    return known.replace("/", ".").replace(":", ".")


def _package(known: str) -> str:
    """Return the name that code uses for a package: the first part of a dotted name, the last part of a path."""
    return known.rpartition("/")[2].rpartition(":")[2].partition(".")[0]


def near_names(last: str, known: Sequence[str]) -> tuple[str, ...]:
    """Return up to three names that differ from one only in case or underscores, for a hint; they are no matches."""
    folded = last.replace("_", "").lower()
    return tuple(dict.fromkeys(each for each in known if each.replace("_", "").lower() == folded))[:_NEAR]
