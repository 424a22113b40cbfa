"""Answers "where is X" if X is no definition of the project but an external package that it imports."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, MentionKind, SlotKind
from common.core.words.terms import words
from retriever.domain.questions.names import parse
from retriever.domain.tasks.context import Context, Part, Task
from retriever.usecases.locating.naming import is_first_hand
from retriever.usecases.stages.relations.users import users_draft
from retriever.usecases.using.written import importers_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retriever.ports import Judge, Snapshot
    from retriever.usecases.using.found import Using


class Foreign:
    """Drafts the importers of the external package whose name is in the subject, the longest name first."""

    name = "foreign"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Compare the words with names of imported packages; nothing if the project defines something of that name."""
        for part in task.understanding.of(Intent.LOCATION):
            paths = task.understanding.named(MentionKind.PATH)
            said = " ".join(each for each in part.texts(SlotKind.SUBJECT, SlotKind.OBJECT) if each not in paths)
            found = await asyncio.to_thread(_imported, snapshot, words(said)) if said else None
            if found:
                context = context.with_drafts([users_draft(found)]).with_step(self.name)
        return context


def _imported(snapshot: Snapshot, said: Sequence[str]) -> Using | None:
    packages = (each for name in sorted(snapshot.structure.external_names()) for each in _packages(name))
    by_name = {_folded(each.replace(".", "/").rpartition("/")[2]): each for each in packages}
    for run in _runs(said):
        if any(is_first_hand(each) for each in snapshot.symbols.named(run)):
            return None
        name = by_name.get(run)
        if name and (found := importers_of(snapshot, name, parse(name))).uses:
            return found
    return None


def _packages(name: str) -> Iterator[str]:
    """Yield the package of an imported name, `example.org/ui/input` of `example.org/ui/input.New`, and the name."""
    path, slash, last = name.rpartition("/")
    yield from (f"{path}{slash}{last.partition('.')[0]}", name)


def _folded(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def _runs(said: Sequence[str]) -> Iterator[str]:
    """Yield consecutive words joined into one, the longest runs first."""
    for length in range(len(said), 0, -1):
        yield from (_folded("".join(said[at : at + length])) for at in range(len(said) - length + 1))
