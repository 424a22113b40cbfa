"""Finds the sentence in the documentation or comments of a definition that fits a question best."""

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
"""Least share of purely alphabetic words in a sentence; code has fewer."""
_CHARS = 320
_LEAST, _MORE = 0.2, 0.1
"""Least share of the question in a sentence that is quoted, and its least lead over the first sentence."""


def statements(snapshot: Snapshot, asked: Sequence[tuple[Symbol, Mapping[str, float]]]) -> dict[int, str]:
    """
    Map the id of each definition to its first sentence and the sentence that shares most with a question.

    Sentences come from the docstrings of the definition and its fields, and from comments that give reasons; a short
    comment counts as one sentence. The first sentence is dropped if both are too long together. A definition is left
    out if no sentence fits clearly better than the first.

    Args:
        asked: Definitions, each with weights of the terms of one part of the question; the weights add up to 1.
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
    """Yield the sentences that document the fields of a class, each prefixed with the name of its field."""
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
