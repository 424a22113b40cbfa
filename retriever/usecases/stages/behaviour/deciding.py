"""Shows the lines of functions that share most with what a question asks."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

import numpy as np

from common.core.contract.evidence import Basis, BasisKind
from common.core.contract.understanding import Intent, QuestionPart
from common.core.words.terms import count_terms, words
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.packing.windows import LINES, window_of
from retriever.domain.tasks.context import Candidate, Context, Part, Task
from retriever.domain.values import EdgeKind, Origin
from retriever.usecases.evidence.drafting import setting_draft
from retriever.usecases.locating.naming import FUNCTIONS, is_first_hand

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retriever.domain.declared.given_values import GivenValue
    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot

_READ, _SHOWN = 40, 3
"""Best ranked functions that are read, and that are shown for each part of the question."""
_RANKED = 0.8
"""Share of the worth of a window that goes by the score of its function."""
_SHORT, _OF_SHORT, _FIRST = 4, 0.5, 8
"""Lines of a function that decides nothing, as an accessor, what its window is worth, and ranks of those followed."""
_CALLS, _CALLED, _CONSTANTS = 2, 12, 2
"""Calls below the functions whose constants may be the value, callees of each level, and constants that are shown."""


class Deciding:
    """
    Adds the functions with the best windows of lines, best first, for each part of the question.

    A window is worth the rarity of the terms that it, or its function by name, place and documentation, shares with
    the part, times what the search says of the function.
    """

    name = "deciding"
    needs = frozenset({Part.CODE_INDEX, Part.SOURCE})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Read the best matches; nothing where a message or a trace says which lines are meant."""
        if task.messages or task.anchors.frames or snapshot.lexical.problem:
            return context
        parts = [each for each in task.understanding.parts if each.is_likely] or [QuestionPart(end=len(task.question))]
        asked = dict.fromkeys(part.asked(task.question) for part in parts)
        found = [each for text in asked for each in await asyncio.to_thread(_find, context, snapshot, text)]
        described = [part for part in parts if part.intent is Intent.VALUE and not task.understanding.mentions]
        for value in (part.asked(task.question) for part in described):
            near = [each for each in found if each.basis and each.basis.text == value][:1]
            for each in near if not any(draft.setting for draft in context.drafts) else ():
                context = context.with_drafts(await asyncio.to_thread(_constants, snapshot, each, value))
        return context.with_lines(self.name, found).with_step(self.name) if found else context


def _find(context: Context, snapshot: Snapshot, asked: str) -> list[Candidate]:
    weights, scores = _weights(snapshot, asked), _read(context, snapshot)
    best = max(scores.values(), default=0.0)
    found: list[Candidate] = []
    for symbol, score in scores.items() if weights and best > 0 else ():
        text = snapshot.files.lines(symbol.path, symbol.start_line, symbol.end_line).rstrip("\n").split("\n")
        around = count_terms(f"{symbol.qualified_name} {symbol.path}").keys()
        window = window_of(text, symbol.docstring, weights, around)
        worth = window.share * (1 - _RANKED + _RANKED * score / best) * (_OF_SHORT if len(text) <= _SHORT else 1)
        first = symbol.start_line + window.at
        focus = tuple(range(first, min(first + LINES, symbol.end_line + 1)))
        basis = Basis(BasisKind.DECIDES, text=asked, line=first)
        reason = "its lines share most with the question"
        found.append(Candidate(symbol, EvidenceRole.MATCH, "lines", reason, worth, focus, basis))
    found.sort(key=lambda each: (-each.score, each.symbol.path, each.symbol.start_line))
    return found[:_SHOWN]


def _read(context: Context, snapshot: Snapshot) -> Mapping[Symbol, float]:
    """Return the best ranked functions with their scores; what short ones of the first lead to counts as they do."""
    ranked = [each for each in context.ranking.symbols[:_READ] if each.symbol.kind in FUNCTIONS]
    scores = {each.symbol: each.score for each in ranked if is_first_hand(each.symbol)}
    for symbol in list(scores)[:_FIRST]:
        if symbol.end_line - symbol.start_line < _SHORT:
            for _, called in _reached(snapshot, [symbol]):
                scores.setdefault(called, scores[symbol])
    return scores


def _weights(snapshot: Snapshot, asked: str) -> Mapping[str, float]:
    """Return the rarity of each term among the definitions, 1 in all; terms that none has are left out."""
    terms = list(count_terms(asked))
    found = snapshot.lexical.postings(terms).symbols
    counts = np.bincount(found.terms, minlength=len(terms)).tolist()
    size = len(snapshot.lexical.corpus().symbols.ids)
    rarity = {term: math.log(1 + size / (1 + count)) for term, count in zip(terms, counts, strict=True) if count}
    return {term: weight / sum(rarity.values()) for term, weight in rarity.items()}


def _constants(snapshot: Snapshot, found: Candidate, asked: str) -> list[Draft]:
    """Draft the numbers of constants that a function, or what it calls, names; () where its own lines have numbers."""
    symbol = found.symbol
    shown = snapshot.files.lines(symbol.path, found.focus[0], found.focus[-1])
    told = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in shown).split()
    if any(each.isdecimal() and int(each) > 1 for each in (word.replace("_", "") for word in told)):
        return []
    known = {name.rpartition(".")[2] for name in snapshot.values.names()}
    given: dict[GivenValue, int] = {}
    for calls, called in _reached(snapshot, [symbol]):
        text = snapshot.files.lines(called.path, called.start_line, called.end_line)
        named = sorted({each for each in words(text) if not each.islower()} & known)
        for each in (value for word in named for value in snapshot.values.named(word) if value.keys[-1] == word):
            if _is_number(each):
                given.setdefault(each, calls)
    return [
        setting_draft(snapshot, each, (asked,)) for each in sorted(given, key=lambda each: given[each])[:_CONSTANTS]
    ]


def _reached(snapshot: Snapshot, functions: Sequence[Symbol]) -> Iterator[tuple[int, Symbol]]:
    """Yield functions and what they call, each once, with the number of calls between."""
    met: set[int] = set()
    level = list(functions)
    for calls in range(_CALLS + 1):
        level = [each for each in level if each.id not in met]
        met.update(each.id for each in level)
        yield from ((calls, each) for each in level)
        edges = snapshot.graph.outgoing([each.id for each in level], (EdgeKind.CALL,))
        called = list(dict.fromkeys(each.target_id for each in edges if each.target_id is not None))
        level = [each for each in snapshot.symbols.get(called[:_CALLED]) if is_first_hand(each)]


def _is_number(given: GivenValue) -> bool:
    plain = given.is_plain and given.origin == Origin.ASSIGNED and given.value[:1] not in ("'", '"', "`")
    return plain and any(map(str.isdigit, given.value))
