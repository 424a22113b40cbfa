"""Finds where a call flow starts, by the names in the question and by the ranking."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, QuestionPart, SlotKind
from retriever.domain.evidence.definitions import grouped_by_name
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.questions.names import parse
from retriever.domain.tasks.context import Candidate, Context, Part, Task
from retriever.domain.values import EdgeKind, FactKind, Symbol, SymbolKind, SymbolMark
from retriever.usecases.locating.naming import FUNCTIONS, closest, constructors, find_symbols, is_first_hand, members

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from retriever.domain.questions.question import Ranking
    from retriever.ports import Judge, Snapshot

    _Groups: TypeAlias = tuple[tuple[Symbol, ...], ...]

_ENTRIES = 3
_RELEVANT = 0.2
"""Least score of a ranked symbol that matches the subject, as a share of the best score."""
_CONSIDERED, _LOOKED_AT = 20, 40
_ROUTES = ("route", "command", "task")
"""Kinds of entry points that are called from outside of the code: the first word of their facts."""
_ROUTE_WEIGHT = 2.5
"""Factor of the score of a route, so that it precedes most other matches."""
_KINDS = {SymbolKind.FUNCTION: 1, SymbolKind.METHOD: 2, SymbolKind.CLASS: 3}


class EntryPoints:
    """
    Adds the symbols that the question names; else symbols that match plain words of it; else ranked symbols.

    Ranked symbols that call other matches come before these, since a flow starts above its steps; routes count more;
    symbols without calls come last. Ties go to functions before methods, then to public symbols.
    """

    name = "entry_points"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Choose at most three entry points; none if an earlier stage listed users, which answers the question."""
        if context.tells_users:
            return context
        found = await asyncio.to_thread(self._find, context, snapshot, task)
        return context.with_candidates(self.name, found).with_step("entry_points")

    def _find(self, context: Context, snapshot: Snapshot, task: Task) -> list[Candidate]:
        hops = 0 if Part.CALL_GRAPH in task.off else task.limits.hops
        part = next(task.understanding.of(Intent.CONSEQUENCE, Intent.PATH, Intent.METHOD), QuestionPart())
        named = [
            Candidate(symbol, EvidenceRole.ENTRY, "named", "named in the question", 1.0)
            for symbol in _named(snapshot, task.anchors.symbols, context.ranking, hops)
        ]
        named = named or [
            Candidate(symbol, EvidenceRole.ENTRY, "called", "said to be called", 0.9)
            for symbol in _named(snapshot, _called_names(part), context.ranking, hops, by_use=True)
            if any(each.symbol.name == symbol.name for each in context.ranking.symbols[:_LOOKED_AT])
        ]
        return (named or _ranked(snapshot, context.ranking, hops))[:_ENTRIES]


def _is_rite(symbol: Symbol) -> bool:
    """Return whether the language calls a member implicitly and no flow starts at it, such as a constructor."""
    return bool(symbol.marks & SymbolMark.IMPLICIT) and not symbol.marks & SymbolMark.BEGINS


def _called_names(part: QuestionPart) -> list[str]:
    """Return the start and end of the path that a part asks for, if identifiers: each may name a function."""
    said = part.texts(SlotKind.SUBJECT, SlotKind.OBJECT) if part.intent is not Intent.METHOD else ()
    return [each for each in said if each.isidentifier()]


def _ranked(snapshot: Snapshot, ranking: Ranking, hops: int) -> list[Candidate]:
    """
    Order the matches, and the callers of several matches, by how much of the subject a flow from them shows.

    This is their own score plus the scores of the matches that they call, without classes. A flow that shares a step
    with an earlier one is left out. Members that the language calls implicitly, such as constructors, come last.
    """
    best = ranking.symbols[0].score if ranking.symbols else 0.0
    score = {
        each.symbol.id: each.score
        for each in ranking.symbols[:_CONSIDERED]
        if each.score >= _RELEVANT * best and each.symbol.kind in _KINDS
    }
    steps = [each.symbol.id for each in ranking.symbols[:_CONSIDERED] if each.symbol.kind != SymbolKind.CLASS]
    callees = _matches_called(snapshot, list(score), [each for each in steps if each in score] if hops else ())
    entries = [each for each in snapshot.symbols.get(list(callees)) if not each.is_test and each.kind in _KINDS]
    facts = snapshot.facts.of([each.id for each in entries], (FactKind.ENTRY_POINT,))
    routes = {fact.symbol_id for fact in facts if fact.value.startswith(_ROUTES)}

    calling = snapshot.graph.fan_out([each.id for each in entries]) if hops else {}

    def order(symbol: Symbol) -> tuple[bool, bool, float, int, bool, str, int]:
        shown = score.get(symbol.id, 0.0) + sum(score[callee] for callee in callees[symbol.id])
        weight = shown * (_ROUTE_WEIGHT if symbol.id in routes else 1.0)
        leads_nowhere = (bool(calling) and symbol.id not in calling) or _is_rite(symbol)
        return (
            symbol.is_aside,
            leads_nowhere,
            -weight,
            _KINDS[symbol.kind],
            not symbol.is_public,
            symbol.path,
            symbol.start_line,
        )

    return [
        Candidate(each, EvidenceRole.ENTRY, "ranked", "a route" if each.id in routes else "matches the subject", 0.5)
        for each in _told_once(sorted(entries, key=order), callees)
    ]


def _told_once(entries: Iterable[Symbol], callees: Mapping[int, set[int]]) -> Iterator[Symbol]:
    """Leave out entries whose flow shares a step with that of an earlier entry."""
    told: set[int] = set()
    for each in entries:
        story = {each.id, *callees[each.id]}
        if told.isdisjoint(story):
            told |= story
            yield each


def _matches_called(snapshot: Snapshot, matches: Sequence[int], steps: Sequence[int]) -> dict[int, set[int]]:
    """Map the matches, and each caller of at least two steps among them, to the steps that it calls."""
    callees: dict[int, set[int]] = {each: set() for each in matches}
    for edge in snapshot.graph.incoming(steps, (EdgeKind.CALL,)):
        if edge.target_id is not None and edge.target_id != edge.source_id:
            callees.setdefault(edge.source_id, set()).add(edge.target_id)
    return {each: called for each, called in callees.items() if each in matches or len(called) > 1}


def _named(
    snapshot: Snapshot, names: Sequence[str], ranking: Ranking, hops: int, *, by_use: bool = False
) -> list[Symbol]:
    """
    Return the definition of each name; a class stands for the member at which it is called.

    Of several definitions that call something, the highest ranked for the question is taken; none if none is ranked.
    Of overloads it is the one that reaches the most functions: the others only delegate to it.

    Args:
        by_use: Of the ranked definitions take the most used one: the names are plain words.
    """
    place = {each.symbol.definition: position for position, each in enumerate(ranking.symbols)}
    found: list[Symbol] = []
    for name in filter(None, map(parse, names)):
        # A definition in a test is a step of that test.
        own = [each for each in find_symbols(snapshot, name) if not each.is_test]
        meant_by_use = [each for each in own if is_first_hand(each)] if by_use else []
        groups = grouped_by_name(meant_by_use or closest(own, name))
        groups = _leading(snapshot, groups) if hops else groups
        if len(groups) > 1:
            groups = _likeliest(snapshot, groups, place, by_use=by_use)
        found += [_called(snapshot, _furthest(snapshot, group, hops), hops) for group in groups]
    return found


def _likeliest(snapshot: Snapshot, groups: _Groups, place: Mapping[tuple[str, str], int], *, by_use: bool) -> _Groups:
    """Return the most used (`by_use`) or highest ranked of the ranked definitions; () if none is ranked."""
    ranked = [group for group in groups if group[0].definition in place]
    used = snapshot.graph.fan_in([each.id for group in ranked for each in group]) if by_use else {}
    ranked.sort(key=lambda group: (-sum(used.get(each.id, 0) for each in group), place[group[0].definition]))
    return tuple(ranked[:1])


def _leading(snapshot: Snapshot, groups: _Groups) -> _Groups:
    """Leave out definitions without calls, such as declarations in interfaces, if another of the name has calls."""
    calling = snapshot.graph.fan_out([each.id for group in groups for each in group])
    kept = (group for group in groups if any(each.id in calling or each.kind == SymbolKind.CLASS for each in group))
    return tuple(kept) or groups


def _called(snapshot: Snapshot, symbol: Symbol, hops: int) -> Symbol:
    """Return where a flow starts: for a class, which has no calls itself, one of its members."""
    if symbol.kind != SymbolKind.CLASS:
        return symbol
    own = [each for each in members(snapshot, symbol) if each.kind in FUNCTIONS]
    makers = constructors(snapshot, symbol)
    called = [each for each in own if each.name == "__call__"]
    # Without `__call__`: the public method from which most can be reached.
    working = [each for each in own if each not in makers and each.is_public and not _is_rite(each)]
    leading = snapshot.graph.fan_out([each.id for each in working]) if hops and not called else {}
    candidates = called or [each for each in working if each.id in leading] or list(makers)
    return _furthest(snapshot, candidates, hops) if candidates else symbol


def _furthest(snapshot: Snapshot, overloads: Sequence[Symbol], hops: int) -> Symbol:
    """Return the overload from which most others can be reached; ties go to the first."""
    return max(overloads, key=lambda each: _reach(snapshot, each, hops)) if len(overloads) > 1 else overloads[0]


def _reach(snapshot: Snapshot, symbol: Symbol, hops: int) -> int:
    met, frontier = {symbol.id}, [symbol.id]
    for _ in range(hops):
        edges = snapshot.graph.outgoing(frontier, (EdgeKind.CALL,))
        frontier = list(dict.fromkeys(e.target_id for e in edges if e.target_id is not None and e.target_id not in met))
        met.update(frontier)
    return len(met)
