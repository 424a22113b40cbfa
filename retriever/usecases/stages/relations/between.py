"""Says how two parts of the code depend on each other, where the question names two."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, QuestionPart, SlotKind
from retriever.domain.questions.names import parse
from retriever.domain.tasks.context import Context, Part, Task
from retriever.usecases.evidence.drafting import structure_draft
from retriever.usecases.locating.scoping import checked_scope
from retriever.usecases.stages.relations.users import users_draft
from retriever.usecases.using.written import importers_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.views.structure import Dependency
    from retriever.ports import Judge, Snapshot

_LISTED = 4
"""Most pairs of files that are named for each direction."""


class Between:
    """Counts the uses of each part by the other, without tests, with the files that have most of them."""

    name = "between"
    needs = frozenset({Part.CODE_INDEX, Part.CALL_GRAPH})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Draft the numbers; if the second part is an external package, its importers; else nothing."""
        asked = next(task.understanding.of(Intent.CONNECTION), QuestionPart())
        written = asked.texts(SlotKind.SUBJECT, SlotKind.OBJECT)[:2]
        draft = await asyncio.to_thread(uses_between, snapshot, *written) if len(written) > 1 else None
        name = parse(written[1]) if draft is None and len(written) > 1 else None
        if name:
            # An external package is no part of the code; its importers show whether the first part needs it.
            importing = await asyncio.to_thread(importers_of, snapshot, written[1], name)
            draft = users_draft(importing) if importing else None
        if draft is None:
            return context
        return context.with_drafts([draft]).with_step(self.name)


def uses_between(snapshot: Snapshot, one: str, other: str) -> Draft | None:
    """Draft how often two parts of the code use each other; None where one of them does not exist."""
    parts = tuple(checked_scope(snapshot, each) for each in (one, other))
    if not all(parts) or parts[0] == parts[1]:
        return None
    tests = {file.path for file in snapshot.files.all() if file.is_test}
    found = [each for each in snapshot.structure.dependencies() if each.path not in tests]
    there, back = _uses(found, *parts), _uses(found, *parts[::-1])
    lines = [f"Between {parts[0]} and {parts[1]}"]
    for (source, target), uses in ((parts, there), (parts[::-1], back)):
        lines += [f"Uses of {target} by {source}: {sum(each.uses for each in uses)}"]
        lines += [f"- {each.path} uses {each.depends_on} {each.uses} times" for each in uses[:_LISTED]]
    return structure_draft(lines[0], lines, "uses between two parts")


def _uses(dependencies: Sequence[Dependency], source: str, target: str) -> list[Dependency]:
    found = (
        each for each in dependencies if _is_in(each.path, source, target) and _is_in(each.depends_on, target, source)
    )
    return sorted(found, key=lambda each: (-each.uses, each.path, each.depends_on))


def _is_in(path: str, part: str, other: str) -> bool:
    """Return whether a path is in one part and not in the other, which may be nested in it."""
    return path.startswith(part) and not (path.startswith(other) and len(other) > len(part))
