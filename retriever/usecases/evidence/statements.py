"""What the documentation and the comments of definitions state about a question."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms
from retriever.domain.values import FactKind, SymbolKind
from retriever.domain.views.prose import paragraphs, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot

_MARKS = ("@", "..")
_LEAST_WORDS, _LEAST_TERMS = 4, 2
_PROSE = 0.6
"""Share of the words of a sentence that are of letters alone; code has fewer."""
_CHARS = 320
_LEAST, _MORE = 0.2, 0.1
"""Share of the question that a sentence has at least, and how much more than the first one, to be told besides."""


def statements(snapshot: Snapshot, asked: Sequence[tuple[Symbol, Mapping[str, float]]]) -> dict[int, str]:
    """
    Return what each definition says first and its sentence with most of a question, by its id.

    Sentences are those of the documentation, of fields too, and of comments that give reasons, which are told whole if
    they are short. A definition whose first sentence has about as much as any other is left out.

    Args:
        asked: Definitions, each with the terms of the part of the question that is compared; 1 in all.
    """
    comments: dict[int, list[str]] = defaultdict(list)
    for fact in snapshot.facts.of([symbol.id for symbol, _ in asked], (FactKind.RATIONALE,)):
        comments[fact.symbol_id].append(fact.value)
    found: dict[int, str] = {}
    for symbol, weights in asked:
        said = [*_sentences(symbol.docstring), *_of_fields(snapshot, symbol)]
        for comment in comments[symbol.id]:
            said += [comment] if _is_prose(comment) else _sentences(comment)
        first = said[0] if said and symbol.docstring.split()[:1] == said[0].split()[:1] else ""
        told = max(said, key=lambda each: _share(each, weights), default="")
        if _share(told, weights) >= max(_LEAST, _share(first, weights) + _MORE):
            found[symbol.id] = both if len(both := f"{first} … {told}") <= _CHARS and first else told
    return found


def _of_fields(snapshot: Snapshot, symbol: Symbol) -> Iterator[str]:
    """Yield the sentences of the fields of a class, each behind the name of its field."""
    inside = snapshot.symbols.in_file(symbol.path) if symbol.kind is SymbolKind.CLASS else ()
    for field in (each for each in inside if each.kind is SymbolKind.VARIABLE and each.parent_id == symbol.id):
        yield from (f"`{field.name}`: {each}" for each in _sentences(field.docstring))


def _sentences(text: str) -> Iterator[str]:
    for paragraph in paragraphs(text):
        yield from () if paragraph.is_code else filter(_is_prose, sentences(paragraph.text))


def _is_prose(sentence: str) -> bool:
    words = sentence.split()
    plain = sum(each.strip(".,;:()'\"`").isalpha() for each in words)
    return (
        not sentence.startswith(_MARKS)
        and len(words) >= _LEAST_WORDS
        and len(sentence) <= _CHARS
        and plain >= _PROSE * len(words)
    )


def _share(sentence: str, weights: Mapping[str, float]) -> float:
    shared = count_terms(sentence).keys() & weights.keys()
    return math.fsum(weights[term] for term in shared) if len(shared) >= _LEAST_TERMS else 0.0
