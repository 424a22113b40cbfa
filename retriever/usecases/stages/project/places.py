"""What the parts of the code are, and what a folder or file holds that the question names."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, MentionKind, SlotKind
from retriever.domain.tasks.context import Context, Part, Task
from retriever.usecases.evidence.places import list_of, parts_of, place_of

if TYPE_CHECKING:
    from retriever.domain.views.listing import UserList
    from retriever.ports import Judge, Snapshot


class Parts:
    """Drafts a list of the folders that the code is divided into, the largest first, with what each says of itself."""

    name = "parts"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Take the folder that the question names; else descend to the first that has several parts."""
        named = [each for each in task.understanding.named(MentionKind.PATH) if place_of(snapshot, each)]
        found = await asyncio.to_thread(place_of, snapshot, named[0]) if named else None
        return listed_with(self.name, context, found or await asyncio.to_thread(parts_of, snapshot))


class Place:
    """Drafts a list of what a folder or file holds that the question names, with what each says of itself."""

    name = "place"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look up each place; nothing where there is none. Who asks where one is names it by its path."""
        paths, asked = task.understanding.named(MentionKind.PATH), task.understanding.of(Intent.PLACE, Intent.LOCATION)
        said = [(each, part.intent) for part in asked for each in part.texts(SlotKind.SUBJECT)]
        for each in dict.fromkeys(each for each, intent in said if intent is Intent.PLACE or each in paths):
            context = listed_with(self.name, context, await asyncio.to_thread(place_of, snapshot, each))
        return context


def listed_with(stage: str, context: Context, found: UserList | None) -> Context:
    """Add the draft of a list; nothing for an empty one."""
    if found is None or not found.count:
        return context
    return context.with_drafts([list_of(found)]).with_step(stage)
