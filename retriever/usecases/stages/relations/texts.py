"""Lists the texts of one form that code writes: error codes, events, keys of messages."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.understanding import Intent, Relation
from retriever.domain.questions.names import parse
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import list_draft, read_lines
from retriever.usecases.locating.naming import enclosing, find_symbols

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retriever.ports import Judge, Snapshot

_READ, _MANY = 200, 3
"""Most lines to read for one prefix, and least different texts for a list."""


class Texts:
    """
    Drafts a list of string literals with the prefix of a text that the question names: "app." of "app.xxx".

    The text must not name a definition, and code must have at least three such literals.
    """

    name = "texts"
    needs = frozenset({Part.CODE_INDEX, Part.SOURCE})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look up the prefixes of dotted texts that the question names."""
        parts = tuple(task.understanding.of(Intent.KINDS))
        named = (each for each in task.understanding.mentions if any(p.start <= each.start < p.end for p in parts))
        for text in (each.text for each in named if "." in each.text):
            found = await asyncio.to_thread(_find, snapshot, text)
            if found is not None:
                mentions = [each.symbol for each in found.listed if each.symbol]
                return context.with_drafts([list_draft(found, mentions)]).with_step(self.name)
        return context


def _find(snapshot: Snapshot, written: str) -> UserList | None:
    name = parse(written)
    if name is None or find_symbols(snapshot, name):
        return None
    start = written.rpartition(".")[0] + "."
    users: dict[str, User] = {}
    for hit in snapshot.texts.find(start, limit=_READ):
        file = snapshot.files.at(hit.path)
        if file is None or not file.language or file.is_test or file.role.is_aside:
            continue
        for text in _quoted(read_lines(snapshot, Span(hit.path, hit.line, hit.line)), start):
            symbol, place = enclosing(snapshot, hit.path, hit.line), Span(hit.path, hit.line, hit.line)
            users.setdefault(text, User(text, symbol, place))
    listed = tuple(users.values())
    return UserList(f"{start}*", Relation.NAMES, None, len(listed), listed) if len(listed) >= _MANY else None


def _quoted(line: str, start: str) -> Iterator[str]:
    """Yield the quoted texts of a line that have the prefix and are a dotted name."""
    for text in line.replace('"', "'").replace("`", "'").split("'")[1::2]:
        if text.startswith(start) and text.replace(".", "").replace("-", "").isidentifier():
            yield text
