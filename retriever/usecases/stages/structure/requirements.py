"""Lists the packages that the project depends on, where the question asks for them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from retriever.domain.evidence.piece import Draft, hash_lines
from retriever.domain.questions.relations import Relation
from retriever.domain.questions.understanding import Intent
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import Origin, Span
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import list_draft, read_lines
from retriever.usecases.locating.manifests import requirements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.declared.given_values import GivenValue
    from retriever.ports import Judge, Snapshot

_MANIFESTS = 3
"""Files that are told: those nearest to the root."""
_LISTED = 30


class Requirements:
    """Drafts a list for each file that says so; what only the project's makers need is told behind."""

    name = "requirements"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Read the files; asks for nothing where the question does not."""
        if Intent.DEPENDENCIES not in task.understanding.intents:
            return context
        drafts = await asyncio.to_thread(_drafts, snapshot, task.scope or context.scope)
        return context.with_drafts(drafts).with_step(self.name)


def _drafts(snapshot: Snapshot, scope: str) -> list[Draft]:
    by_file = {path: list(told) for path, told in groupby(requirements(snapshot), key=lambda each: each.path)}
    within = [path for path in by_file if path.startswith(scope)] or list(by_file)
    return [_draft(snapshot, path, by_file[path]) for path in within[:_MANIFESTS]]


def _draft(snapshot: Snapshot, path: str, told: Sequence[GivenValue]) -> Draft:
    used = [each for each in told if each.origin is not Origin.DEVELOPMENT]
    made_with = [each.name for each in told if each.origin is Origin.DEVELOPMENT]
    notes = (f"and for those who work on it: {', '.join(made_with[:_LISTED])}",) if made_with else ()
    listed = tuple(
        User(f"{each.name}{_version(each.value)}", None, Span(path, each.line, each.line)) for each in used[:_LISTED]
    )
    users = UserList(path, Relation.REQUIRES, None, len(used), listed, notes=notes)
    span = Span(path, told[0].line, told[-1].line)
    return replace(list_draft(users, ()), span=span, content_hash=hash_lines(read_lines(snapshot, span)))


def _version(version: str) -> str:
    return f"@{version}" if version[:1].isalnum() else version
