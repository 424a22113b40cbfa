"""Finds occurrences of names without a definition, and names with a similar spelling."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from common.core.contract.evidence import MENTIONED_AS, GapOutcome, Mention, Occurrence, Span
from common.core.words.terms import count_terms, terms_of
from retriever.domain.declared.given_values import PARAMETERS
from retriever.domain.questions.names import Name, path_matches
from retriever.domain.ranking.corpus import BODY, TEXT
from retriever.domain.tasks.gaps import Match
from retriever.domain.values import FactKind, Symbol, SymbolKind
from retriever.domain.views.text_places import lines_with
from retriever.usecases.locating.naming import bases, enclosing, symbols_by_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retriever.domain.ranking.corpus import Bools, Postings
    from retriever.domain.values import File
    from retriever.ports import Snapshot

_FILES = 40
"""Most files returned for one name: those with the most occurrences."""
_OWNERS = 3
"""Most classes of one name that are searched."""
_HITS = 200
"""Most lines with a text that are read before filtering by file."""
_AROUND = 2
_ALIKE = 0.85
"""Least similarity of two spellings of one name."""
_HINTS = 3
_LEAST_LETTERS = 4


@dataclass(frozen=True, slots=True)
class _Place:
    """An occurrence of a name: its kind, line and file, and the definition around it."""

    kind: Mention
    path: str
    line: int
    file: File | None
    around: Symbol | None

    def match(self, name: str) -> Match:
        """Return the occurrence as a match; a parameter is shown with the whole function that takes it."""
        around = self.around
        place = f"{self.path}:{self.line}"
        where = f"{around.qualified_name} ({place})" if around else place
        detail = f"{name} is {MENTIONED_AS[self.kind]} {where}; no definition is called so"
        line = Span(self.path, self.line, self.line)
        found = Occurrence(name, self.kind, around.qualified_name if around else "", line)
        if around and self.kind == Mention.PARAMETER:
            return Match(GapOutcome.RESOLVED, "symbol", detail, (around,), occurrence=found)
        last = self.file.lines if self.file else self.line
        span = Span(self.path, max(1, self.line - _AROUND), min(last, self.line + _AROUND))
        return Match(GapOutcome.RESOLVED, "symbol", detail, span=span, occurrence=found)


def occurrence(snapshot: Snapshot, name: Name, question: str) -> Match | None:
    """
    Return the best occurrence in code of a name without a definition; None without any.

    Examples come last. Parameters come before assignments, these before uses; of equals the place whose path and
    definition share most words with the question is taken, then the first by path and line.
    """
    asked = set(count_terms(question)) - set(terms_of(name.last))
    known = list(_in_facts(snapshot, name))
    places = [each for each in known or _in_lines(snapshot, name) if each.file and not each.file.is_test]

    def order(place: _Place) -> tuple[bool, int, int, str, int]:
        told = f"{place.path} {place.around.qualified_name if place.around else ''}"
        return (
            place.file is not None and place.file.role.is_aside,
            place.kind.value,
            -len(asked & set(count_terms(told))),
            place.path,
            place.line,
        )

    return min(places, key=order).match(name.dotted) if places else None


def occurrence_within(snapshot: Snapshot, name: Name, owners: Sequence[Symbol]) -> Match | None:
    """
    Return where a class or its bases use a name without a definition, such as an attribute that they set.

    Assignments come before reads.
    """
    last = Name((name.last,))
    known = list(_in_facts(snapshot, last))
    for owner in [each for each in owners if each.kind == SymbolKind.CLASS][:_OWNERS]:
        found: list[tuple[int, int, _Place]] = []
        for distance, each in enumerate((owner, *bases(snapshot, owner))):
            within = range(each.start_line, each.end_line + 1)
            own = [place for place in known if place.path == each.path and place.line in within]
            if not own:
                text = snapshot.files.lines(each.path, each.start_line, each.end_line)
                lines = text.split("\n")
                used = (at for at in lines_with(text, name.last) if _is_used(lines[at - 1], name.last))
                own = [_place(snapshot, last, each.path, within[at - 1]) for at in used]
            found += [(place.kind.value, distance, place) for place in own]
        if found:
            *_, place = min(found, key=lambda each: (*each[:2], each[2].line))
            return place.match(name.dotted) if place.file else None
    return None


def _in_facts(snapshot: Snapshot, name: Name) -> Iterator[_Place]:
    """Yield the indexed assignments of a name; if it is written with an owner, only of that owner."""
    owner = name.parts[-2] if len(name.parts) > 1 else ""
    for given in snapshot.values.named(name.last):
        if given.keys[-1] == name.last and (not owner or owner in given.keys[:-1]):
            kind = Mention.NAME if len(given.keys) == 1 else Mention.KEY
            kind = Mention.PARAMETER if given.origin in PARAMETERS else kind
            yield _place(snapshot, name, given.path, given.line, kind)
    facts = snapshot.facts.with_value(FactKind.MUTATES, name.last)
    symbols = symbols_by_id(snapshot, (fact.symbol_id for fact in facts))
    for fact in facts:
        holder = fact.value.rpartition(".")[0].rpartition(".")[2]
        if not owner or holder == owner:
            kind = Mention.ATTRIBUTE if holder else Mention.NAME
            yield _place(snapshot, name, symbols[fact.symbol_id].path, fact.line, kind)


def _in_lines(snapshot: Snapshot, name: Name) -> Iterator[_Place]:
    """Yield the lines of code that only use a name."""
    written = ".".join(name.parts[-2:])
    for hit in snapshot.texts.find(written, limit=_HITS):
        file = snapshot.files.at(hit.path)
        text = snapshot.files.lines(hit.path, hit.line, hit.line)
        if file and file.parsed and file.language and _is_used(text, name.last):
            yield _place(snapshot, name, hit.path, hit.line)


def _is_used(line: str, name: str) -> bool:
    """Return whether a line uses a name as a member or begins by declaring it, so that it is no word of prose."""
    return f".{name}" in line or line.strip().startswith((f"{name}:", f"{name} =", f"{name}="))


def _place(snapshot: Snapshot, name: Name, path: str, line: int, kind: Mention | None = None) -> _Place:
    text = snapshot.files.lines(path, line, line)
    used = Mention.READ if f".{name.last}" in text else Mention.KEY
    return _Place(kind or used, path, line, snapshot.files.at(path), enclosing(snapshot, path, line))


def text_occurrence(snapshot: Snapshot, text: str, *, path: str = "", beside: str = "") -> Match | None:
    """
    Return the first occurrence of a text in any file; None without any.

    Args:
        path: File whose occurrences come first.
        beside: Text that the same file must also contain; "" for none.
    """
    hits = snapshot.texts.find(text, limit=_HITS if path or beside else 1)
    if beside:
        hits = tuple(hit for hit in hits if next(lines_with(snapshot.files.text(hit.path), beside), 0))
    hits = tuple(sorted(hits, key=lambda hit: not path_matches(hit.path, path)))
    return _place(snapshot, Name((text,)), hits[0].path, hits[0].line, Mention.TEXT).match(text) if hits else None


def files_with(snapshot: Snapshot, name: str, *, with_tests: bool = False, in_code: bool = False) -> list[File]:
    """
    Return code files with the term of a name, most occurrences first.

    Args:
        with_tests: Include tests.
        in_code: Require an occurrence outside of comments and string literals.
    """
    found = snapshot.lexical.postings(terms_of(name)[:1]).files
    rows = snapshot.lexical.corpus().files.rows
    units = found.units[_stands_in_code(found)] if in_code else found.units
    wanted = set(units.tolist())
    counted = sorted((-int(count.sum()), int(unit)) for unit, count in zip(found.units, found.counts, strict=True))
    files = (rows[unit] for _, unit in counted if unit in wanted)
    return [file for file in files if file.parsed and file.language and (with_tests or not file.is_test)][:_FILES]


def symbols_with(snapshot: Snapshot, name: str) -> frozenset[int]:
    """Return the ids of symbols with the term of a name in code, outside of comments and string literals."""
    found = snapshot.lexical.postings(terms_of(name)[:1]).symbols
    return frozenset(snapshot.lexical.corpus().symbols.ids[found.units[_stands_in_code(found)]].tolist())


def _stands_in_code(found: Postings) -> Bools:
    return found.counts[:, BODY] > found.counts[:, TEXT]


def alike(snapshot: Snapshot, name: str) -> tuple[str, ...]:
    """Return names of definitions with a similar spelling, the nearest first, as suggestions only."""
    if len(name) < _LEAST_LETTERS:
        return ()
    known = snapshot.lexical.corpus().symbols.by_name
    likely = [
        each for each in known if abs(len(each) - len(name)) <= 2 and (each[:2] == name[:2] or each[-2:] == name[-2:])
    ]
    return tuple(get_close_matches(name, likely, _HINTS, _ALIKE))
