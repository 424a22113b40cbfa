"""What the project is, in the words of its README and its manifest."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Basis, BasisKind
from common.core.contract.understanding import Intent, SlotKind
from common.core.words.terms import count_terms
from retriever.domain.evidence.piece import Draft, EvidenceRole
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import Document, DocumentKind
from retriever.domain.views.prose import Paragraph, paragraphs, sentences
from retriever.usecases.evidence.drafting import document_draft
from retriever.usecases.locating.about_project import is_project, project_names, readme
from retriever.usecases.locating.manifests import properties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.ports import Judge, Snapshot

_READ = 12
"""First paragraphs of the README that may describe the project."""
_LEAST_WORDS = 6
"""Words of a paragraph that says something; badges and labels have fewer."""
_LATER = 0.95
"""Penalty for each preceding paragraph: a page begins with its topic."""
_NAMED = 2
"""What it counts, in terms, that a paragraph begins with the name: "Till is a cash register"."""
_REASON = "says what the project is"


class Overview:
    """
    Drafts the paragraph of the README that says what the project is, and the description of the manifest.

    It answers as well what something is that has the name of the project.

    That is the paragraph with most terms of description, name and first heading, of equals the first; the overview page
    stands for both where there is neither.
    """

    name = "overview"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Read the README and the manifests nearest to the root, where the project is meant."""
        meanings = (part.text(SlotKind.SUBJECT) for part in task.understanding.of(Intent.MEANING))
        named = next((each for each in meanings if is_project(snapshot, each)), "")
        if not named and not any(task.understanding.of(Intent.OVERVIEW)):
            return context
        drafts = await asyncio.to_thread(_overview, snapshot)
        drafts = [replace(each, described=named) for each in drafts]
        return context.with_drafts(drafts).with_step(self.name) if drafts else context


def _overview(snapshot: Snapshot) -> list[Draft]:
    page, said = readme(snapshot), properties(snapshot, "description")
    described = next((each for each in said if each.path.count("/") == said[0].path.count("/") and each.value), None)
    titles = [each.title for each in snapshot.documents.at([page]) if each.title != page][:1]
    spoken = [*project_names(snapshot), *titles, *([described.value] if described else [])]
    wanted = frozenset(count_terms(" ".join(spoken)))
    names = [frozenset(count_terms(each)) for each in (*project_names(snapshot), *titles)]
    best = _saying(snapshot.files.text(page), wanted, names)
    drafts = [_draft(snapshot, page, best.start_line, best.end_line, best.text)] if best else []
    if described:
        drafts.append(_draft(snapshot, described.path, described.line, described.line, described.value))
        if not best or wanted.isdisjoint(count_terms(best.text)):
            drafts.reverse()
    pages = () if drafts else list(snapshot.documents.at([""]))[:1]
    return drafts or [opening(document_draft(snapshot, each, _REASON)) for each in pages]


def _saying(text: str, wanted: frozenset[str], names: Sequence[frozenset[str]]) -> Paragraph | None:
    found = [each for each in paragraphs(text) if _is_statement(each)][:_READ]
    worth = [_worth(_spoken(each.text), wanted, names) * _LATER**at for at, each in enumerate(found)]
    return found[worth.index(max(worth))] if found else None


def _worth(text: str, wanted: frozenset[str], names: Sequence[frozenset[str]]) -> float:
    """Return how many wanted terms a paragraph has, more where a sentence begins with the name of the project."""
    begun = [(each.split(), name) for each in sentences(text) for name in names if name]
    is_named = any(name <= count_terms(" ".join(told[: len(name) + 1])).keys() for told, name in begun)
    return len(wanted & count_terms(text).keys()) + _NAMED * is_named


def _spoken(text: str) -> str:
    """Return a text without the tags of HTML, whose addresses have the project's name."""
    return "".join(piece.rpartition(">")[2] for piece in text.split("<"))


def _is_statement(paragraph: Paragraph) -> bool:
    """Return whether a paragraph says something: it is no code, badge, table, nor what only leads on to such."""
    text = _spoken(paragraph.text).strip()
    is_prose = not paragraph.is_code and not text.startswith(("[", "|")) and not text.endswith(":")
    return is_prose and len(text.split()) >= _LEAST_WORDS


def _draft(snapshot: Snapshot, path: str, first: int, last: int, text: str) -> Draft:
    page = Document(0, DocumentKind.SECTION, path, path, None, first, last, text)
    return opening(document_draft(snapshot, page, _REASON))


def opening(draft: Draft) -> Draft:
    """Mark a page as one that answers a question about the project by itself."""
    return replace(draft, role=EvidenceRole.USERS, basis=Basis(BasisKind.OVERVIEW))
