"""What every newcomer asks of a project: what it is, its parts, where it begins, how to run it, what a place holds."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.words.terms import terms, terms_of
from retriever.domain.evidence.basis import Basis, BasisKind
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.questions.relations import Relation
from retriever.domain.questions.understanding import Intent, SlotKind
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import DocumentKind, Span, SymbolKind, SymbolMark
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import document_draft, list_draft
from retriever.usecases.locating.manifests import PURPOSES, commands
from retriever.usecases.locating.naming import find_files, module_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Document, File, Symbol
    from retriever.ports import Judge, Snapshot

_LISTED = 12
_PAGES = 2
_LEAST_WORDS = 8
"""Words of a section that says something; badges and tables of contents have fewer."""
_MOST_OF_ALL = 0.9
"""A folder with this share of the code is no part of the project but what holds its parts."""
_MAIN = "main"
_PROJECT = "the project"


class Overview:
    """Drafts the first sections of the README that say something; the overview page where there is none."""

    name = "overview"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, _task: Task, _judge: Judge) -> Context:
        """Read the README at the root."""
        drafts = await asyncio.to_thread(_overview, snapshot)
        return context.with_drafts(drafts).with_step(self.name) if drafts else context


class Parts:
    """Drafts a list of the folders that the code is divided into, the largest first, with what each says of itself."""

    name = "parts"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, _task: Task, _judge: Judge) -> Context:
        """Descend to the first folder that has several parts."""
        found = await asyncio.to_thread(_parts, snapshot)
        return _listed(self.name, context, found)


class Beginnings:
    """Drafts a list of where execution begins, and behind it the files that most others use."""

    name = "beginnings"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, _task: Task, _judge: Judge) -> Context:
        """Look for main functions and modules, tests and examples aside; without any, for what uses most others."""
        found = await asyncio.to_thread(_beginnings, snapshot)
        return _listed(self.name, context, found)


class Commands:
    """Drafts a list of the commands for a purpose, and the sections of prose that are called after it."""

    name = "commands"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Read the files of build tools nearest to the root."""
        for part in task.understanding.of(Intent.RUN):
            if part.choice in PURPOSES:
                found, pages = await asyncio.to_thread(_commands, snapshot, part.choice)
                context = _listed(self.name, context, found).with_drafts(pages)
        return context


class Place:
    """Drafts a list of what a folder or file holds that the question names, with what each says of itself."""

    name = "place"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look up the path; nothing where there is none, or several."""
        for part in task.understanding.of(Intent.PLACE):
            found = await asyncio.to_thread(_named_place, snapshot, part.text(SlotKind.SUBJECT))
            context = _listed(self.name, context, found)
        return context


def _listed(stage: str, context: Context, found: UserList | None) -> Context:
    if found is None or not found.count:
        return context
    mentions = dict.fromkeys(each.symbol for each in found.listed if each.symbol)
    title = f"What {found.name} {found.relation.value}"
    return context.with_drafts([list_draft(found, mentions, title=title)]).with_step(stage)


def _overview(snapshot: Snapshot) -> list[Draft]:
    readmes = [each.path for each in snapshot.files.all() if each.path.lower().split(".")[0] == "readme"]
    sections = [page for page in snapshot.documents.at(readmes[:1]) if _says_something(page)]
    pages = sections[:_PAGES] or list(snapshot.documents.at([""]))[:1]
    return [_first(document_draft(snapshot, page, "says what the project is")) for page in pages]


def _first(draft: Draft) -> Draft:
    return replace(draft, role=EvidenceRole.USERS, basis=Basis(BasisKind.OVERVIEW))


def _says_something(page: Document) -> bool:
    # Four blanks begin code; HTML may set a paragraph in by fewer.
    lines = (line.removeprefix("  ") for line in page.body.split("\n"))
    prose = [line for line in lines if line[:1].isalpha() or line.startswith("**")]
    return page.kind == DocumentKind.SECTION and any(len(line.split()) >= _LEAST_WORDS for line in prose)


def _own(snapshot: Snapshot) -> list[File]:
    """Return the files of code, tests and examples aside where there are others."""
    code = [file for file in snapshot.files.all() if file.parsed and file.language and not file.is_test]
    return [file for file in code if not file.role.is_aside] or code


def _parts(snapshot: Snapshot) -> UserList | None:
    files, base = _own(snapshot), ""
    while True:
        lines: Counter[str] = Counter()
        for file in files:
            first, slash, _ = file.path.removeprefix(base).partition("/")
            lines[f"{base}{first}{slash}"] += file.lines
        largest = max(lines, key=lambda part: (lines[part], part), default="")
        if not largest.endswith("/") or lines[largest] < _MOST_OF_ALL * sum(lines.values()):
            break
        base, files = largest, [file for file in files if file.path.startswith(largest)]
    if not lines:
        return None
    ranked = sorted(lines, key=lambda part: (not part.endswith("/"), -lines[part], part))
    listed = tuple(_part(snapshot, part, files) for part in ranked[:_LISTED])
    return UserList(base.strip("/") or _PROJECT, Relation.HOLDS, None, len(ranked), listed)


def _part(snapshot: Snapshot, part: str, files: Iterable[File]) -> User:
    if part.endswith("/"):
        return _folder(snapshot, part, files)
    return _file(snapshot, next(file for file in files if file.path == part))


def _folder(snapshot: Snapshot, folder: str, files: Iterable[File]) -> User:
    """Return a folder with the sentence of the file that speaks for it, and the number of its files."""
    within = [file for file in files if file.path.startswith(folder)]
    direct = (each.path for each in within if "/" not in each.path.removeprefix(folder))
    modules = [module for path in direct if (module := module_of(snapshot, path))]
    module = next((each for each in modules if each.marks & SymbolMark.PACKAGE), None)
    said = _sentence(module.docstring) if module else ""
    said = said or _of_page(snapshot, f"{folder}README.md")
    count = f"{len(within)} file" + ("s" if len(within) != 1 else "")
    largest = max(within, key=lambda file: (file.parsed, file.lines, file.path))
    shown = module or module_of(snapshot, largest.path)
    place = Span(shown.path if shown else largest.path, 1, 1)
    return User(folder.rstrip("/"), shown, place, f"{said} ({count})" if said else count)


def _of_page(snapshot: Snapshot, path: str) -> str:
    """Return the first sentence of a file of prose; "" if there is none."""
    pages = [page for page in snapshot.documents.at([path]) if _says_something(page)]
    lines = [line for page in pages[:1] for line in page.body.split("\n") if len(line.split()) >= _LEAST_WORDS]
    return _sentence(lines[0]) if lines and lines[0][:1].isalpha() else ""


def _named_place(snapshot: Snapshot, written: str) -> UserList | None:
    """Return what a place holds that is written as a path, or named beside other words: "the net folder"."""
    found = (_held(snapshot, each.strip("/`'\"")) for each in (written, *written.split()))
    return next((each for each in found if each), None)


def _held(snapshot: Snapshot, path: str) -> UserList | None:
    folders = snapshot.files.folders()
    found = find_files(snapshot, path) if path and path not in folders else ()
    if len(found) == 1:
        return _of_file(snapshot, found[0])
    named = path if path in folders else _only(_with_code(snapshot, path))
    return _of_folder(snapshot, named) if named else None


def _with_code(snapshot: Snapshot, name: str) -> list[str]:
    """Return the folders of a name, those without code of the project's own only where no other has it."""
    named = [each for each in snapshot.files.folders() if each.endswith(f"/{name}")]
    own = {file.path for file in _own(snapshot)} if len(named) > 1 else ()
    return [each for each in named if any(path.startswith(f"{each}/") for path in own)] or named


def _only(found: Sequence[str]) -> str:
    return found[0] if len(found) == 1 else ""


def _of_file(snapshot: Snapshot, file: File) -> UserList | None:
    module = module_of(snapshot, file.path)
    own = [each for each in snapshot.symbols.in_file(file.path) if each.kind != SymbolKind.MODULE]
    outer = [each for each in own if "." not in each.qualified_name and each.kind != SymbolKind.VARIABLE] or own
    listed = tuple(User(each.qualified_name, each, each.span, _sentence(each.docstring)) for each in outer[:_LISTED])
    notes = (_sentence(module.docstring),) if module and module.docstring else ()
    return UserList(file.path, Relation.HOLDS, module, len(outer), listed, notes=notes)


def _of_folder(snapshot: Snapshot, folder: str) -> UserList | None:
    prefix = f"{folder}/"
    files = [file for file in snapshot.files.all() if file.path.startswith(prefix)]
    direct = [file for file in files if "/" not in file.path.removeprefix(prefix)]
    rest = [file.path.removeprefix(prefix) for file in files]
    below = dict.fromkeys(prefix + path.partition("/")[0] for path in rest if "/" in path)
    parts = [_folder(snapshot, f"{each}/", files) for each in below]
    parts += [_file(snapshot, file) for file in direct]
    return UserList(folder, Relation.HOLDS, None, len(parts), tuple(parts[:_LISTED])) if parts else None


def _file(snapshot: Snapshot, file: File) -> User:
    module = module_of(snapshot, file.path)
    return User(file.path, module, Span(file.path, 1, 1), _sentence(module.docstring) if module else "")


def _sentence(text: str) -> str:
    """Return the first sentence of a docstring, on one line."""
    first = " ".join(text.strip().split("\n\n", 1)[0].split())
    return first.partition(". ")[0].rstrip(".")


def _beginnings(snapshot: Snapshot) -> UserList | None:
    own = {file.path for file in _own(snapshot)}
    mains = [each for each in snapshot.symbols.named(_MAIN) if each.path in own]
    mains = [each for each in mains if each.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD} and each.name == _MAIN]
    symbols = snapshot.lexical.corpus().symbols
    programs = symbols.ids[symbols.is_module & ((symbols.marks & SymbolMark.BEGINS) > 0)].tolist()
    run = [each for each in snapshot.symbols.get(programs) if each.path in own]
    uses: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for each in snapshot.structure.dependencies():
        if each.path in own and each.depends_on in own:
            uses[each.path] += 1
            used[each.depends_on] += 1
    # A script that uses nothing of the project does not begin it.
    mains = [each for each in mains if uses[each.path]] or ([] if uses else mains)
    starts = sorted(
        (*run, *mains), key=lambda each: (each.path.count("/"), -each.end_line + each.start_line, each.path)
    )
    listed = [User(_name(each), each, each.span, _sentence(each.docstring)) for each in starts[:_LISTED]]
    top = sorted(used, key=lambda path: (-used[path], path))[: max(_LISTED - len(listed), 0) // 2]
    notes = tuple(f"{path} is used by {used[path]} other files" for path in top)
    if not listed:
        first = sorted(uses or used, key=lambda path: (-uses[path], path))[: _LISTED // 2]
        listed = [_file(snapshot, file) for path in first if (file := snapshot.files.at(path))]
    return UserList(_PROJECT, Relation.BEGINS, None, max(len(starts), len(listed)), tuple(listed), notes=notes)


def _name(symbol: Symbol) -> str:
    return symbol.qualified_name or symbol.path


def _commands(snapshot: Snapshot, purpose: str) -> tuple[UserList | None, list[Draft]]:
    found = commands(snapshot, purpose)
    listed = tuple(User(each.value, None, Span(each.path, each.line, each.line)) for each in found[:_LISTED])
    told = UserList(purpose, Relation.COMMANDS, None, len(found), listed) if found else None
    pages = [_first(document_draft(snapshot, page, f"says how to {purpose} it")) for page in _pages(snapshot, purpose)]
    return told, pages


def _shows_code(page: Document) -> bool:
    """Return whether a section has a block of code: one that says how something is run shows the command."""
    return "```" in page.body or "\n    " in page.body


def _pages(snapshot: Snapshot, purpose: str) -> list[Document]:
    """Return sections whose last heading has the purpose's word, those nearest to the root first."""
    wanted = set(terms_of(purpose))
    found = [page for page, _ in snapshot.documents.search([purpose], 40) if page.kind == DocumentKind.SECTION]
    titled = [page for page in found if wanted & set(terms(page.title.rpartition(" > ")[2])) and _shows_code(page)]
    return sorted(titled, key=lambda page: (page.path.count("/"), page.path, page.start_line))[:_PAGES]
