"""Conceptual: names what there is of a kind of thing, where the question is how to add one more."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from retriever.domain.context import Context, Part, Task
from retriever.domain.evidence import Role
from retriever.domain.extending import covered, kind_to_extend
from retriever.domain.values import Symbol, SymbolKind
from retriever.usecases.naming import defining
from retriever.usecases.occurrences import ASIDE
from retriever.usecases.stages.users import candidates_of, users_draft
from retriever.usecases.using.implementing import implementers_of

if TYPE_CHECKING:
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.using.found import Using

_LOOKED_AT = 12
_SEVERAL = 2
_MANY = 3
"""Types of one kind from which on it is a way to extend the code, where its base is made for that, and where not."""
_TOLD = 2
_OPEN = re.compile(r"\b(?:interface|trait|abstract|protocol|ABC)\b", re.IGNORECASE)


class Extending:
    """Drafts who implements or extends the type that is named most like the kind, if several do."""

    name = "extending"
    needs = frozenset({Part.CODE_INDEX, Part.CALL_GRAPH})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look for the type; what users were asked for is told already."""
        kind = kind_to_extend(task.question)
        if not kind or any(draft.role == Role.USERS for draft in context.drafts):
            return context
        found = await asyncio.to_thread(_find, snapshot, kind)
        if not found:
            return context
        context = context.with_drafts(users_draft(each, task.mode) for each in found)
        context = context.with_candidates(self.name, chain.from_iterable(map(candidates_of, found)))
        return replace(context, ran=(*context.ran, self.name))


def _find(snapshot: Snapshot, kind: tuple[frozenset[str], ...]) -> list[Using]:
    """Return the type that says most of the kind, and one that says as much, those with more below them first."""
    share = {name: said for name in snapshot.lexical.corpus().symbols.by_name if (said := covered(name, kind))}
    named = sorted(share, key=lambda name: (-share[name], len(name), name))[:_LOOKED_AT]
    types = [each for name in named for each in _types(snapshot, name)]
    found = [(share[each.name], implementers_of(snapshot, each)) for each in types]
    several = [(said, using) for said, using in found if len(using.uses) >= _least(using.thing)]
    best = max((said for said, _ in several), default=0.0)
    likely = [using for said, using in several if said == best]
    return sorted(likely, key=lambda each: -len(each.uses))[:_TOLD]


def _least(thing: Symbol | None) -> int:
    is_made_for_it = thing is not None and _OPEN.search(thing.signature) is not None
    return _SEVERAL if is_made_for_it else _MANY


def _types(snapshot: Snapshot, name: str) -> list[Symbol]:
    named = (each for each in snapshot.symbols.named(name) if each.name == name and each.kind == SymbolKind.CLASS)
    return [each for each in defining(named) if not each.is_test and not ASIDE.search(each.path)][:_SEVERAL]
