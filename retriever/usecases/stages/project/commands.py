"""Lists the commands that run, build, test or install the project, or a part of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.understanding import Intent, Relation, SlotKind
from common.core.words.terms import terms, words
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import DocumentKind, Origin
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import document_draft
from retriever.usecases.locating.about_project import PROJECT, project_names, readme
from retriever.usecases.locating.documented import documented, is_guide, typed
from retriever.usecases.locating.manifests import (
    LINT,
    NAMED_BY_PURPOSE,
    PURPOSES,
    commands,
    is_for,
    is_part,
    properties,
    rank,
    requirements,
    steps,
)
from retriever.usecases.locating.naming import lists_of_changes
from retriever.usecases.stages.project.overview import opening
from retriever.usecases.stages.project.places import listed_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from common.core.contract.understanding import QuestionPart
    from retriever.domain.declared.given_values import GivenValue
    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Document
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.locating.documented import Documented

_LISTED, _DOCUMENTED = 20, 3
_PAGES = 2
_LEAST_ALIKE = 3
"""Least common letters of the word for a thing and the name of its command."""
_OWN = 2
"""Names of each purpose from the first that mean all of it: `test`, `tests`."""
_ONE_TEST, _ALONE = "test-one", "one test"
"""Name of the conventional command that runs one test alone, and of the list of such commands."""
_TO_WORK = "work on it"
"""Name of the list of commands that set up the development of the project."""
_EXECUTABLES, _BIN = "executables", "entry.bin."
"""Name of the list of executables that manifests declare, and prefix of their properties."""
_NONE = "no command is declared for “{}”"
_SAY_WHAT = frozenset({"test", LINT})
"""Purposes that already name what to run: "run the linter" is not about running the project."""
_PROGRAMS = {"py": "python", "js": "node", "mjs": "node", "rb": "ruby", "php": "php", "sh": "sh"}
"""Program that runs a single file, by file extension."""


class Commands:
    """
    Drafts a list of commands, and sections of pages whose headings name what to run.

    If the question names what to run ("the linter", "an example"), the command or folder of that name is listed, or a
    note that there is none. Else the commands for the purpose are listed; without a purpose, all commands.
    """

    name = "commands"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Read the files of build tools nearest to the root."""
        for part in task.understanding.of(Intent.RUN):
            told, pages = await asyncio.to_thread(_commands, snapshot, part)
            for each in told:
                context = listed_with(self.name, context, each)
            context = context.with_drafts(pages)
        return context


def _commands(snapshot: Snapshot, part: QuestionPart) -> tuple[list[UserList], list[Draft]]:
    """Return a list for each purpose and each thing that a part of the question names, and pages about them."""
    known = commands(snapshot)
    shown = list(documented(snapshot, {each.value.split()[0] for each in known}))
    things = part.texts(SlotKind.OBJECT, SlotKind.SUBJECT)
    purposes = [each for each in part.choices if each in PURPOSES]
    meant = {each: purpose for each in things for purpose in NAMED_BY_PURPOSE if is_for(each, purpose)}  # "the linter"
    named = [each for each in things if each not in meant]
    named = named if any(each not in NAMED_BY_PURPOSE for each in purposes or [""]) else []
    wanted = [each for each in purposes if each in NAMED_BY_PURPOSE or not (named or meant)]
    wanted = [each for each in wanted if each != "run" or _SAY_WHAT.isdisjoint(wanted)]
    told: list[UserList] = []
    for each, thing in {**{each: each for each in wanted}, **{purpose: one for one, purpose in meant.items()}}.items():
        found = _of_purpose(snapshot, each, known, shown)
        told += _apart(found if found.count else replace(found, notes=(_NONE.format(thing),)))
    told += [_of_thing(snapshot, each, purposes, known, shown) for each in named]
    if not told:
        told = [_list(PROJECT, [_user(each) for each in known if each.origin is not Origin.CONVENTION])]
    if wanted == ["run"] and not meant and not told[0].count:  # a library is installed and imported
        told = [_of_purpose(snapshot, "install", known, shown)]
    told += [executables(snapshot)] * any(each.name == "install" for each in told)
    lines = [each.name for listed in told for each in listed.listed]
    pages = [
        opening(document_draft(snapshot, page, f"says how to {told[0].name}"))
        for page in _pages(snapshot, [*things, *purposes], lines)
    ]
    return told, pages


def executables(snapshot: Snapshot) -> UserList:
    """Return the executables that an installation of the project brings."""
    bins = properties(snapshot, _BIN)
    return _list(
        _EXECUTABLES, [User(each.name.removeprefix(_BIN), None, Span(each.path, each.line, each.line)) for each in bins]
    )


def _apart(found: UserList) -> Iterator[UserList]:
    """Yield a list, and separately its commands that run one test or set up development."""
    every = [each.name for each in found.listed]
    apart: list[User] = []
    if found.name == "test":
        named = [each for each in found.listed if any(_narrows(each.name, one) for one in every)]
        apart = [each for each in found.listed if each.through == _ALONE or each in named]
    if found.name == "install":
        scripts = [each for each in found.listed if each.place.start_line and each.name == each.place.path]
        apart = [each for each in found.listed if each in scripts or is_guide(each.place.path)]
    yield _list(found.name, [each for each in found.listed if each not in apart], *found.notes)
    if apart:
        yield _list(_ALONE if found.name == "test" else _TO_WORK, apart)


def _narrows(command: str, other: str) -> bool:
    """Return whether a command is another one with names appended, such as a test file."""
    added = command.removeprefix(f"{other} ").removeprefix("-- ").split()
    is_script = " " in other or "/" in other
    is_named = all(each.strip("./") and not each.startswith("-") for each in added)
    return is_script and command.startswith(f"{other} ") and is_named


def _list(name: str, users: Sequence[User], *notes: str) -> UserList:
    once: dict[str, User] = {}
    for each in users:
        once.setdefault(_bare(each.name), each)
    listed = tuple(once.values())
    return UserList(name, Relation.COMMANDS, None, len(listed), listed[:_LISTED], notes=notes)


def _bare(line: str) -> str:
    return line.removeprefix("python -m ").replace(" run ", " ")  # `npm run test` is `npm test`


def _of_purpose(snapshot: Snapshot, purpose: str, known: Sequence[GivenValue], shown: Sequence[Documented]) -> UserList:
    """
    Return the commands for a purpose.

    Commands in guides for developers (for an installation, in pages for users) go before declared commands with such a
    name, conventional ones of the tools, those in other pages, and those for a part of the purpose. Except for an
    installation, commands that are declared for just this purpose go before all of these, then what a workflow runs,
    too. Steps that only a workflow has come last, if neither a guide nor a manifest has a command.
    """
    pages = [each for each in shown if _is_for(each.text, each.heading, purpose)]
    if purpose == "install":
        pages = [each for each in pages if _installs_this(snapshot, each.text)]
    pages.sort(key=lambda each: (not is_for(each.heading, purpose), not each.is_shown))
    guides = [_shown(each) for each in pages if each.is_for_developers][:_DOCUMENTED]
    readme = [_shown(each) for each in pages if not each.is_for_developers][:_DOCUMENTED]
    named = sorted((each for each in known if rank(each, purpose) >= 0), key=lambda each: rank(each, purpose))
    texts = {each.text for each in shown}
    declared = [each for each in named if each.origin is not Origin.CONVENTION]
    declared.sort(key=lambda each: (rank(each, purpose), each.value not in texts))
    exact = [_user(each) for each in declared if not is_part(each, purpose)]
    parts = [_user(each) for each in declared if is_part(each, purpose)]
    usual = [_user(each) for each in named if each.origin is Origin.CONVENTION]
    programs = {each.value.split()[0] for each in known}
    run = [each for each in steps(snapshot) if typed(each.value, programs) and _is_for(each.value, "", purpose)]
    run = [each for each in run if purpose != "install" or _installs_this(snapshot, each.value)]
    by_workflow = [replace(_user(each), through="run by a workflow") for each in run][:_DOCUMENTED]
    first = [*readme, *guides] if purpose == "install" else guides
    documented_too = [_shown(each) for each in shown if any(each.text == one.name for one in usual)]
    told = [*first, *exact, *documented_too, *usual, *readme, *parts]
    if purpose != "install":
        scripts = (each for each in declared if words(each.value)[-1:] == [each.name])  # not `pytest` for its settings
        own = {_bare(each.value) for each in scripts if rank(each, purpose) < _OWN}
        used = {_bare(each.value) for each in run}
        told.sort(key=lambda each: (_bare(each.name) not in own, _bare(each.name) not in used))
    return _list(purpose, told if first or exact else [*told, *by_workflow])


def _is_for(line: str, heading: str, purpose: str) -> bool:
    """
    Return whether a command line is for a purpose: by its first word for any purpose, else by its heading.

    Words for "run" count only if there are no others: `tox run -e lint` is for linting.
    """
    typed_words = [word for each in line.split() if not each.startswith("-") for word in words(each)]
    said = [each for word in typed_words for each in PURPOSES if is_for(word, each)]
    told = [each for each in said if each != "run"] or said
    return told[0] == purpose if told else is_for(heading, purpose)


def _installs_this(snapshot: Snapshot, line: str) -> bool:
    """Return whether a command installs the project or the contents of one of its files, not another package."""
    added = [each for each in line.split()[1:] if not each.startswith("-") and not is_for(each, "install")]
    own = [each.lower() for each in (*project_names(snapshot), snapshot.info.repository.rpartition("/")[2])]
    is_own = any(name in each.lower() for each in added for name in own)
    return not added or is_own or any(each.startswith(".") or snapshot.files.at(each) for each in added)


def _of_thing(
    snapshot: Snapshot,
    thing: str,
    purposes: Sequence[str],
    known: Sequence[GivenValue],
    shown: Sequence[Documented],
) -> UserList:
    """Return the commands named after a thing, else those that run a folder of its name; else a note."""
    purpose = next((each for each in purposes if each not in NAMED_BY_PURPOSE), "")
    likeness = {each: _likeness(each.name, thing) for each in known if each.name != _ONE_TEST}
    alike = sorted((each for each in likeness if likeness[each]), key=lambda each: -likeness[each])
    pages = [_shown(each) for each in shown if each.is_shown and _likeness(each.text, thing)][:_DOCUMENTED]
    found = [*pages, *map(_user, alike)] or list(_runs(snapshot, thing))
    found = found or [_shown(each) for each in shown if each.is_shown and _likeness(each.heading, thing)][:_DOCUMENTED]
    if found:
        return _list(f"{purpose} {thing}".strip(), found)
    usual = _of_purpose(snapshot, purpose, known, shown) if purpose else _list(PROJECT, [])
    return replace(usual, notes=(_NONE.format(thing),))


def _shown(command: Documented) -> User:
    under = f"shown under “{command.heading}”" if command.heading else "shown there"
    return User(command.text, None, Span(command.path, command.line, command.line), under)


def _user(command: GivenValue) -> User:
    line = 0 if command.origin is Origin.CONVENTION else command.line
    return User(command.value, None, Span(command.path, line, line), _ALONE if command.name == _ONE_TEST else "")


def _likeness(name: str, thing: str) -> float:
    """Return how many words of a name match words of a thing, plus a bonus for few other words; 0.0 for none."""
    own = [each.lower() for each in words(name)]
    asked = [each.lower() for each in words(thing)]
    alike = sum(any(_is_alike(one, other) for other in asked) for one in own)
    return alike + alike / (1 + len(own))


def _is_alike(one: str, other: str) -> bool:
    """Return whether one word is a prefix of the other, ignoring plural: "linter" and `lint`."""
    one, other = one.rstrip("s"), other.rstrip("s")
    return min(len(one), len(other)) >= _LEAST_ALIKE and (one.startswith(other) or other.startswith(one))


def _runs(snapshot: Snapshot, thing: str) -> Iterator[User]:
    """Yield commands that run code in a folder with the name of a thing: "one of the examples"."""
    asked = [each.lower() for each in words(thing)]
    folders = (each for each in snapshot.files.folders() if "/" not in each)
    for folder in (each for each in folders if any(_is_alike(each.lower(), word) for word in asked)):
        within = [each.path for each in snapshot.files.all() if each.path.startswith(f"{folder}/") and each.parsed]
        if not within:
            continue
        path = _of_readme(snapshot, within)
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


def _of_readme(snapshot: Snapshot, paths: Sequence[str]) -> str:
    """Return the file that the README names, else the first."""
    said = snapshot.files.text(readme(snapshot))
    return next((each for each in paths if each.rpartition("/")[2].partition(".")[0] in said), paths[0])


def _shows_code(page: Document) -> bool:
    """Return whether a section has a code block: a section on how to run something shows the command."""
    return "```" in page.body or "\n    " in page.body


def _pages(snapshot: Snapshot, wanted: Sequence[str], lines: Sequence[str]) -> list[Document]:
    """Return sections whose own heading has a wanted word and that show one of the lines; without lines, any code."""
    asked = set(terms(" ".join(wanted)))
    found = [page for page, _ in snapshot.documents.search(list(wanted), 40)] if asked else []
    changes = lists_of_changes(snapshot)
    aside = changes | {each.path for each in requirements(snapshot)}
    sections = [page for page in found if page.kind == DocumentKind.SECTION and page.path not in aside]
    sections = [page for page in sections if any(line in page.body for line in lines)] or [
        page for page in sections if not lines and _shows_code(page)
    ]
    titled = [page for page in sections if asked & set(terms(page.title.rpartition(" > ")[2]))]
    return sorted(titled, key=lambda page: (page.path.count("/"), page.path, page.start_line))[:_PAGES]
