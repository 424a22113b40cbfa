"""Measures the structure of a part of the code: coupling, cycles, god functions and hotspots."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent
from retriever.domain.evidence.piece import Draft, EvidenceRole
from retriever.domain.tasks.context import Candidate, Context, Part, Task
from retriever.domain.values import EdgeKind
from retriever.domain.views.structure import Dependency, coupling, cycles, group_of
from retriever.usecases.evidence.drafting import structure_draft
from retriever.usecases.evidence.scope_cache import ScopeCache
from retriever.usecases.locating.naming import symbols_by_id
from retriever.usecases.stages.structure.modules import dependencies_around, is_of_one_thing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.stages.structure.modules import Dependencies

GOD_FUNCTION_CALLEES = 15
HOTSPOT_CALLERS = 20
_LISTED = 8
_SAMPLES = 3
_COUPLED = 4
"""Most files shown for their uses of others, and most modules for their uses of the scope."""
_NONE = ["- none"]
_CIRCLES = 3
_CIRCLE = 6
"""Most modules of a cycle that are named."""


class Metrics:
    """Counts coupling, cycles, god functions and hotspots of the scope, and offers the flagged symbols as samples."""

    name = "metrics"
    needs = frozenset({Part.CODE_INDEX, Part.CALL_GRAPH})

    def __init__(self, modules: ScopeCache[Dependencies]) -> None:
        self._modules = modules
        self._measured: ScopeCache[_Measured] = ScopeCache()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Draft one table of metrics; none if the question is about one thing within the code (`is_of_one_thing`)."""
        if is_of_one_thing(context, task):
            return context
        measured = await asyncio.to_thread(self._measured.get, snapshot, context.scope, self._measure)
        coupled_first = Intent.STRUCTURE in task.understanding.intents
        flagged = measured.users + measured.inside if coupled_first else measured.inside + measured.users
        return context.with_drafts([measured.numbers]).with_candidates(self.name, flagged).with_step("metrics")

    def _measure(self, snapshot: Snapshot, scope: str) -> _Measured:
        return _measure(snapshot, scope, self._modules.get(snapshot, scope, dependencies_around))


@dataclass(frozen=True, slots=True)
class _Measured:
    """Metrics of a scope, flagged symbols inside of it, and the symbols outside that use it most."""

    numbers: Draft
    inside: list[Candidate]
    users: list[Candidate]


def _measure(snapshot: Snapshot, scope: str, around: Dependencies) -> _Measured:
    dependencies = around.modules
    gods = _flagged(snapshot, snapshot.structure.god_functions(GOD_FUNCTION_CALLEES), scope)
    hot = _flagged(snapshot, snapshot.structure.hotspots(HOTSPOT_CALLERS), scope)
    lines = [f"Structure of {scope or 'the whole repository'}", ""]
    if scope:
        lines += ["Coupling (module: uses it, is used by it):"]
        around_it = coupling(dependencies, scope)[:_LISTED]
        lines += [f"- {name}: {towards}, {back}" for name, towards, back in around_it] or _NONE
        lines += ["", "Inside (module: uses others, is used by others):"]
    else:
        lines += ["Coupling (module: uses others, is used by others):"]
    lines += _inside(dependencies, scope) or _NONE
    circles = cycles([each for each in dependencies if not scope or each.path.startswith(scope)])
    lines += ["", f"Circular dependencies between modules: {len(circles)}"]
    lines += [_circle(part) for part in circles[:_CIRCLES]]
    lines += [] if circles else _finer_circles(around.files, scope)
    lines += ["", f"God functions (more than {GOD_FUNCTION_CALLEES} callees): {len(gods)}"]
    lines += [f"- {_placed(symbol)}: {count} callees" for symbol, count in gods[:_LISTED]]
    lines += ["", f"Hotspots (more than {HOTSPOT_CALLERS} callers): {len(hot)}"]
    lines += [f"- {_placed(symbol)}: {count} callers" for symbol, count in hot[:_LISTED]]
    mentions = (symbol for symbol, _ in (gods[:_LISTED] + hot[:_LISTED]))
    draft = structure_draft(lines[0], lines, "fan-in, fan-out, coupling and cycles", mentions)
    inside = zip_longest(
        [Candidate(symbol, EvidenceRole.SAMPLE, "god functions", f"{n} callees") for symbol, n in gods[:_SAMPLES]],
        [Candidate(symbol, EvidenceRole.SAMPLE, "hotspots", f"{n} callers") for symbol, n in hot[:_SAMPLES]],
        _busy_symbols(snapshot, scope, around.files),
    )
    users = _coupled_symbols(snapshot, scope, around.files) if scope else []
    return _Measured(draft, [each for each in chain.from_iterable(inside) if each], users)


def _inside(dependencies: Sequence[Dependency], scope: str) -> list[str]:
    """List fan-out and fan-in of the modules in the scope, with paths relative to it."""
    own = [each for each in coupling(dependencies, "") if each[0].startswith(scope)]
    return [f"- {name.removeprefix(scope) or name}: {out}, {back}" for name, out, back in own[:_LISTED]]


def _finer_circles(between: Sequence[Dependency], scope: str) -> list[str]:
    """Count cycles between folders and between files: they may be hidden within one module."""
    inside = [each for each in between if each.path.startswith(scope) and each.depends_on.startswith(scope)]
    lines = []
    for level, parts in (("folders", [_of_folders(each) for each in inside]), ("files", inside)):
        circles = cycles([each for each in parts if each.path != each.depends_on])
        lines += [f"Circular dependencies between {level}: {len(circles)}"]
        lines += [_circle(part) for part in circles[:_CIRCLES]]
    return lines


def _of_folders(each: Dependency) -> Dependency:
    source, target = (path.rpartition("/")[0] or "." for path in (each.path, each.depends_on))
    return Dependency(source, target, each.uses)


def _circle(modules: Sequence[str]) -> str:
    more = len(modules) - _CIRCLE
    return f"- {' <-> '.join(modules[:_CIRCLE])}" + (f" and {more} more" if more > 0 else "")


def _placed(symbol: Symbol) -> str:
    """Return a symbol as `name (path:line)`, the form by which a shown mention is recognized."""
    return f"{symbol.qualified_name or symbol.module} ({symbol.path}:{symbol.start_line})"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _busy_symbols(snapshot: Snapshot, scope: str, between: Sequence[Dependency]) -> list[Candidate]:
    """For each of the files in the scope that use others most, return the definition with most uses."""
    uses = Counter({path: out for path, out, _ in coupling(between, "") if path.startswith(scope)})
    found = [(_most_coupled(snapshot, path, ""), path, count) for path, count in uses.most_common(_COUPLED)]
    return [
        Candidate(symbol, EvidenceRole.SAMPLE, "coupling", f"{path} uses other modules {_times(count)}")
        for symbol, path, count in found
        if symbol
    ]


def _coupled_symbols(snapshot: Snapshot, scope: str, between: Sequence[Dependency]) -> list[Candidate]:
    """For each module that uses the scope most, return the definition with most uses in its most coupled file."""
    uses: Counter[str] = Counter()
    leading: dict[str, str] = {}
    for path, towards, _ in sorted(coupling(between, scope), key=lambda each: (-each[1], each[0])):
        module = group_of(path, scope, 1)
        uses[module] += towards
        leading.setdefault(module, path)
    found = [(_most_coupled(snapshot, leading[module], scope), module, n) for module, n in uses.most_common(_COUPLED)]
    return [
        Candidate(symbol, EvidenceRole.SAMPLE, "coupling", f"{module} uses {scope} {_times(count)}")
        for symbol, module, count in found
        if symbol
    ]


def _most_coupled(snapshot: Snapshot, path: str, scope: str) -> Symbol | None:
    """Return the outermost definition of a file with most uses of the scope ("": any other file); ties: the first."""
    own = {symbol.id: symbol for symbol in snapshot.symbols.in_file(path)}
    edges = snapshot.graph.outgoing(list(own), tuple(EdgeKind))
    targets = symbols_by_id(snapshot, (edge.target_id for edge in edges))
    used = {key for key, symbol in targets.items() if symbol.path.startswith(scope) and symbol.path != path}
    uses = Counter(_outermost(own, edge.source_id) for edge in edges if edge.target_id in used)
    best = max(uses, key=lambda key: (uses[key], -own[key].start_line), default=None)
    return own[best] if best is not None else None


def _outermost(own: Mapping[int, Symbol], key: int) -> int:
    """Return the id of the top-level definition around a symbol; a module is returned itself."""
    name = own[key].qualified_name.partition(".")[0]
    return next((each.id for each in own.values() if each.qualified_name == name and name), key)


def _flagged(snapshot: Snapshot, counted: Sequence[tuple[int, int]], scope: str) -> list[tuple[Symbol, int]]:
    count = dict(counted)
    symbols = snapshot.symbols.get([key for key, _ in counted])
    return [(each, count[each.id]) for each in symbols if each.path.startswith(scope) and not each.is_test]
