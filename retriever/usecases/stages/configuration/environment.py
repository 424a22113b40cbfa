"""Lists the variables of the environment, or the properties of the system, that code reads."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Basis, BasisKind, Setting, Span
from common.core.contract.understanding import Intent, QuestionPart
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import FactKind, Origin
from retriever.usecases.evidence.drafting import lines_draft
from retriever.usecases.locating.naming import is_aside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retriever.domain.declared.given_values import GivenValue
    from retriever.domain.evidence.piece import Draft
    from retriever.ports import Judge, Snapshot

_LISTED = 60
_KINDS = {"environment": FactKind.ENVIRONMENT, "property": FactKind.PROPERTY}
_MADE = 5
"""Most places listed that read a name composed at run time."""


class Environment:
    """
    Drafts the reading line of each variable, by name, and a few lines that read a name composed at run time.

    Reads in examples and tools count only if there are no others; the last line says how many more variables exist.
    """

    name = "environment"
    needs = frozenset({Part.CODE_INDEX, Part.SOURCE})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """List the reads of the environment; nothing if the question does not ask for them."""
        part = next((each for each in task.understanding.of(Intent.SETTINGS) if each.choice in _KINDS), QuestionPart())
        said = part.asked(task.question)
        if not said or snapshot.lexical.problem:
            return context
        # "settings by -D or the environment" may mean either, and a project usually reads only one of them.
        kinds = sorted(_KINDS.values(), key=lambda kind: kind is not _KINDS[part.choice])
        every = await asyncio.to_thread(lambda: [list(_read(snapshot, kind)) for kind in kinds])
        read = next(filter(None, every), [])
        found = dict(_first_hand(snapshot, [each for each in read if each[0]]))
        made = [place for _, place in _first_hand(snapshot, [each for each in read if not each[0]])][:_MADE]
        named = sorted(found)[:_LISTED]
        left = len(found) - len(named)
        read_as = [(found[name], name, left if name == named[-1] else 0) for name in named]
        drafts = [_draft(snapshot, said, *each) for each in [*read_as, *((place, "", 0) for place in made)]]
        return context.with_drafts(drafts).with_step(self.name) if drafts else context


def _read(snapshot: Snapshot, kind: FactKind) -> Iterator[tuple[str, tuple[str, Setting]]]:
    """
    Yield each variable with the first place that reads it: one with a default, else by path and line.

    Reads of a name that is composed or passed in come last, each place with "" as its name.
    """
    named: dict[str, GivenValue] = {}
    made: list[GivenValue] = []
    for each in sorted(snapshot.values.of_kind(kind), key=lambda read: not read.value):
        name = _text_of(snapshot, each) if each.origin == Origin.CONSTANT else each.name
        if each.origin == Origin.COMPUTED or not name:
            made.append(each)
        else:
            named.setdefault(name, each)
    for name, each in named.items():
        yield name, (each.path, Setting((), name, each.value, each.line))
    for each in sorted(made, key=lambda read: (read.path, read.line)):
        yield "", (each.path, Setting((), each.name, "", each.line))


def _text_of(snapshot: Snapshot, read: GivenValue) -> str:
    """Return the string value of a constant, from the reading file if possible, else another; "" if unknown."""
    held = [each for each in snapshot.values.named(read.name) if each.keys[-1] == read.name and each.is_plain]
    held.sort(key=lambda each: each.path != read.path)
    return next((each.value.strip("\"'`") for each in held if each.value[:1] in "\"'`"), "")


def _first_hand(
    snapshot: Snapshot, read: list[tuple[str, tuple[str, Setting]]]
) -> list[tuple[str, tuple[str, Setting]]]:
    return [each for each in read if not is_aside(snapshot, each[1][0])] or read


def _draft(snapshot: Snapshot, said: str, place: tuple[str, Setting], name: str, further: int) -> Draft:
    path, setting = place
    span = Span(path, setting.line, setting.line)
    reason = f"reads {name or 'a name that is made there'} from the environment"
    reason += f", as {further} more are" if further else ""
    draft = lines_draft(snapshot, span, EvidenceRole.SETTING, reason)
    basis = Basis(BasisKind.ENVIRONMENT, name, line=setting.line, further=further)
    return replace(draft, setting=replace(setting, words=(said,)), basis=basis)
