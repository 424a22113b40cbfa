"""Names the definitions that nothing uses, where the question asks for them."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from common.core.contract.snapshot import FileRole
from common.core.contract.understanding import Intent
from common.core.words.terms import terms_of
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import EdgeKind, Resolution, Symbol, SymbolKind, SymbolMark
from retriever.domain.views.text_places import lines_with
from retriever.usecases.evidence.drafting import structure_draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.ports import Judge, Snapshot

_LISTED = 12
_MOST = 4000
"""Most definitions without users that are checked."""
_PROSE = frozenset({FileRole.PROSE, FileRole.CHANGES, FileRole.DOCUMENTATION})


class Unused:
    """Lists definitions without incoming edges whose name occurs on no other line of code, private ones first."""

    name = "unused"
    needs = frozenset({Part.CODE_INDEX, Part.CALL_GRAPH})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Draft the list; nothing where it is not asked for."""
        if Intent.UNUSED not in task.understanding.intents or snapshot.lexical.problem:
            return context
        found = await asyncio.to_thread(unused, snapshot, context.scope)
        private = [each for each in found if not each.is_public]
        public = [each for each in found if each.is_public]
        lines = [f"Unused and private: {len(private)}", *_listed(private)]
        lines += ["", f"Unused here, but public: {len(public)}", *_listed(public)]
        reason = "no edge leads there, and no other line of code has the name; tests aside"
        draft = structure_draft("What nothing uses", lines, reason, (*private[:_LISTED], *public[:_LISTED]))
        return context.with_drafts([draft]).with_step(self.name)


def _listed(symbols: Sequence[Symbol]) -> list[str]:
    return [f"- {each.qualified_name} ({each.path}:{each.start_line})" for each in symbols[:_LISTED]]


def unused(snapshot: Snapshot, scope: str) -> list[Symbol]:
    """
    Return definitions without known users, by path and line; tests neither count as users nor are listed.

    Decorated definitions, entry points and members of types with an external base are left out: code outside of the
    index may use them.
    """
    symbols = snapshot.symbols.get(snapshot.structure.unreferenced())
    found = [each for each in symbols if each.path.startswith(scope) and not each.is_test]
    named = [each for each in found if not each.marks & SymbolMark.IMPLICIT][:_MOST]
    own = _of_own_types(snapshot, [each for each in named if terms_of(each.name)])
    held = _files_of_terms(snapshot, sorted({terms_of(each.name)[0] for each in own}))
    return _alone(snapshot, [each for each in own if held.get(terms_of(each.name)[0]) == {each.path}])


def _of_own_types(snapshot: Snapshot, symbols: Sequence[Symbol]) -> list[Symbol]:
    """Leave out constructors, and members of types with an external base: the base may call them."""
    owners = [each.parent_id for each in symbols if each.kind == SymbolKind.METHOD and each.parent_id is not None]
    edges = snapshot.graph.outgoing(list(dict.fromkeys(owners)), (EdgeKind.INHERITS,))
    derived = {each.source_id for each in edges if each.resolution != Resolution.RESOLVED}
    return [each for each in symbols if each.parent_id not in derived and not each.marks & SymbolMark.CONSTRUCTOR]


def _files_of_terms(snapshot: Snapshot, terms: Sequence[str]) -> dict[str, set[str]]:
    """Return the files that contain each term, without tests and prose."""
    found = snapshot.lexical.postings(terms).files
    rows = snapshot.lexical.corpus().files.rows
    held: dict[str, set[str]] = {}
    for at, unit in zip(found.terms.tolist(), found.units.tolist(), strict=True):
        file = rows[unit]
        if not file.is_test and (file.language or file.role not in _PROSE):
            held.setdefault(terms[at], set()).add(file.path)
    return held


def _alone(snapshot: Snapshot, symbols: Sequence[Symbol]) -> list[Symbol]:
    """Keep definitions whose file has the name only on lines that define it."""
    alone = []
    for each in symbols:
        defined = Counter(other.name for other in snapshot.symbols.in_file(each.path))
        lines = sum(1 for _ in lines_with(snapshot.files.text(each.path), each.name))
        alone += [each] if lines <= defined[each.name] else []
    return alone
