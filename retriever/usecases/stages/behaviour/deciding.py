"""Shows the lines of functions that share most with what a question asks."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

import numpy as np

from common.core.words.terms import count_terms, words
from retriever.domain.evidence.basis import Basis, BasisKind
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.packing.windows import LINES, window_of
from retriever.domain.questions.understanding import Intent, QuestionPart
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
_SHORT, _OF_SHORT = 4, 0.7
"""Lines of a function that decides nothing, as an accessor, and what its window is worth."""
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
            near = [each.symbol for each in found if each.basis and each.basis.text == value]
            if not any(each.setting for each in context.drafts):
                context = context.with_drafts(await asyncio.to_thread(_constants, snapshot, near, value))
        return context.with_lines(self.name, found).with_step(self.name) if found else context


def _find(context: Context, snapshot: Snapshot, asked: str) -> list[Candidate]:
    weights, ranked = _weights(snapshot, asked), context.ranking.symbols[:_READ]
    best = max((each.score for each in ranked), default=0.0)
    found: list[Candidate] = []
    for each in ranked if weights and best > 0 else ():
        symbol = each.symbol
        if symbol.kind not in FUNCTIONS or symbol.is_test or symbol.is_aside:
            continue
        text = snapshot.files.lines(symbol.path, symbol.start_line, symbol.end_line).rstrip("\n").split("\n")
        around = count_terms(f"{symbol.qualified_name} {symbol.path}").keys()
        window = window_of(text, symbol.docstring, weights, around)
        worth = window.share * (1 - _RANKED + _RANKED * each.score / best) * (_OF_SHORT if len(text) <= _SHORT else 1)
        first = symbol.start_line + window.at
        focus = tuple(range(first, min(first + LINES, symbol.end_line + 1)))
        basis = Basis(BasisKind.DECIDES, text=asked, line=first)
        reason = "its lines share most with the question"
        found.append(Candidate(symbol, EvidenceRole.MATCH, "lines", reason, worth, focus, basis))
    found.sort(key=lambda each: (-each.score, each.symbol.path, each.symbol.start_line))
    return found[:_SHOWN]


def _weights(snapshot: Snapshot, asked: str) -> Mapping[str, float]:
    """Return the rarity of each term among the definitions, 1 in all; terms that none has are left out."""
    terms = list(count_terms(asked))
    found = snapshot.lexical.postings(terms).symbols
    counts = np.bincount(found.terms, minlength=len(terms)).tolist()
    size = len(snapshot.lexical.corpus().symbols.ids)
    rarity = {term: math.log(1 + size / (1 + count)) for term, count in zip(terms, counts, strict=True) if count}
    return {term: weight / sum(rarity.values()) for term, weight in rarity.items()}


def _constants(snapshot: Snapshot, functions: Sequence[Symbol], asked: str) -> list[Draft]:
    """
    Draft the numbers that constants have which some functions, or what they call, name.

    Best are those whose names, and the names of who uses them, have most of the terms of the question.
    """
    weights = _weights(snapshot, asked)
    known = {name.rpartition(".")[2] for name in snapshot.values.names()}
    found: dict[GivenValue, float] = {}
    for calls, symbol in _reached(snapshot, functions):
        text = snapshot.files.lines(symbol.path, symbol.start_line, symbol.end_line)
        for word in {each for each in words(text) if not each.islower()} & known:
            told = weights.keys() & count_terms(f"{word} {symbol.name}").keys()
            worth = sum(weights[term] for term in told) / (1 + calls)
            for given in snapshot.values.named(word) if worth else ():
                if given.keys[-1] == word and _is_number(given):
                    found[given] = max(found.get(given, 0.0), worth)
    best = sorted(found, key=lambda each: (-found[each], each.path, each.line))[:_CONSTANTS]
    return [setting_draft(snapshot, each, (asked,)) for each in best]


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
