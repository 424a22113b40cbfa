"""How one runs, builds, tests or installs the project, or something of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.words.terms import terms, words
from retriever.domain.declared.commands import (
    NAMED_BY_PURPOSE,
    PURPOSES,
    Command,
    declared,
    is_alike,
    reads_commands,
    run_of,
    usual,
)
from retriever.domain.questions.relations import Relation
from retriever.domain.questions.understanding import Intent, SlotKind
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import DocumentKind, Span
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import document_draft
from retriever.usecases.locating.about_project import PROJECT, readme
from retriever.usecases.locating.occurrences import ASIDE
from retriever.usecases.stages.project.overview import opening
from retriever.usecases.stages.project.places import listed_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.questions.understanding import QuestionPart
    from retriever.domain.values import Document
    from retriever.ports import Judge, Snapshot

_LISTED = 20
_PAGES = 2


class Commands:
    """
    Drafts a list of commands, and the sections of prose that are called after what is run.

    What is run may be said ("the linter", "an example"): the command called so, or the folder; where there is neither,
    the note says so. Without it the commands of the purpose are listed, and all if the question names none.
    """

    name = "commands"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Read the files of build tools nearest to the root."""
        for part in task.understanding.of(Intent.RUN):
            found, pages = await asyncio.to_thread(_commands, snapshot, part)
            context = listed_with(self.name, context, found).with_drafts(pages)
        return context


def _commands(snapshot: Snapshot, part: QuestionPart) -> tuple[UserList | None, list[Draft]]:
    purpose = part.choice if part.choice in PURPOSES else ""
    things = part.texts(SlotKind.OBJECT, SlotKind.SUBJECT)
    known, implied = _known(snapshot, purpose)
    likeness = {each: each[0].likeness(things) for each in known}
    of_things = sorted((each for each in known if likeness[each]), key=lambda each: -likeness[each])
    of_things = of_things or list(_runs(snapshot, things))
    of_purpose = [each for each in known if not purpose or each[0].serves(purpose)] + implied
    is_missed = bool(things) and not of_things
    found = of_things if of_things and purpose not in NAMED_BY_PURPOSE else [*of_purpose, *of_things]
    listed = tuple(_user(*each) for each in dict.fromkeys(found))
    notes = (f"no command is declared for “{things[0]}”",) if is_missed and purpose not in NAMED_BY_PURPOSE else ()
    name = f"{purpose} {things[0]}" if things and of_things and purpose not in NAMED_BY_PURPOSE else purpose
    told = UserList(name or PROJECT, Relation.COMMANDS, None, len(listed), listed[:_LISTED], notes=notes)
    wanted = [*things, *([] if of_things else [purpose])]
    pages = [opening(document_draft(snapshot, page, f"says how to {name}")) for page in _pages(snapshot, wanted)]
    return told, pages


def _user(command: Command, path: str) -> User:
    return User(command.text, None, Span(path, command.line, command.line), command.does)


def _known(snapshot: Snapshot, purpose: str) -> tuple[list[tuple[Command, str]], list[tuple[Command, str]]]:
    """Return the commands that the files nearest to the root declare, and those that are usual for their tools."""
    files = [file for file in snapshot.files.all() if reads_commands(file.path) and not ASIDE.search(file.path)]
    files.sort(key=lambda file: (file.path.count("/"), file.path))
    nearest = [file.path for file in files if file.path.count("/") == files[0].path.count("/")]
    known = [(each, path) for path in nearest for each in declared(path, snapshot.files.text(path))]
    return known, [(each, path) for path in nearest if (each := usual(path, purpose))]


def _runs(snapshot: Snapshot, things: Sequence[str]) -> Iterator[tuple[Command, str]]:
    """Yield how the code of a folder is run that a thing is called after: "one of the examples"."""
    asked = [each.lower() for thing in things for each in words(thing)]
    folders = (each for each in snapshot.files.folders() if "/" not in each)
    for folder in (each for each in folders if any(is_alike(each.lower(), word) for word in asked)):
        within = [each.path for each in snapshot.files.all() if each.path.startswith(f"{folder}/") and each.parsed]
        module = snapshot.files.at(f"{folder}/go.mod")
        if snapshot.files.at("Cargo.toml") and (found := [each for each in within if each.endswith(".rs")]):
            shown = _shown(snapshot, found)
            name = shown.rpartition("/")[2].removesuffix(".rs")
            yield Command(f"cargo run --example {name}", folder, f"{len(found)} files to choose from"), shown
        elif found := [each for each in within if each.endswith("/main.go")]:
            own = found[0].removeprefix(f"{folder}/").rpartition("/")[0]
            told = f"{folder}/ is a module of its own, and the root cannot run it" if module else ""
            text = f"cd {folder} && go run ./{own}" if module else f"go run ./{folder}/{own}"
            yield Command(text, folder, told, 1), module.path if module else found[0]
        elif found := [each for each in within if run_of(each)]:
            shown = _shown(snapshot, found)
            yield Command(run_of(shown), folder, f"{len(found)} files to choose from"), shown


def _shown(snapshot: Snapshot, paths: Sequence[str]) -> str:
    """Return the file that the README names, else the first."""
    said = snapshot.files.text(readme(snapshot))
    return next((each for each in paths if each.rpartition("/")[2].partition(".")[0] in said), paths[0])


def _shows_code(page: Document) -> bool:
    """Return whether a section has a block of code: one that says how something is run shows the command."""
    return "```" in page.body or "\n    " in page.body


def _pages(snapshot: Snapshot, wanted: Sequence[str]) -> list[Document]:
    """Return sections whose last heading has a wanted word, those nearest to the root first."""
    asked = set(terms(" ".join(wanted)))
    found = [page for page, _ in snapshot.documents.search(list(filter(None, wanted)), 40)] if asked else []
    sections = [page for page in found if page.kind == DocumentKind.SECTION and _shows_code(page)]
    titled = [page for page in sections if asked & set(terms(page.title.rpartition(" > ")[2]))]
    return sorted(titled, key=lambda page: (page.path.count("/"), page.path, page.start_line))[:_PAGES]
