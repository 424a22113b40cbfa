"""Grows the files of a task in tiers: from the seeds to what depends on them, changes with them or matches."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from retriever.domain.declared.metadata import match_metadata
from retriever.domain.tasks.context import decide
from retriever.domain.tasks.task import ContextTier, Gathered, ScopedFile, TaskContext
from retriever.domain.values import EdgeKind
from retriever.usecases.locating.naming import symbols_by_id
from retriever.usecases.tasks.judged import file_candidate, judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retriever.domain.evidence.piece import Decision
    from retriever.ports import Judge, Snapshot

_KINDS = (EdgeKind.CALL, EdgeKind.IMPORT, EdgeKind.INHERITS)
_TOWARDS: Mapping[EdgeKind, str] = {
    EdgeKind.CALL: "called by",
    EdgeKind.IMPORT: "imported by",
    EdgeKind.INHERITS: "inherited by",
}
_BACK: Mapping[EdgeKind, str] = {
    EdgeKind.CALL: "calls",
    EdgeKind.IMPORT: "imports",
    EdgeKind.INHERITS: "inherits from",
}
_OFFERED: Mapping[ContextTier, int] = {
    ContextTier.DEPENDENCY: 40,
    ContextTier.CO_CHANGE: 15,
    ContextTier.METADATA: 10,
}
"""Most files of a tier that the judge is shown; the others are left out by rule."""
_KEPT: Mapping[ContextTier, int] = {
    ContextTier.DEPENDENCY: 20,
    ContextTier.CO_CHANGE: 8,
    ContextTier.METADATA: 5,
}


_MATCHES = 60
"""Files that match the task's words, of which the best are offered."""
_DAMPING = 10
"""How slowly the weight of a rank falls in either order of matches: the eleventh has half of the first one's."""


@dataclass(frozen=True, slots=True)
class _Found:
    path: str
    relation: str
    weight: float


class Scope:
    """
    Adds direct dependencies of the seeds, both ways; then co-change neighbours; then matches of the task's words: files
    whose concepts it names, and files of symbols that the search ranked.

    In a snapshot without descriptions of files, concepts are skipped, and the log records that.
    """

    name = "scope"

    async def run(self, gathered: Gathered, snapshot: Snapshot, task: TaskContext, judge: Judge) -> Gathered:
        """Grow tier by tier; a file stays in the first tier that brings it in."""
        seeds = [each.path for each in gathered.files if each.tier == ContextTier.SEED]
        tiers = (
            (ContextTier.DEPENDENCY, await asyncio.to_thread(_dependencies, snapshot, seeds)),
            (ContextTier.CO_CHANGE, await asyncio.to_thread(_neighbours, snapshot, seeds, task.min_co_changes)),
            (ContextTier.METADATA, await asyncio.to_thread(_matches, snapshot, task.text, gathered.ranked)),
        )
        for tier, found in tiers:
            gathered = await self._grown(gathered, snapshot, task, judge, tier, found)
        return gathered if snapshot.metadata else gathered.with_decisions([_without_metadata(self.name)])

    async def _grown(
        self,
        gathered: Gathered,
        snapshot: Snapshot,
        task: TaskContext,
        judge: Judge,
        tier: ContextTier,
        found: Sequence[_Found],
    ) -> Gathered:
        known = {each.path for each in gathered.files}
        offered, refused = _filtered(self.name, snapshot, tier, [each for each in found if each.path not in known])
        files = {each.path: file for each in offered if (file := snapshot.files.at(each.path))}
        candidates = [file_candidate(files[each.path], tier.value, each.relation, each.weight) for each in offered]
        verdict = await judged(judge, self.name, task, candidates, _KEPT[tier])
        kept = (offered[position] for position in verdict.kept)
        gathered = gathered.with_files(ScopedFile(each.path, tier, each.relation) for each in kept)
        return gathered.with_decisions((*verdict.decisions, *refused))


def _without_metadata(stage: str) -> Decision:
    reason = "concepts were passed over: the snapshot does not say what files are about; index it again"
    return decide(stage, ContextTier.METADATA.value, Span("", 0, 0), reason, included=False)


def _filtered(
    stage: str, snapshot: Snapshot, tier: ContextTier, found: Sequence[_Found]
) -> tuple[list[_Found], list[Decision]]:
    offered: list[_Found] = []
    refused: list[Decision] = []
    for each in found:
        file = snapshot.files.at(each.path)
        why = ""
        if file is None:
            why = "not in the snapshot any more"
        elif file.is_test:
            why = "a test; tests come in by what they assert on"
        elif len(offered) >= _OFFERED[tier]:
            why = f"beyond the {_OFFERED[tier]} nearest of its tier"
        if why:
            reason = f"{why}; {each.relation}"
            place = Span(each.path, 0, 0)
            refused.append(decide(stage, tier.value, place, reason, score=each.weight, included=False))
        else:
            offered.append(each)
    return offered, refused


def _dependencies(snapshot: Snapshot, seeds: Sequence[str]) -> list[_Found]:
    """Return files that a seed uses or that use a seed; most uses first, ties by path."""
    owner = {symbol.id: path for path in seeds for symbol in snapshot.symbols.in_file(path)}
    uses: Counter[str] = Counter()
    relations: dict[str, str] = {}
    for far, relation in _relations(snapshot, owner):
        uses[far] += 1
        relations.setdefault(far, relation)
    ordered = sorted(relations, key=lambda path: (-uses[path], path))
    return [_Found(path, relations[path], float(uses[path])) for path in ordered]


def _relations(snapshot: Snapshot, owner: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """Yield (other file, how it relates to the seed); calls before imports, since they say more."""
    towards = snapshot.graph.outgoing(list(owner), _KINDS)
    back = snapshot.graph.incoming(list(owner), _KINDS)
    ends = symbols_by_id(snapshot, (*(edge.target_id for edge in towards), *(edge.source_id for edge in back)))
    places = {key: each.path for key, each in ends.items()}
    for kind in _KINDS:
        for edge in towards:
            seed, far = owner[edge.source_id], places.get(edge.target_id or 0)
            if edge.kind == kind and far and far != seed:
                yield far, f"{_TOWARDS[kind]} {seed}"
        for edge in back:
            seed, far = owner[edge.target_id or 0], places.get(edge.source_id)
            if edge.kind == kind and far and far != seed:
                yield far, f"{_BACK[kind]} {seed}"


def _neighbours(snapshot: Snapshot, seeds: Sequence[str], minimum: int) -> list[_Found]:
    found: dict[str, _Found] = {}
    for seed in seeds:
        for path, count in snapshot.history.co_changed(seed, minimum):
            before = found.get(path)
            if before is None or count > before.weight:
                found[path] = _Found(path, f"changed together with {seed} {count} times", float(count))
    return sorted(found.values(), key=lambda each: (-each.weight, each.path))


def _matches(snapshot: Snapshot, text: str, ranked: Sequence[int]) -> list[_Found]:
    """
    Return files that match the words of the task by their concepts or by their symbols.

    The two orders are joined by reciprocal rank (Cormack et al., SIGIR 2009), ties by path.
    """
    relations: dict[str, list[str]] = {}
    scores: defaultdict[str, float] = defaultdict(float)
    for found in (_by_concepts(snapshot, text), _by_symbols(snapshot, ranked)):
        for rank, (path, relation) in enumerate(found.items()):
            scores[path] += 1 / (_DAMPING + rank)
            relations.setdefault(path, []).append(relation)
    best = sorted(relations, key=lambda path: (-scores[path], path))[:_MATCHES]
    return [_Found(path, "; ".join(relations[path]), scores[path]) for path in best]


def _by_concepts(snapshot: Snapshot, text: str) -> dict[str, str]:
    found = match_metadata(text, snapshot.metadata.all()) if snapshot.metadata else ()
    matches = ((each, snapshot.files.at(each.path)) for each in found)
    code = (each for each, file in matches if file and file.parsed and not file.is_test)
    return {each.path: each.relation for each in islice(code, _MATCHES)}


def _by_symbols(snapshot: Snapshot, ranked: Sequence[int]) -> dict[str, str]:
    relations: dict[str, str] = {}
    for symbol in snapshot.symbols.get(ranked):
        relations.setdefault(symbol.path, f"{symbol.qualified_name} matches the task's words")
    return relations
