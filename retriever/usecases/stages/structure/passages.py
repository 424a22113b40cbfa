"""Finds the paragraph of a page that matches the words of the question best."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, MentionKind, QuestionPart, SlotKind
from common.core.words.terms import terms_of, words
from retriever.domain.evidence.piece import Draft, EvidenceRole
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import Document, DocumentKind
from retriever.domain.views.prose import Paragraph, paragraphs
from retriever.usecases.evidence.drafting import document_draft
from retriever.usecases.locating.about_project import readme, words_of_name
from retriever.usecases.locating.naming import lists_of_changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retriever.ports import Judge, Snapshot

_PAGES = 40
_LEAST = 0.7
"""Least share of the weight of the asked words in a paragraph with its heading; the rarest word must occur too."""
_ALIKE, _LEAST_LETTERS = 0.7, 5
"""Least common prefix of two forms of a word, as a share of the shorter one and in letters: "rotate", "rotation"."""
_FURTHER, _FIRST, _OF_ITSELF = 0.5, 0.25, 0.25
"""Weight of the other words of the question, bonus for the README, and bonus for naming the project."""
_LEAST_WORDS, _MARKUP = 6, ("<", "|", "!", "[!")
"""Least words of a paragraph, and the start of badges, tables and pictures, which do not count."""
_TOLD = (Intent.SUPPORT, Intent.USAGE, Intent.EXTENSION, Intent.RATIONALE, Intent.CONNECTION)
"""Intents that a paragraph of a page can answer."""
_NAMES = (MentionKind.SYMBOL, MentionKind.SETTING)


class Passages:
    """
    Drafts the paragraph with the largest share of the words of a part, weighted by rarity, if the share is high enough.

    It must also contain at least half of the symbols and settings that the part names. The README gets a bonus; of
    equals the shortest paragraph is taken.
    """

    name = "passages"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Search pages for each part of the question: for the words of its slots, without slots for all its words."""
        for part in task.understanding.of(*_TOLD):
            draft = await asyncio.to_thread(_passage, snapshot, task, part)
            context = context.with_drafts([draft]).with_step(self.name) if draft else context
        return context


def _passage(snapshot: Snapshot, task: Task, part: QuestionPart) -> Draft | None:
    asked = part.asked(task.question)
    said = " ".join(part.texts(SlotKind.SUBJECT, SlotKind.OBJECT, SlotKind.KIND, SlotKind.VERB))
    own = words_of_name(snapshot)
    further = _weights(snapshot, asked, own)
    weights = _weights(snapshot, said, own) or further
    headed = weights.keys() if part.intent is Intent.EXTENSION else frozenset[str]()
    first, rarest = readme(snapshot), max(weights, key=lambda each: weights[each], default="")
    mentions = [each for each in task.understanding.mentions if part.start <= each.start < part.end]
    names = (each.text.casefold() for each in mentions if each.kind in _NAMES)
    named = [each for each in names if not own.issuperset(_words(each))]

    def worth(page: Document, text: str) -> float:
        share = _share(weights, text, page.title)
        aside = _FIRST * (page.path == first) + _OF_ITSELF * (not own.isdisjoint(_words(text)))
        told = f"{page.title} {text}"
        is_told = share >= _LEAST and any(_is_form(rarest, word) for word in _words(told))
        is_told = is_told and 2 * sum(each in told.casefold() for each in named) >= len(named)
        # "Adding a command": the heading must have more of the question than the kind alone
        is_told = is_told and (not headed or headed < _said(further, page.title.rpartition(" > ")[2]))
        return share + _FURTHER * _share(further, text, page.title) + aside if is_told else 0.0

    pages = _pages(snapshot, list(weights)) if weights else ()
    found = [(worth(page, each.text), -len(each.text), page, each) for page in pages for each in _prose(snapshot, page)]
    best = max(found, key=lambda each: each[:2], default=None)
    if best is None or not best[0]:
        return None
    _, _, page, shown = best
    placed = replace(page, start_line=shown.start_line, end_line=shown.end_line, body=shown.text)
    draft = document_draft(snapshot, placed, "says it in words of the question", score=best[0])
    return replace(draft, role=EvidenceRole.MATCH, described=asked)


def _weights(snapshot: Snapshot, said: str, own: frozenset[str]) -> Mapping[str, float]:
    """Return the rarity of each word among the files, without the project's name and words of all files."""
    kept = dict.fromkeys(word.lower() for word in words(said) if terms_of(word))
    files = max(1, len(snapshot.lexical.corpus().files))
    found: dict[str, float] = {}
    for word in (each for each in kept if each not in own):
        units = snapshot.lexical.postings(list(terms_of(word))).files.units
        found[word] = math.log((1 + files) / (1 + len(set(units.tolist()))))
    return {word: weight for word, weight in found.items() if weight > 0}


def _pages(snapshot: Snapshot, asked: Sequence[str]) -> Iterator[Document]:
    """Yield the sections with some of the words, and all of the README, which may have them in other forms."""
    searched = [page for page, _ in snapshot.documents.search(asked, _PAGES)]
    found = {page.id: page for page in (*snapshot.documents.at([readme(snapshot)]), *searched)}
    changes = lists_of_changes(snapshot)
    return (page for page in found.values() if page.kind == DocumentKind.SECTION and page.path not in changes)


def _prose(snapshot: Snapshot, page: Document) -> Iterator[Paragraph]:
    text = snapshot.files.lines(page.path, page.start_line, page.end_line)
    found = (each for each in paragraphs(text, page.start_line) if not each.is_code)
    return (
        each for each in found if len(each.text.split()) >= _LEAST_WORDS and not each.text.lstrip().startswith(_MARKUP)
    )


def _share(weights: Mapping[str, float], text: str, title: str) -> float:
    """Return the weighted share of the words in a paragraph with its heading; 0 if only the heading has any."""
    told = _said(weights, text)
    return sum(weights[word] for word in told | _said(weights, title)) / sum(weights.values()) if told else 0.0


def _said(asked: Iterable[str], text: str) -> set[str]:
    """Return those of the words that a text has in any form; forms of a word share their first letters."""
    by_start: dict[str, list[str]] = defaultdict(list)
    for word in _words(text):
        by_start[word[:_LEAST_LETTERS]].append(word)
    return {word for word in asked if any(_is_form(word, each) for each in by_start.get(word[:_LEAST_LETTERS], ()))}


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in words(text))


def _is_form(one: str, other: str) -> bool:
    """Return whether two words are forms of one word, by their common prefix."""
    least = max(_LEAST_LETTERS, math.ceil(_ALIKE * min(len(one), len(other))))
    return one == other or (len(one) >= least and one[:least] == other[:least])
