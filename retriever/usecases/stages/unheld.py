"""Says which words of a feature that is asked for nothing in the index holds, or holds together."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from common.core.terms import count_terms, terms_of
from retriever.domain.asked_feature import feature_words
from retriever.domain.context import Context, Part, Task
from retriever.domain.evidence import ContextSource, Draft, EvidenceKind, Role
from retriever.domain.question import Mode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.ports import Judge, Snapshot

_COMMON = 0.2
"""Share of the files from which on a word tells nothing apart, as the project's own name."""
_PAGES = 30
"""Pages nearest to the words that are looked at."""
_LEAST_LETTERS = 4
"""Shorter words are as often put together: "sub app" and "subapp"."""


class Unheld:
    """
    Drafts one line where a question asks for a feature that nothing speaks of.

    That is a word that no file has or, where just two words tell the feature, two that no definition and no page has
    together. Of three words some are always put otherwise.
    """

    name = "unheld"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look the words up."""
        words = feature_words(task.question)
        if not words or snapshot.lexical.problem:
            return context
        told = await asyncio.to_thread(_told, snapshot, words)
        drafts = [_draft(told, task.mode)] if told else []
        return replace(context.with_drafts(drafts), ran=(*context.ran, self.name))


def _told(snapshot: Snapshot, words: Sequence[str]) -> str:
    """Return the line, "" if the words may well be spoken of."""
    files = len(snapshot.lexical.corpus().files)
    terms = [terms_of(word)[0] for word in words]
    found = snapshot.lexical.postings(terms).files
    held = [len(np.unique(found.units[found.terms == at])) for at in range(len(terms))]
    nowhere = [word for word, count in zip(words, held, strict=True) if not count]
    if nowhere:
        return f"In no file of the index: {_quoted(nowhere)}."
    telling = [word for word, count in zip(words, held, strict=True) if count <= _COMMON * files]
    apart = len(telling) == 2 and min(map(len, telling)) >= _LEAST_LETTERS and not _are_together(snapshot, telling)
    return f"Together in no definition and on no page of the index: {_quoted(telling)}." if apart else ""


def _are_together(snapshot: Snapshot, pair: Sequence[str]) -> bool:
    terms = [terms_of(word)[0] for word in pair]
    found = snapshot.lexical.postings(terms).symbols
    if np.intersect1d(found.units[found.terms == 0], found.units[found.terms == 1]).size:
        return True
    pages = snapshot.documents.search(pair, _PAGES)
    return any(set(terms) <= set(count_terms(f"{page.title} {page.body}")) for page, _ in pages)


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)


def _draft(told: str, mode: Mode) -> Draft:
    return Draft(
        kind=EvidenceKind.METRICS,
        source=ContextSource.CODE if mode == Mode.EXPLORATORY else ContextSource.DOCS,
        role=Role.UNHELD,
        title="What the index does not hold",
        text=told + "\n",
        reason="words of the question that nothing holds",
    )
