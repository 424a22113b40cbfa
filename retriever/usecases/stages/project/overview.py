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
"""First paragraphs of the README that may describe the project."""
_LEAST_WORDS = 4
"""Words of a paragraph that says something; badges and labels have fewer."""
_LATER = 0.8
"""Penalty for each preceding paragraph and heading: a page begins with its topic."""
_NAMED = 2
"""What it counts, in terms, that a paragraph begins with the name: "Till is a cash register"."""
_AGREED = 0.5
"""Share of the terms of the manifest's description that the README has where it says the same, and more."""
_NO_STATEMENT = ("|", ">", "..", "- ", "* ", "+ ")
"""How tables, notes, directives and lists begin."""
_HEADS = ("##", "---")
"""How headings of sections begin, or the rules below them."""
_LINKS = (("](", ")"), ("][", "]"))
"""What stands around the address of a link of Markdown."""
_REASON = "says what the project is"


class Overview:
    """
    Drafts the paragraph of the README that says what the project is, and the description of the manifest.

    It answers as well what something is that has the name of the project, and leads the list of its parts. A question
    that asks nothing else gets these parts and where to begin as well.

    That is the paragraph with most terms of the description (of the manifest, else of the documentation of the topmost
    module), and that begins with the name; of equals the first. The overview page stands for both where there is
    neither.
    """

    name = "overview"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Read the README and the manifests nearest to the root, where the project is meant."""
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
    """Return the description of the manifest at the root, else of that which the project is called after."""
    said = [each for each in properties(snapshot, "description") if each.value]
    names = {each.path: each.value.rpartition("/")[2] for each in properties(snapshot, "name") if each.name == "name"}
    own = snapshot.info.repository.rpartition("/")[2].lower()
    return next((each for each in said if "/" not in each.path or names.get(each.path, "").lower() == own), None)


def _documentation(snapshot: Snapshot, called: Sequence[str]) -> str:
    """Return the first sentence of the documentation of a module, that nearest to the root, that names the project."""
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
    """Leave out the lines at both ends that are markup alone, such as badges."""
    lines = paragraph.text.split("\n")
    told = [at for at, line in enumerate(lines) if _spoken(line).strip()]
    text = "\n".join(lines[told[0] : told[-1] + 1])
    return Paragraph(text, paragraph.start_line + told[0], paragraph.start_line + told[-1])


def _worth(text: str, told: frozenset[str], names: Sequence[frozenset[str]]) -> float:
    """Return how many terms of the description a paragraph has, more where a sentence begins with the name."""
    begun = [(each.split(), name) for each in sentences(text) for name in names if name]
    is_named = any(name <= count_terms(" ".join(said[: len(name) + 1])).keys() for said, name in begun)
    return 1 + len(told & count_terms(text).keys()) + _NAMED * is_named


def _spoken(text: str) -> str:
    """Return the words of a text without its markup, whose addresses have the project's name."""
    told = "".join(piece.rpartition(">")[2] for piece in text.split("<"))
    for opened, closed in _LINKS:
        first, *others = told.split(opened)
        pieces = [first, *(each.partition(closed)[2] for each in others)]
        told = "".join([*(each.partition("![")[0] for each in pieces[:-1]), pieces[-1]])
    return told.replace("[", "").replace("]", "")


def _is_statement(paragraph: Paragraph) -> bool:
    """Return whether a paragraph has a sentence: it is no code, badge, list, table, nor what only leads on to such."""
    said = sentences(_spoken(paragraph.text).strip())
    is_prose = not paragraph.is_code and not paragraph.text.lstrip().startswith(_NO_STATEMENT)
    return is_prose and any(len(each.split()) >= _LEAST_WORDS and not each.endswith(":") for each in said)


def _draft(snapshot: Snapshot, path: str, first: int, last: int, text: str) -> Draft:
    page = Document(0, DocumentKind.SECTION, path, path, None, first, last, text)
    return opening(document_draft(snapshot, page, _REASON))


def opening(draft: Draft) -> Draft:
    """Mark a page as one that answers a question about the project by itself."""
    return replace(draft, role=EvidenceRole.USERS, basis=Basis(BasisKind.OVERVIEW))
