"""Names the files that changed together with one that the question names."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.understanding import Intent, MentionKind, Relation, SlotKind
from retriever.domain.questions.names import parse
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.places import list_of
from retriever.usecases.locating.naming import closest, find_files, find_symbols, module_of

if TYPE_CHECKING:
    from retriever.ports import Judge, Snapshot

_LISTED = 12
_FILES = 3
"""Most files that are looked up."""
_NO_HISTORY = "the index has no history: its source is no git repository, or one that could not be read"
_LEAST = 2
"""Least commits that changed both files; a single one may be a coincidence."""


class CoChange:
    """Lists the files that changed together with a named file, or with the file of a named definition."""

    name = "co_change"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Draft a list for each file that the question names; nothing without any."""
        parts = task.understanding.of(Intent.CO_CHANGE)
        said = [text for part in parts for text in part.texts(SlotKind.SUBJECT, SlotKind.OWNER)]
        said += task.understanding.named(MentionKind.PATH)
        paths = await asyncio.to_thread(_paths, snapshot, said)
        found = [await asyncio.to_thread(_together, snapshot, path) for path in paths]
        drafts = [list_of(each) for each in found]
        return context.with_drafts(drafts).with_step(self.name) if drafts else context


def _paths(snapshot: Snapshot, said: list[str]) -> list[str]:
    """Return the files with a written path, else the files that define a written name."""
    found: list[str] = []
    for written in dict.fromkeys(said):
        name = parse(written)
        files = [file.path for file in find_files(snapshot, written)]
        found += files or [each.path for each in (closest(find_symbols(snapshot, name), name) if name else ())]
    return list(dict.fromkeys(found))[:_FILES]


def _together(snapshot: Snapshot, path: str) -> UserList:
    found = snapshot.history.co_changed(path, _LEAST)
    listed = tuple(
        User(other, module_of(snapshot, other), Span(other, 1, 1), f"{count} commits")
        for other, count in found[:_LISTED]
    )
    notes = () if snapshot.info.commit else (_NO_HISTORY,)
    return UserList(path, Relation.CHANGES, None, len(found), listed, notes=notes)
