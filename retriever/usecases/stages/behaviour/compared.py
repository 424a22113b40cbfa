"""Shows the two definitions, folders or files that the question compares."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, QuestionPart, SlotKind
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.questions.names import parse
from retriever.domain.tasks.context import Context, Part, Task
from retriever.usecases.evidence.drafting import source_draft
from retriever.usecases.evidence.places import list_of, place_of
from retriever.usecases.locating.naming import defining, find_symbols
from retriever.usecases.stages.relations.between import uses_between

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot

_MEANT = 40
"""Most definitions of one name that are considered."""


class Compared:
    """
    Drafts the source of the two definitions that are closest: of one type, else of one file, folder or kind.

    For two folders or files it drafts their contents and how often they use each other.
    """

    name = "compared"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look up both names; if not both are definitions, try folders and files."""
        asked = next(task.understanding.of(Intent.COMPARISON), QuestionPart())
        names = asked.texts(SlotKind.SUBJECT, SlotKind.OBJECT)[:2]
        pair = await asyncio.to_thread(_pair, snapshot, *names) if len(names) > 1 else None
        if pair is None:
            drafts = await asyncio.to_thread(_places, snapshot, *names) if len(names) > 1 else []
            return context.with_drafts(drafts).with_step(self.name) if drafts else context
        drafts = [
            source_draft(
                snapshot,
                one,
                EvidenceRole.MATCH,
                f"compared with {other.qualified_name or other.module}",
            )
            for one, other in (pair, pair[::-1])
        ]
        return context.with_drafts(drafts).with_step(self.name)


def _places(snapshot: Snapshot, one: str, other: str) -> list[Draft]:
    """Draft the contents of two folders or files, and their mutual uses; nothing if one of them does not exist."""
    found = [place_of(snapshot, each) for each in (one, other)]
    if not all(found):
        return []
    used = uses_between(snapshot, *(each.name for each in found if each))
    return [*(list_of(each) for each in found if each), *([used] if used else [])]


def _pair(snapshot: Snapshot, one: str, other: str) -> tuple[Symbol, Symbol] | None:
    found = [_defined(snapshot, name) for name in (one, other)]
    pairs = ((left, right) for left in found[0] for right in found[1] if left.id != right.id)
    owned = tuple("." not in name and "." in f"{one}{other}" for name in (one, other))
    return min(pairs, key=lambda pair: (*_members(pair, owned), *_apart(pair)), default=None)


def _members(pair: tuple[Symbol, Symbol], is_bare: Sequence[bool]) -> tuple[bool, int]:
    """Sort key: lower if a bare name compared with a member is no member itself: "get and Session.get"."""
    shown = any(each.is_aside for each in pair)
    return shown, sum(bare and "." in each.qualified_name for each, bare in zip(pair, is_bare, strict=True))


def _defined(snapshot: Snapshot, written: str) -> list[Symbol]:
    name = parse(written)
    return defining(find_symbols(snapshot, name))[:_MEANT] if name and name.parts else []


def _apart(pair: tuple[Symbol, Symbol]) -> tuple[object, ...]:
    """Sort key: lower for two definitions that are close to each other and documented; ties by place."""
    one, other = pair
    owners = [each.qualified_name.rpartition(".")[0] for each in pair]
    folders = [each.path.rpartition("/")[0] for each in pair]
    return (
        owners[0] != owners[1] or folders[0] != folders[1],
        one.path != other.path,
        folders[0] != folders[1],
        one.kind != other.kind,
        sum(not each.docstring for each in pair),
        *((each.path, each.start_line) for each in pair),
    )
