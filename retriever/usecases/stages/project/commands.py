"""How one runs, builds, tests or installs the project, or something of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from common.core.words.terms import terms, words
from retriever.domain.questions.relations import Relation
from retriever.domain.questions.understanding import Intent, SlotKind
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import DocumentKind, Origin, Span
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import document_draft
from retriever.usecases.locating.about_project import PROJECT, readme
from retriever.usecases.locating.manifests import NAMED_BY_PURPOSE, PURPOSES, commands, serves
from retriever.usecases.stages.project.overview import opening
from retriever.usecases.stages.project.places import listed_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retriever.domain.declared.given_values import GivenValue
    from retriever.domain.evidence.piece import Draft
    from retriever.domain.questions.understanding import QuestionPart
    from retriever.domain.values import Document
    from retriever.ports import Judge, Snapshot

_LISTED = 20
_PAGES = 2
_LEAST_ALIKE = 3
"""Letters that the word for a thing and the name of its command have in common."""
_PROGRAMS = {"py": "python", "js": "node", "mjs": "node", "rb": "ruby", "php": "php", "sh": "sh"}
"""What runs a single file, by its ending."""


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
    known = commands(snapshot)
    likeness = {each: _likeness(each, things) for each in known if each.origin is not Origin.CONVENTION}
    alike = sorted((each for each in likeness if likeness[each]), key=lambda each: -likeness[each])
    of_things = [_user(each) for each in alike] or list(_runs(snapshot, things))
    of_purpose = [
        _user(each) for each in known if (serves(each, purpose) if purpose else each.origin is not Origin.CONVENTION)
    ]
    is_named = bool(things) and purpose not in NAMED_BY_PURPOSE
    found = of_things if of_things and is_named else [*of_purpose, *of_things]
    listed = tuple(dict.fromkeys(found))
    notes = (f"no command is declared for “{things[0]}”",) if is_named and not of_things else ()
    name = f"{purpose} {things[0]}".strip() if is_named and of_things else purpose or PROJECT
    told = UserList(name, Relation.COMMANDS, None, len(listed), listed[:_LISTED], notes=notes)
    wanted = [*things, *([] if of_things else [purpose])]
    pages = [opening(document_draft(snapshot, page, f"says how to {name}")) for page in _pages(snapshot, wanted)]
    return told, pages


def _user(command: GivenValue) -> User:
    line = 0 if command.origin is Origin.CONVENTION else command.line
    return User(command.value, None, Span(command.path, line, line))


def _likeness(command: GivenValue, things: Sequence[str]) -> float:
    """Return how many words of its name begin like one of some things, more where it has few others; 0.0 for none."""
    own = [each.lower() for each in words(command.name)]
    asked = [each.lower() for thing in things for each in words(thing)]
    alike = sum(any(_is_alike(one, other) for other in asked) for one in own)
    return alike + alike / (1 + len(own))


def _is_alike(one: str, other: str) -> bool:
    """Return whether one word is the beginning of the other, plural or not: "linter" and `lint`."""
    one, other = one.rstrip("s"), other.rstrip("s")
    return min(len(one), len(other)) >= _LEAST_ALIKE and (one.startswith(other) or other.startswith(one))


def _runs(snapshot: Snapshot, things: Sequence[str]) -> Iterator[User]:
    """Yield how the code of a folder is run that a thing is called after: "one of the examples"."""
    asked = [each.lower() for thing in things for each in words(thing)]
    folders = (each for each in snapshot.files.folders() if "/" not in each)
    for folder in (each for each in folders if any(_is_alike(each.lower(), word) for word in asked)):
        within = [each.path for each in snapshot.files.all() if each.path.startswith(f"{folder}/") and each.parsed]
        if not within:
            continue
        path = _shown(snapshot, within)
        own = path.removeprefix(f"{folder}/").rpartition("/")[0]
        many = f"{len(within)} files to choose from"
        if snapshot.files.at("Cargo.toml"):
            stem = path.rpartition("/")[2].partition(".")[0]
            yield User(f"cargo run --example {stem}", None, Span(path, 0, 0), many)
        elif snapshot.files.at(f"{folder}/go.mod"):
            apart = f"{folder}/ is a module of its own, which the root does not run"
            yield User(f"cd {folder} && go run ./{own}", None, Span(f"{folder}/go.mod", 0, 0), apart)
        elif snapshot.files.at("go.mod"):
            yield User(f"go run ./{folder}/{own}", None, Span(path, 0, 0), many)
        elif program := _PROGRAMS.get(path.rpartition(".")[2]):
            yield User(f"{program} {path}", None, Span(path, 0, 0), many)


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
