"""Finds the code that may have produced a message, by indexed error strings and by other string literals."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms
from retriever.domain.declared.message_template import explained
from retriever.domain.ranking.corpus import TEXT
from retriever.domain.values import FactKind
from retriever.usecases.locating.message_texts import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retriever.domain.values import Fact, Symbol
    from retriever.ports import Snapshot

_WORD = re.compile(r"[^\W\d_]{2,}")
LOOKED_UP = 20
"""Only this many messages are looked up: each takes up to 0.1 s, and a log may have thousands."""
_COMPARED = 400
"""Most error strings compared; many, since full-text search prefers short ones and the right one may be long."""
_ALIKE = 0.6
"""Least share of an error string's words in the message; variable parts of error strings are not stored."""
_MADE = 0.9
"""Similarity assigned at least to an error string whose fixed parts explain the message."""


def matching_messages(snapshot: Snapshot, message: str) -> list[tuple[Fact, float]]:
    """
    Return error strings that may have produced a message, each with its similarity (0 to 1), best first.

    Similarity is the F1 measure over words: of the share of the error string that the message contains, and of the
    share of the message that the error string contains. So strings that cover more of the message come first. A
    string whose fixed parts explain the message comes before all others, even if only its beginning was quoted. Ties
    keep the order of the full-text search.
    """
    words = set(_WORD.findall(message.lower()))
    found: list[tuple[float, Fact, float]] = []
    for fact, _ in snapshot.facts.messages(sorted(words), _COMPARED):
        fixed = set(_WORD.findall(fact.value.lower()))
        shared = len(fixed & words)
        alike = 2 * shared / (len(fixed) + len(words)) if shared else 0.0
        if told := explained(fact.value, message):
            found.append((told, fact, max(alike, _MADE)))
        elif shared and shared / len(fixed) >= _ALIKE and len(fixed) >= min(2, len(words)):
            found.append((0.0, fact, alike))
    return [(fact, alike) for _, fact, alike in sorted(found, key=lambda each: (-each[0], -each[2]))]


_LEVEL = re.compile(r"\A\W*(?:error|warning|warn|fatal|info|note|debug)\b[\])]?:?\s+(?=\S)", re.IGNORECASE)
"""A log level before a text; a copied message may lack it."""
_PARTS = re.compile(r":\s+")
"""Separators between a message and the message of another component within it."""
_LOOKED_AT = 40
"""Most definitions whose string literals are read."""
_NEARLY_ALL = 0.75
_TOLD = 3
_PROVING = 3
"""Least words of a text that is evidence if a message contains all of them, however long the message is."""


def matching_literals(snapshot: Snapshot, message: str) -> list[tuple[Symbol, int, str, float]]:
    """
    Return (definition, line, text, similarity) for string literals that may have produced a message.

    The message contains all words of such a text, and these are at least three or most of one part of the message;
    the similarity is the F1 measure over words, at most 1. If the message contains the fixed parts of the text in
    order, it is above 1. Best first, one text for each definition; tests are left out.
    """
    parts = [set(_WORD.findall(each.lower())) for each in (message, *sentences(message), *_PARTS.split(message))]
    found: list[tuple[float, Symbol, int, str]] = []
    for symbol in _with_texts(snapshot, list(count_terms(message))):
        told = snapshot.facts.of([symbol.id], (FactKind.TEXT, FactKind.ERROR_STRING))
        rated = ((_share(each.value, message, parts), -each.line, each.value) for each in told)
        share, line, text = max(rated, default=(0.0, 0, ""))
        if share:
            found.append((share, symbol, -line, text))
    found.sort(key=lambda each: (-each[0], each[1].end_line - each[1].start_line))
    taken: list[tuple[Symbol, int, str, float]] = []
    for share, symbol, line, text in found:
        # An enclosing definition has the same text.
        if all((symbol.path, line) != (other.path, at) for other, at, _, _ in taken):
            taken.append((symbol, line, text, share))
    return taken[:_TOLD]


def _with_texts(snapshot: Snapshot, terms: Sequence[str]) -> Iterator[Symbol]:
    """Yield the definitions whose string literals have the most of the terms, without tests."""
    corpus, found = snapshot.lexical.corpus(), snapshot.lexical.postings(terms).symbols
    has_text = found.counts[:, TEXT] > 0
    counted = Counter(found.units[has_text].tolist())
    rows = corpus.files.rows
    units = (unit for unit in counted if not rows[int(corpus.symbols.file[unit])].is_test)
    best = sorted(units, key=lambda unit: (-counted[unit], unit))[:_LOOKED_AT]
    yield from snapshot.symbols.get(corpus.symbols.ids[best].tolist()) if best else ()


def _share(text: str, message: str, parts: Sequence[set[str]]) -> float:
    """
    Return the similarity of a text and the best part of a message (F1 over words); 0.0 if it is no evidence.

    It is above 1.0 if the message contains the fixed parts of the text in order.
    """
    template = _LEVEL.sub("", text)
    fixed = set(_WORD.findall(template.lower()))
    inside = [part for part in parts if len(fixed) > 1 and fixed <= part]
    share = max((2 * len(fixed) / (len(fixed) + len(part)) for part in inside), default=0.0)
    told = explained(template, message)
    if told:
        return 1.0 + told
    return share if share >= _NEARLY_ALL or len(fixed) >= _PROVING else 0.0
