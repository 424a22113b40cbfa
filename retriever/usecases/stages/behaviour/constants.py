"""Shows numeric constants that may be the value which a question describes without naming it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent
from common.core.words.terms import words
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import EdgeKind, Origin
from retriever.usecases.evidence.drafting import setting_draft
from retriever.usecases.locating.naming import FUNCTIONS, is_first_hand

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retriever.domain.declared.given_values import GivenValue
    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot

_CALLS, _CALLED, _CONSTANTS = 2, 12, 2
"""Most levels of calls below the function, most callees of each level, and most constants to show."""


class Constants:
    """Drafts constants in the best ranked function or its callees, if no setting was found."""

    name = "constants"
    needs = frozenset({Part.CODE_INDEX, Part.SOURCE})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Read the best ranked function; nothing if the question mentions a name, a message or a place."""
        values = [part.asked(task.question) for part in task.understanding.of(Intent.VALUE)]
        first = next((each.symbol for each in context.ranking.symbols if _is_own_function(each.symbol)), None)
        if not values or not first or task.understanding.mentions or any(each.setting for each in context.drafts):
            return context
        return context.with_drafts(await asyncio.to_thread(_constants, snapshot, first, values[0]))


def _is_own_function(symbol: Symbol) -> bool:
    return symbol.kind in FUNCTIONS and is_first_hand(symbol)


def _constants(snapshot: Snapshot, symbol: Symbol, asked: str) -> list[Draft]:
    """Draft the numeric constants that a function or its callees use; none if its own lines contain numbers."""
    shown = snapshot.files.lines(symbol.path, symbol.start_line, symbol.end_line)
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
    """Yield functions and their callees, each once, with the number of calls in between."""
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
