"""Finds the part of the code to which metrics and lists are limited."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.understanding import Intent, MentionKind, SlotKind
from common.core.words.terms import count_terms, split_identifier
from retriever.domain.tasks.context import Context, Part, Task, decide
from retriever.usecases.locating.scoping import checked_scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.questions.question import Ranking
    from retriever.ports import Judge, Snapshot

_MAJORITY = 0.4
"""Least share of the first ranked files' scores in a folder that the question is about."""
_BEST, _MATCHES = 10, 20
"""How many first ranked files decide where most matches are, and how many count as matches."""
_MOST_NAMED = 20
"""Most mentioned parts that are looked up, each among all folders and files."""
_ABOUT_PARTS = (Intent.STRUCTURE, Intent.FINDINGS, Intent.SIZES, Intent.UNUSED)
"""Intents about a part as a whole: for these the folder with most matches may be taken."""


class Scope:
    """
    Finds the part of the code that a question is about: the named part, else a folder with matches whose name consists
    of words of the subject, else the folder with most matches.

    Of several named parts the first is taken: its metrics show the relations to the others. A question that names
    nothing ("Which modules are coupled most?") is about the whole repository.
    """

    name = "scope"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Set the scope of the stages after this one."""
        parts = tuple(task.understanding.of(*_ABOUT_PARTS, Intent.ASSESSMENT))
        about = [text for part in parts for text in part.texts(SlotKind.SUBJECT, SlotKind.OWNER, SlotKind.OBJECT)]
        written = (*about, *task.understanding.named(MentionKind.PATH))
        named = task.scope or await asyncio.to_thread(_named_folder, snapshot, written)
        called = "" if named or not about else _folder_called(context.ranking, about)
        matching = about and any(part.intent in _ABOUT_PARTS for part in parts)
        scope = named or called or (_folder_of(context.ranking) if matching else "")
        reason = "named" if named else "called like that" if called else "most matches lie in it"
        reason = reason if scope else "no part stands out"
        decision = decide(self.name, "scope", Span(scope, 0, 0), reason, included=bool(scope))
        return replace(context, scope=scope).with_decisions([decision])


def _named_folder(snapshot: Snapshot, written: Sequence[str]) -> str:
    found = (checked_scope(snapshot, each) for each in islice(dict.fromkeys(written), _MOST_NAMED))
    return next((scope for scope in found if scope), "")


def _folder_called(ranking: Ranking, about: Sequence[str]) -> str:
    """
    Return the folder whose name consists of the most words of the question and of no others; "" without any.

    Of several the one with the best matches is taken.
    """
    said = set(count_terms(" ".join(about)))
    weights = _weights(ranking, _MATCHES)
    last = {folder: split_identifier(folder[:-1].rpartition("/")[2]) for folder in weights}
    names = {folder: set(count_terms(" ".join(parts))) for folder, parts in last.items()}
    called = [folder for folder, name in names.items() if name and name <= said]
    return max(called, key=lambda folder: (len(names[folder]), weights[folder], folder), default="")


def _folder_of(ranking: Ranking) -> str:
    weights = _weights(ranking, _BEST)
    least = _MAJORITY * sum(each.score for each in ranking.files[:_BEST])
    held = [folder for folder, weight in weights.items() if weight >= least]
    return max(held, key=lambda folder: (folder.count("/"), folder), default="")


def _weights(ranking: Ranking, files: int) -> Mapping[str, float]:
    """Sum up the scores of the first files below each folder; names of folders end with a slash."""
    weights: dict[str, float] = {}
    for each in ranking.files[:files]:
        parts = each.file.path.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            folder = "/".join(parts[:depth]) + "/"
            weights[folder] = weights.get(folder, 0.0) + each.score
    return weights
