"""Lists the parts of the code, or the contents of a folder or file that the question names."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, MentionKind, Relation, SlotKind
from retriever.domain.tasks.context import Context, Part, Task
from retriever.usecases.evidence.places import list_of, parts_of, place_of
from retriever.usecases.locating.about_project import folders_of

if TYPE_CHECKING:
    from common.core.contract.understanding import QuestionPart
    from retriever.domain.views.listing import UserList
    from retriever.ports import Judge, Snapshot


class Parts:
    """Drafts a list of the main folders of the code, the largest first, each with its documentation."""

    name = "parts"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Take the folder that the question names; else descend to the first that has several parts."""
        named = [each for each in task.understanding.named(MentionKind.PATH) if place_of(snapshot, each)]
        found = await asyncio.to_thread(place_of, snapshot, named[0]) if named else None
        return listed_with(self.name, context, found or await asyncio.to_thread(parts_of, snapshot))


class Place:
    """Drafts the contents of a folder or file that the question names, each item with its documentation."""

    name = "place"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look up each place; nothing without any. "Where is X" counts only if X is written as a path."""
        paths, asked = task.understanding.named(MentionKind.PATH), task.understanding.of(Intent.PLACE, Intent.LOCATION)
        said = [(each, part.intent) for part in asked for each in part.texts(SlotKind.SUBJECT)]
        said += [
            (_tests(snapshot), Intent.PLACE) for part in task.understanding.of(Intent.RELATION) if _is_of_all(part)
        ]
        for each in dict.fromkeys(each for each, intent in said if intent is Intent.PLACE or each in paths):
            context = listed_with(self.name, context, await asyncio.to_thread(place_of, snapshot, each))
        return context


def _is_of_all(part: QuestionPart) -> bool:
    """Return whether a part asks for the tests of the whole project: "where are the tests"."""
    return part.relation is Relation.TESTS and not any(slot.text for slot in part.slots)


def _tests(snapshot: Snapshot) -> str:
    """Return the folder with most of the tests; "" without tests in folders of their own."""
    files = [file for file in snapshot.files.all() if file.parsed]
    own = {folder for file in files if not file.is_test for folder in folders_of(file.path)}
    above = (reversed(folders_of(file.path)) for file in files if file.is_test)
    apart = (next((each for each in folders if each and each not in own), "") for folders in above)
    found = Counter(filter(None, apart))
    return max(found, key=lambda each: (found[each], each), default="")


def listed_with(stage: str, context: Context, found: UserList | None) -> Context:
    """Add the draft of a list to the context, unless the list is empty and has no note."""
    if found is None or not (found.count or found.notes):
        return context
    return context.with_drafts([list_of(found)]).with_step(stage)
