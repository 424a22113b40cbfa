"""Finds where code has a name that no definition bears, and names that are spelled nearly alike."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from common.core.terms import count_terms, terms_of
from retriever.domain.gaps import GapOutcome, Match
from retriever.domain.mentions_in_code import WORDS, Mention, MentionKind, Occurrence, is_parameter, mentions
from retriever.domain.names import Name, path_matches
from retriever.domain.text_places import ASIDE as ASIDE
from retriever.domain.text_places import lines_with
from retriever.domain.values import Span, Symbol, SymbolKind
from retriever.usecases.naming import bases, enclosing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retriever.domain.values import File
    from retriever.ports import Snapshot

_FILES = 40
"""Files that are read for one name: those that have it most often."""
_OWNERS = 3
"""Classes of one name that are looked into."""
_HITS = 200
"""Lines that are looked at for one in a certain file."""
_AROUND = 2
_ALIKE = 0.85
"""Share of letters that two spellings of one name have in common."""
_HINTS = 3
_LEAST_LETTERS = 4


def occurrence(snapshot: Snapshot, name: Name, question: str) -> Match | None:
    """
    Return where code has a name that is no definition; None if it does not.

    Examples of use come last. A parameter goes before what is set, that before what is only used; of equals the place
    whose names share most words with the question, then the first by path and line.
    """
    owner = name.parts[-2] if len(name.parts) > 1 else ""
    asked = set(count_terms(question)) - set(terms_of(name.last))
    best: tuple[tuple[bool, int, int], File, Mention, Symbol | None] | None = None
    for file in files_with(snapshot, name.last):
        for mention, around in _mentions_in(snapshot, file, owner, name.last):
            told = f"{file.path} {around.qualified_name if around else ''}"
            order = (ASIDE.search(file.path) is not None, int(mention.kind), -len(asked & set(count_terms(told))))
            if best is None or order < best[0]:
                best = (order, file, mention, around)
    return _match(name.dotted, *best[1:]) if best else None


def occurrence_within(snapshot: Snapshot, name: Name, owners: Sequence[Symbol]) -> Match | None:
    """
    Return where a class, or what it inherits from, has a name that is no definition: an attribute that it sets, say.

    What is set goes before what is only read; comments and documentation do not count.
    """
    for owner in [each for each in owners if each.kind == SymbolKind.CLASS][:_OWNERS]:
        found: list[tuple[MentionKind, int, Symbol, int]] = []
        for distance, each in enumerate((owner, *bases(snapshot, owner))):
            text = snapshot.files.lines(each.path, each.start_line, each.end_line)
            told = mentions(text, "", name.last)
            found += [(mention.kind, distance, each, mention.line + each.start_line - 1) for mention in told]
        if found:
            kind, _, holder, line = min(found, key=lambda each: (each[0], each[1], each[3]))
            file = snapshot.files.at(holder.path)
            around = enclosing(snapshot, holder.path, line)
            return _match(name.dotted, file, Mention(kind, line), around) if file else None
    return None


def text_occurrence(snapshot: Snapshot, text: str, *, path: str = "", beside: str = "") -> Match | None:
    """
    Return where a text stands in any file; None if it stands in none.

    Args:
        path: A file that goes before all others.
        beside: What must stand in the same file; "" for nothing.
    """
    hits = snapshot.texts.find(text, limit=_HITS if path or beside else 1)
    if beside:
        hits = tuple(hit for hit in hits if next(lines_with(snapshot.files.text(hit.path), beside), 0))
    hits = tuple(sorted(hits, key=lambda hit: not path_matches(hit.path, path)))
    file = snapshot.files.at(hits[0].path) if hits else None
    if file is None:
        return None
    line = hits[0].line
    around = enclosing(snapshot, file.path, line)
    return _match(text, file, Mention(MentionKind.TEXT, line), around)


def files_with(snapshot: Snapshot, name: str, *, with_tests: bool = False) -> list[File]:
    """Return files of code that have the term of a name, tests aside unless wanted, those with most of it first."""
    terms = terms_of(name)[:1]
    found = snapshot.lexical.postings(terms).files
    rows = snapshot.lexical.corpus().files.rows
    counted = sorted((-int(count.sum()), int(unit)) for unit, count in zip(found.units, found.counts, strict=True))
    files = (rows[unit] for _, unit in counted)
    return [file for file in files if file.parsed and file.language and (with_tests or not file.is_test)][:_FILES]


def _mentions_in(snapshot: Snapshot, file: File, owner: str, name: str) -> Iterator[tuple[Mention, Symbol | None]]:
    symbols = () if owner else snapshot.symbols.in_file(file.path)
    for symbol in symbols:
        if symbol.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD} and is_parameter(name, symbol.signature):
            yield Mention(MentionKind.PARAMETER, symbol.start_line), symbol
    first: dict[MentionKind, Mention] = {}
    for mention in mentions(snapshot.files.text(file.path), owner, name):
        first.setdefault(mention.kind, mention)
    for mention in first.values():
        yield mention, enclosing(snapshot, file.path, mention.line)


def _match(name: str, file: File, mention: Mention, around: Symbol | None) -> Match:
    where = f"{around.qualified_name} ({file.path}:{mention.line})" if around else f"{file.path}:{mention.line}"
    detail = f"{name} is {WORDS[mention.kind]} {where}; no definition is called so"
    line = Span(file.path, mention.line, mention.line)
    found = Occurrence(name, mention.kind, around.qualified_name if around else "", line)
    if around and mention.kind == MentionKind.PARAMETER:
        return Match(GapOutcome.RESOLVED, "symbol", detail, (around,), occurrence=found)
    span = Span(file.path, max(1, mention.line - _AROUND), min(file.lines, mention.line + _AROUND))
    return Match(GapOutcome.RESOLVED, "symbol", detail, span=span, occurrence=found)


def alike(snapshot: Snapshot, name: str) -> tuple[str, ...]:
    """Return names of definitions that are spelled nearly like one, the nearest first; none is ever taken for it."""
    if len(name) < _LEAST_LETTERS:
        return ()
    known = snapshot.lexical.corpus().symbols.by_name
    likely = [
        each for each in known if abs(len(each) - len(name)) <= 2 and (each[:2] == name[:2] or each[-2:] == name[-2:])
    ]
    return tuple(get_close_matches(name, likely, _HINTS, _ALIKE))
