"""Lists the packages that the project depends on, where the question asks for them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.domain.declared.manifests import reads_manifest, requirements
from retriever.domain.evidence.piece import Draft, hash_lines
from retriever.domain.questions.relations import Relation
from retriever.domain.questions.understanding import Intent
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import Span
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import list_draft, read_lines
from retriever.usecases.locating.occurrences import ASIDE

if TYPE_CHECKING:
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
    found = [
        file.path
        for file in snapshot.files.all()
        if reads_manifest(file.path) and not file.is_test and not ASIDE.search(file.path)
    ]
    within = [path for path in found if path.startswith(scope)] or found
    drafts = [_draft(snapshot, path) for path in sorted(within, key=lambda each: (each.count("/"), each))]
    return [each for each in drafts if each][:_MANIFESTS]


def _draft(snapshot: Snapshot, path: str) -> Draft | None:
    """Draft what one file requires; None if it requires nothing."""
    told = requirements(path, snapshot.files.text(path))
    if not told:
        return None
    used = [each for each in told if not each.is_for_makers]
    made_with = [each.name for each in told if each.is_for_makers]
    notes = (f"and for those who work on it: {', '.join(made_with[:_LISTED])}",) if made_with else ()
    listed = tuple(
        User(f"{each.name}{_version(each.version)}", None, Span(path, each.line, each.line)) for each in used[:_LISTED]
    )
    users = UserList(path, Relation.REQUIRES, None, len(used), listed, notes=notes)
    span = Span(path, min(each.line for each in told), max(each.line for each in told))
    return replace(list_draft(users, ()), span=span, content_hash=hash_lines(read_lines(snapshot, span)))


def _version(version: str) -> str:
    return f"@{version}" if version[:1].isalnum() else version
