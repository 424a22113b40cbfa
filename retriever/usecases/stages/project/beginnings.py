"""Says where to start reading: the project in general, or a topic that the question names."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.understanding import Intent, MentionKind, Relation, SlotKind
from common.core.words.terms import count_terms
from retriever.domain.evidence.definitions import grouped_by_name, shown_of
from retriever.domain.questions.names import parse
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import EdgeKind, SymbolKind
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.places import place_of, said_of, said_of_file
from retriever.usecases.locating.about_project import PROJECT, is_project, own_files, project_names
from retriever.usecases.locating.naming import closest, find_symbols, is_first_hand, module_of, symbols_by_id
from retriever.usecases.stages.behaviour.flow import tree_of
from retriever.usecases.stages.project.entries import defines, entered, mains_of, uses_of
from retriever.usecases.stages.project.places import listed_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from common.core.contract.understanding import QuestionPart
    from retriever.domain.values import File, Symbol
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.searching.describing import FindDescribed

_LISTED, _STEPS = 8, 6
_FIRST, _NEXT, _USED = 3, 4, 3
"""Most entry files listed, most files that these use, and most files that are used by many."""
_LEADING = 4
"""Least definitions in the call tree of a start; one with fewer may fit the topic, but leads nowhere."""
_MOST = 0.75
"""Least share of the words of a topic in a definition that is about it."""
_LOOKED_AT, _MEANT = 5, 3
"""Most definitions considered for a topic, and most starts found by its description."""


class Beginnings:
    """
    Drafts a list of what to read first, each item with the reason or its documentation.

    For a library these are the files that its manifest names and that the code in its README uses; for a program its
    main functions. For a topic it is the definition that the topic names or describes, followed by its callees.
    """

    name = "beginnings"
    needs = frozenset({Part.CODE_INDEX})

    def __init__(self, described: FindDescribed) -> None:
        self._described = described

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look up the topic if the question names one; else list the entry points of the project."""
        for part in task.understanding.of(Intent.START):
            is_place = any(place_of(snapshot, each) for each in part.texts(*SlotKind) if "/" in each)
            topic = part.told(task.question) if not is_place else ""
            topic = "" if is_project(snapshot, topic) else topic
            found = await self._of_topic(context, snapshot, task, part) if topic else None
            if found is None:
                found = await asyncio.to_thread(beginnings_of, snapshot)
            context = listed_with(self.name, context, found)
        return context

    async def _of_topic(self, context: Context, snapshot: Snapshot, task: Task, part: QuestionPart) -> UserList | None:
        topic = part.told(task.question)
        starts = await asyncio.to_thread(_named, snapshot, task, part)
        is_sure = bool(starts)
        if not starts:
            meant = await self._described.run(
                snapshot, topic, limit=_LOOKED_AT, use_vectors=Part.VECTORS not in task.off
            )
            starts = [each for each in meant.symbols if is_first_hand(each)][:_MEANT]
        if not is_sure:
            starts = await asyncio.to_thread(_or_main, snapshot, topic, starts)
        if not starts:
            return None
        found = await asyncio.to_thread(_way, snapshot, task, context, starts, topic)
        return replace(found, name=topic, definition=found.definition if is_sure else None)


def _named(snapshot: Snapshot, task: Task, part: QuestionPart) -> list[Symbol]:
    """Return the functions and classes that a topic names as symbols, one for each group of overloads."""
    symbols = task.understanding.named(MentionKind.SYMBOL)
    said = (each for each in part.texts(SlotKind.SUBJECT, SlotKind.OBJECT) if each in symbols)
    names = map(parse, said)
    found = [each for name in names if name for each in closest(find_symbols(snapshot, name), name)]
    own = [each for each in found if is_first_hand(each) and each.kind != SymbolKind.VARIABLE]
    return [shown_of(group)[0] for group in grouped_by_name(own)][:_LOOKED_AT]


def _or_main(snapshot: Snapshot, topic: str, meant: Sequence[Symbol]) -> list[Symbol]:
    """Return the definitions with most words of a topic; else the main function, which leads to every topic."""
    wanted = count_terms(topic).keys() - count_terms(" ".join(project_names(snapshot))).keys()
    told = [count_terms(f"{each.qualified_name} {each.path} {said_of(each)}").keys() & wanted for each in meant]
    if about := [each for each, words in zip(meant, told, strict=True) if len(words) >= _MOST * len(wanted)]:
        return about
    own = {file.path: file for file in own_files(snapshot)}
    mains = [each for each in mains_of(snapshot, own, uses_of(snapshot, own)) if each.kind != SymbolKind.MODULE]
    return mains[:1] or list(meant)


def _way(snapshot: Snapshot, task: Task, context: Context, starts: Sequence[Symbol], topic: str) -> UserList:
    """
    Return what to read: a start, then the definitions of its call tree that fit the topic and call the most.

    The start is the first one whose tree has at least `_LEADING` definitions; else the one with the largest tree.
    """
    trees = [tree_of(snapshot, task, each, context.ranking.places()) for each in starts]
    ways = [tuple(dict.fromkeys(node.symbol for node in tree.walk() if node.symbol)) for tree in trees]
    steps = next((way for way in ways if len(way) >= _LEADING), max(ways, key=len))
    leading = snapshot.graph.fan_out([each.id for each in steps])
    wanted = count_terms(topic).keys()
    about = {each.id: len(wanted & count_terms(f"{each.qualified_name} {said_of(each)}").keys()) for each in steps}
    most = sorted(steps[1:], key=lambda each: -(1 + about[each.id]) * leading.get(each.id, 0))[: _STEPS - 1]
    chosen = (steps[0], *(each for each in steps[1:] if each in most))
    listed = tuple(User(each.qualified_name or each.path, each, each.span, said_of(each)) for each in chosen)
    return UserList(steps[0].qualified_name, Relation.BEGINS, steps[0], len(listed), listed)


def beginnings_of(snapshot: Snapshot) -> UserList:
    """Return what to read first of the project, with notes on the files that most others use."""
    own = {file.path: file for file in own_files(snapshot)}
    uses = uses_of(snapshot, own)
    begun = entered(snapshot, own, uses)
    listed = [User(path, module_of(snapshot, path), Span(path, 1, 1), why) for path, why in begun.items()][:_FIRST]
    if not listed:
        mains = mains_of(snapshot, own, uses)
        listed = [User(each.qualified_name or each.path, each, each.span, said_of(each)) for each in mains]
    starts = [each.place.path for each in listed] or sorted(own, key=lambda path: (-len(uses[path]), path))[:1]
    for path in dict.fromkeys([*([] if listed else starts), *_below(snapshot, uses, own, starts)]):
        said = said_of_file(snapshot, own[path])
        listed.append(User(path, module_of(snapshot, path), Span(path, 1, 1), said))
    used = Counter(each for found in uses.values() for each in found)
    top = sorted(used, key=lambda path: (-used[path], path))[:_USED]
    notes = tuple(f"{path} is used by {used[path]} other file{'s' * (used[path] > 1)}" for path in top)
    return UserList(PROJECT, Relation.BEGINS, None, len(listed[:_LISTED]), tuple(listed[:_LISTED]), notes=notes)


def _below(
    snapshot: Snapshot, uses: Mapping[str, Sequence[str]], own: Mapping[str, File], entries: Sequence[str]
) -> list[str]:
    """Return the files that entry files import or use; if they are few, also theirs. Files with most uses first."""
    found: list[str] = []
    level = list(entries)
    while level and len(found) < _NEXT:
        met = [each for path in level for each in (*_imported(snapshot, path), *uses.get(path, ()))]
        level = [each for each in dict.fromkeys(met) if each in own and each not in (*found, *entries)]
        found += sorted(
            (each for each in level if defines(snapshot, each)),
            key=lambda path: (-len(uses.get(path, ())), -own[path].lines, path),
        )
    return found[:_NEXT]


def _imported(snapshot: Snapshot, path: str) -> Iterator[str]:
    module = module_of(snapshot, path)
    edges = snapshot.graph.outgoing([module.id], (EdgeKind.IMPORT,)) if module else ()
    return (each.path for each in symbols_by_id(snapshot, (edge.target_id for edge in edges)).values())
