"""Analytical: finds the part of the code that the numbers are to be about."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from retriever.domain.asked.subject import names_a_part
from retriever.domain.context import Context, Part, Task, decide
from retriever.domain.values import Span
from retriever.usecases.scoping import checked_scope

if TYPE_CHECKING:
    from retriever.domain.question import Ranking
    from retriever.ports import Judge, Snapshot

_MAJORITY = 0.4
"""Share of the ranked files' weight that a folder must hold to be what the question is about."""
_SLASHED = re.compile(r"(?<![\w.-])[\w.-]+(?:/[\w.-]+)+")
_SPOKEN_OF = re.compile(r"\b([A-Za-z_][\w.]{0,200}+) (?:module|package|subpackage|folder|directory)\b")
_MOST_NAMED = 100
"""So many are looked up, each among all folders and files."""


class Scope:
    """
    Finds the part of the code that is meant: the one that was named, or the folder that most matches lie in.

    Of several that are named it is the first: what the others have to do with it stands in its numbers. A question that
    names nothing ("Which modules are coupled most?") is about the whole, wherever its words match.
    """

    name = "scope"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Set the scope of the stages after this one."""
        is_partial = names_a_part(task.question, task.mode)
        named = task.scope or await asyncio.to_thread(_named_folder, snapshot, task.question)
        scope = named or (_folder_of(context.ranking) if is_partial else "")
        reason = "named" if named else "most matches lie in it" if scope else "no part stands out"
        decision = decide(self.name, "scope", Span(scope, 0, 0), reason, included=bool(scope))
        return replace(context, scope=scope).with_decisions([decision])


def _named_folder(snapshot: Snapshot, question: str) -> str:
    written = (*_SLASHED.findall(question), *_SPOKEN_OF.findall(question))
    found = (checked_scope(snapshot, each.strip(".")) for each in islice(dict.fromkeys(written), _MOST_NAMED))
    return next((scope for scope in found if scope), "")


def _folder_of(ranking: Ranking) -> str:
    weights: Counter[str] = Counter()
    total = 0.0
    for each in ranking.files[:10]:
        parts = each.file.path.split("/")[:-1]
        total += each.score
        for depth in range(1, len(parts) + 1):
            weights["/".join(parts[:depth]) + "/"] += each.score  # type: ignore[assignment]  # a counter of weights
    held = [folder for folder, weight in weights.items() if weight >= _MAJORITY * total]
    return max(held, key=lambda folder: (folder.count("/"), folder), default="")
