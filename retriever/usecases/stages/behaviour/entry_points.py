"""Finds where a flow starts, by the names in the question and by its ranking."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, QuestionPart, SlotKind
from retriever.domain.evidence.definitions import grouped_by_name
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.questions.names import parse
from retriever.domain.questions.process import process_of
from retriever.domain.tasks.context import Candidate, Context, Part, Task, first_of_each
from retriever.domain.values import EdgeKind, FactKind, Symbol, SymbolKind, SymbolMark
from retriever.usecases.locating.naming import FUNCTIONS, closest, constructors, find_symbols, is_first_hand, members
from retriever.usecases.searching.doers import doers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from retriever.domain.questions.question import Ranking
    from retriever.ports import Judge, Snapshot

    _Groups: TypeAlias = tuple[tuple[Symbol, ...], ...]

_ENTRIES, _DOERS = 3, 2
_RELEVANT = 0.2
"""Ranked symbols with less than this share of the best score do not match the subject."""
_CONSIDERED, _LOOKED_AT = 20, 40
_ROUTES = ("route", "command", "task")
"""Entry points that are called from outside of the code, by the first word of their facts."""
_ROUTE_WEIGHT = 2.5
"""A route goes before any other match that does not speak for itself more than twice as loudly."""
_KINDS = {SymbolKind.FUNCTION: 1, SymbolKind.METHOD: 2, SymbolKind.CLASS: 3}


class EntryPoints:
    """
    Adds the symbols that the question names, or whose names it says are called if they match; else ranked ones.

    Who calls other matches comes before them, for a flow starts above its steps, and a route counts for more; who
    calls nobody comes last. Ties go to functions before methods, then to public ones.
    """

    name = "entry_points"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Choose at most three entry points; none for a question about callers, which is answered already."""
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
        if named:
            return named[:_ENTRIES]
        process = process_of(part)
        doing = [
            Candidate(symbol, EvidenceRole.ENTRY, "doer", "does what the question says", 0.6)
            for symbol, _ in (doers(snapshot, context.ranking, process)[:_DOERS] if process else ())
        ]
        return list(first_of_each([*doing, *_ranked(snapshot, context.ranking, hops)]))[:_ENTRIES]


def _is_rite(symbol: Symbol) -> bool:
    """Return whether the language calls a member, and no flow begins with it, as with a constructor."""
    return bool(symbol.marks & SymbolMark.IMPLICIT) and not symbol.marks & SymbolMark.BEGINS


def _called_names(part: QuestionPart) -> list[str]:
    """Return the words between which a part asks for the way: each may be the name of a function."""
    said = part.texts(SlotKind.SUBJECT, SlotKind.OBJECT) if part.intent is not Intent.METHOD else ()
    return [each for each in said if each.isidentifier()]


def _ranked(snapshot: Snapshot, ranking: Ranking, hops: int) -> list[Candidate]:
    """
    Order the matches, and those who call several of them, by how much of the subject a flow from them shows.

    That is their own score and those of the matches that they call; a class that they make is no step. A flow that
    would tell the same story as one before it is left out. What the language calls by itself, as a constructor, comes
    last.
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
    """Leave out entries whose flow shares a step with the one of an entry before."""
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
    Return what each name means; a class stands for where it can be called.

    Of several definitions that call something the one that the rest of the question speaks for is meant; none, if it
    speaks for none. Of overloads it is the one whose flow goes furthest: the others only lead to it, or away from it.

    Args:
        by_use: A plain word means what most use, of those that the question speaks for.
    """
    place = {each.symbol.definition: position for position, each in enumerate(ranking.symbols)}
    found: list[Symbol] = []
    for name in filter(None, map(parse, names)):
        # What only a test calls so is a step of that test.
        own = [each for each in find_symbols(snapshot, name) if not each.is_test]
        meant_by_use = [each for each in own if is_first_hand(each)] if by_use else []
        groups = grouped_by_name(meant_by_use or closest(own, name))
        groups = _leading(snapshot, groups) if hops else groups
        if len(groups) > 1:
            groups = _likeliest(snapshot, groups, place, by_use=by_use)
        found += [_called(snapshot, _furthest(snapshot, group, hops), hops) for group in groups]
    return found


def _likeliest(snapshot: Snapshot, groups: _Groups, place: Mapping[tuple[str, str], int], *, by_use: bool) -> _Groups:
    """Return the one that is used most, or ranked first, of the definitions that are ranked; () if none is."""
    ranked = [group for group in groups if group[0].definition in place]
    used = snapshot.graph.fan_in([each.id for group in ranked for each in group]) if by_use else {}
    ranked.sort(key=lambda group: (-sum(used.get(each.id, 0) for each in group), place[group[0].definition]))
    return tuple(ranked[:1])


def _leading(snapshot: Snapshot, groups: _Groups) -> _Groups:
    """Leave out what calls nothing, as a declaration in an interface does, where another one of the name does."""
    calling = snapshot.graph.fan_out([each.id for group in groups for each in group])
    kept = (group for group in groups if any(each.id in calling or each.kind == SymbolKind.CLASS for each in group))
    return tuple(kept) or groups


def _called(snapshot: Snapshot, symbol: Symbol, hops: int) -> Symbol:
    """A class has no calls of its own: its flow starts where it can be called."""
    if symbol.kind != SymbolKind.CLASS:
        return symbol
    own = [each for each in members(snapshot, symbol) if each.kind in FUNCTIONS]
    makers = constructors(snapshot, symbol)
    called = [each for each in own if each.name == "__call__"]
    # Else what does most of the work, of what anybody may call.
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
