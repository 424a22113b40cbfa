"""Says what the project is, by quoting its README and manifest."""

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
from retriever.usecases.evidence.places import parts_of, said_of
from retriever.usecases.locating.about_project import is_project, own_files, paths_of_packages, project_names, readme
from retriever.usecases.locating.manifests import properties
from retriever.usecases.locating.naming import module_of
from retriever.usecases.stages.project.beginnings import beginnings_of
from retriever.usecases.stages.project.places import listed_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.declared.given_values import GivenValue
    from retriever.ports import Judge, Snapshot

_READ = 12
"""How many first paragraphs of the README are considered as a description of the project."""
_LEAST_WORDS = 4
"""Least words of a sentence in a describing paragraph; badges and labels have fewer."""
_LATER = 0.8
"""Factor of the score for each preceding paragraph and heading: a page starts with its topic."""
_NAMED = 2
"""Bonus, in terms, for a sentence that starts with the project's name: "Till is a cash register"."""
_AGREED = 0.5
"""If the paragraph has at least this share of the description's terms, it comes before the description."""
_NO_STATEMENT = ("|", ">", "..", "- ", "* ", "+ ")
"""Start of tables, notes, directives and lists."""
_HEADS = ("##", "---")
"""Start of headings, or of the rules below them."""
_LINKS = (("](", ")"), ("][", "]"))
"""Delimiters of link targets in Markdown."""
_REASON = "says what the project is"


class Overview:
    """
    Drafts the paragraph of the README that says what the project is, and the description of the manifest.

    Also for questions what something with the project's name is, and before a list of its parts. A question that asks
    nothing else also gets the parts and where to begin.

    The paragraph is the one with most terms of the description (of the manifest, else of the topmost module's
    docstring), preferably starting with the name; of equals the first. Without paragraph and description the overview
    page is drafted.
    """

    name = "overview"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Read the README and the manifests nearest to the root, if the question is about the project."""
        meanings = (part.text(SlotKind.SUBJECT) for part in task.understanding.of(Intent.MEANING))
        named = next((each for each in meanings if is_project(snapshot, each)), "")
        is_asked = bool(named) or any(task.understanding.of(Intent.OVERVIEW))
        if not is_asked and not any(task.understanding.of(Intent.MODULES)):
            return context
        drafts = await asyncio.to_thread(_overview, snapshot)
        drafts = [replace(each, described=named) for each in drafts]
        context = context.with_drafts(drafts).with_step(self.name) if drafts else context
        if is_asked and len(task.understanding.parts) == 1 and Part.CODE_INDEX not in task.off:
            context = listed_with(self.name, context, await asyncio.to_thread(parts_of, snapshot))
            context = listed_with(self.name, context, await asyncio.to_thread(beginnings_of, snapshot))
        return context


def _overview(snapshot: Snapshot) -> list[Draft]:
    page, described = readme(snapshot), _description(snapshot)
    titles = [each.title for each in snapshot.documents.at([page]) if each.title != page][:1]
    called = [*project_names(snapshot), *titles]
    told = frozenset(count_terms(described.value if described else _documentation(snapshot, called)))
    names = [frozenset(count_terms(each)) for each in called]
    told = told.difference(*names) or told
    best = _saying(snapshot.files.text(page), told, names)
    drafts = [_draft(snapshot, page, best.start_line, best.end_line, best.text)] if best else []
    if described:
        drafts.append(_draft(snapshot, described.path, described.line, described.line, described.value))
        if best and len(told & count_terms(_spoken(best.text)).keys()) < _AGREED * len(told):
            drafts.reverse()
    pages = () if drafts else list(snapshot.documents.at([""]))[:1]
    return drafts or [opening(document_draft(snapshot, each, _REASON)) for each in pages]


def _description(snapshot: Snapshot) -> GivenValue | None:
    """Return the description in the manifest at the root, else in the one with the repository's name."""
    said = [each for each in properties(snapshot, "description") if each.value]
    names = {each.path: each.value.rpartition("/")[2] for each in properties(snapshot, "name") if each.name == "name"}
    own = snapshot.info.repository.rpartition("/")[2].lower()
    return next((each for each in said if "/" not in each.path or names.get(each.path, "").lower() == own), None)


def _documentation(snapshot: Snapshot, called: Sequence[str]) -> str:
    """Return the first sentence of a module docstring that names the project, from the module nearest to the root."""
    speaking = paths_of_packages(snapshot)
    paths = (each.path for each in own_files(snapshot) if "/" not in each.path or each.path in speaking)
    modules = (module_of(snapshot, path) for path in sorted(paths, key=lambda path: (path.count("/"), path)))
    names = count_terms(" ".join(called)).keys()
    said = (said_of(each) for each in modules if each)
    return next((each for each in said if not names.isdisjoint(count_terms(each))), "")


def _saying(text: str, told: frozenset[str], names: Sequence[frozenset[str]]) -> Paragraph | None:
    found = [each for each in paragraphs(text) if _is_statement(each)][:_READ]
    heads = [number for number, line in enumerate(text.split("\n"), 1) if line.startswith(_HEADS)]
    before = [at + sum(head < each.start_line for head in heads) for at, each in enumerate(found)]
    worth = [_worth(_spoken(each.text), told, names) * _LATER**at for at, each in zip(before, found, strict=True)]
    return _without_ends(found[worth.index(max(worth))]) if found else None


def _without_ends(paragraph: Paragraph) -> Paragraph:
    """Drop lines at both ends that consist of markup only, such as badges."""
    lines = paragraph.text.split("\n")
    told = [at for at, line in enumerate(lines) if _spoken(line).strip()]
    text = "\n".join(lines[told[0] : told[-1] + 1])
    return Paragraph(text, paragraph.start_line + told[0], paragraph.start_line + told[-1])


def _worth(text: str, told: frozenset[str], names: Sequence[frozenset[str]]) -> float:
    """Return 1 + the terms of the description in a paragraph, plus a bonus if a sentence starts with the name."""
    begun = [(each.split(), name) for each in sentences(text) for name in names if name]
    is_named = any(name <= count_terms(" ".join(said[: len(name) + 1])).keys() for said, name in begun)
    return 1 + len(told & count_terms(text).keys()) + _NAMED * is_named


def _spoken(text: str) -> str:
    """Return a text without HTML and link targets, which often contain the project's name."""
    told = "".join(piece.rpartition(">")[2] for piece in text.split("<"))
    for opened, closed in _LINKS:
        first, *others = told.split(opened)
        pieces = [first, *(each.partition(closed)[2] for each in others)]
        told = "".join([*(each.partition("![")[0] for each in pieces[:-1]), pieces[-1]])
    return told.replace("[", "").replace("]", "")


def _is_statement(paragraph: Paragraph) -> bool:
    """Return whether a paragraph has a full sentence, and is no code, badge, list, table or lead-in to one."""
    said = sentences(_spoken(paragraph.text).strip())
    is_prose = not paragraph.is_code and not paragraph.text.lstrip().startswith(_NO_STATEMENT)
    return is_prose and any(len(each.split()) >= _LEAST_WORDS and not each.endswith(":") for each in said)


def _draft(snapshot: Snapshot, path: str, first: int, last: int, text: str) -> Draft:
    page = Document(0, DocumentKind.SECTION, path, path, None, first, last, text)
    return opening(document_draft(snapshot, page, _REASON))


def opening(draft: Draft) -> Draft:
    """Mark the draft of a page as an answer by itself to a question about the project."""
    return replace(draft, role=EvidenceRole.USERS, basis=Basis(BasisKind.OVERVIEW))
