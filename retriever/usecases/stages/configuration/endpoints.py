"""Lists the routes, commands or tasks that the code registers, where the question asks for all of them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.understanding import Intent, Relation
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import SymbolKind
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import list_draft
from retriever.usecases.locating.manifests import commands
from retriever.usecases.locating.naming import is_aside
from retriever.usecases.stages.configuration.routes import entry_points, handler_of, registrations, whole_path
from retriever.usecases.stages.project.commands import executables
from retriever.usecases.stages.project.places import listed_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from retriever.domain.declared.routes import Registered
    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.stages.configuration.routes import Registration

_LISTED = 40
_COMMAND = "command"
_SOUGHT = "looked for in decorators, calls, tables and types that declare such, and none was recognised"


class Endpoints:
    """Drafts a list of routes, commands or tasks by name, each with its handler; examples only if all are such."""

    name = "endpoints"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """List the entry points in the index; nothing if the question does not ask for them."""
        for part in task.understanding.of(Intent.ENTRY_POINTS):
            draft = await asyncio.to_thread(_draft, snapshot, part.choice, task.scope or context.scope)
            context = context.with_drafts([draft] if draft else []).with_step(self.name)
        return context


class Programs:
    """Drafts the programs of the project, with a note, if commands are asked for and none are registered."""

    name = "programs"
    needs = frozenset[Part]()

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Read manifests and the conventions of build tools."""
        choices = [part.choice for part in task.understanding.of(Intent.ENTRY_POINTS)]
        if _COMMAND not in choices or context.tells_users:
            return context
        return listed_with(self.name, context, await asyncio.to_thread(_programs, snapshot))


def _programs(snapshot: Snapshot) -> UserList:
    """Return the executables that manifests declare, else the programs that build tools start."""
    bins = executables(snapshot)
    if bins.count:
        return replace(bins, notes=(f"commands of these were {_SOUGHT}",))
    started = {each.value: each for each in commands(snapshot) if each.name == "run"}
    listed = tuple(User(name, None, Span(each.path, each.line, each.line)) for name, each in started.items())
    note = f"commands were {_SOUGHT}{'' if listed else '; nor is an executable declared in a manifest that is read'}"
    return UserList("run it", Relation.COMMANDS, None, len(listed), listed[:_LISTED], notes=(note,))


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry point: sort key, name, line of its registration, and handler."""

    key: tuple[str, str]
    place: Span
    handler: Callable[[], tuple[Symbol | None, str]]

    @property
    def name(self) -> str:
        return " ".join(filter(None, reversed(self.key)))


def _draft(snapshot: Snapshot, kind: str, scope: str) -> Draft | None:
    entries = _routes(snapshot) if kind == "route" else _named(snapshot, kind)
    found = [each for each in entries if each.place.path.startswith(scope)]
    first_hand = [each for each in found if not is_aside(snapshot, each.place.path)] or found
    once = {each.key: each for each in reversed(first_hand)}
    listing = [once[key] for key in sorted(once)]
    if not listing:
        return None
    listed = tuple(_user(each) for each in listing[:_LISTED])
    users = UserList(_around([each.place.path for each in listing]), Relation.REGISTERS, None, len(listing), listed)
    handlers = dict.fromkeys(each.symbol for each in listed if each.symbol)
    return list_draft(users, handlers, title=f"{kind.capitalize()}s")


def _user(entry: _Entry) -> User:
    symbol, handled = entry.handler()
    return User(entry.name, symbol, entry.place, handled if handled != entry.name else "")


def _routes(snapshot: Snapshot) -> Iterator[_Entry]:
    for each in registrations(snapshot, _is_path):
        path, methods = whole_path(each.registered, each.prefixes[0]), ",".join(each.registered.methods)
        yield _Entry((path, methods), Span(each.symbol.path, each.line, each.line), partial(_handler, snapshot, each))


def _handler(snapshot: Snapshot, registration: Registration) -> tuple[Symbol | None, str]:
    handler, _ = handler_of(snapshot, registration)
    return handler, handler.qualified_name if handler else registration.registered.handler.partition("(")[0]


def _is_path(registered: Registered) -> bool:
    """Return whether a registration is a path, and not the name of a view class."""
    return bool(registered.methods) or "/" in registered.path or registered.path == registered.path.lower()


def _named(snapshot: Snapshot, kind: str) -> Iterator[_Entry]:
    """Yield commands or tasks by their names in the index; a Django command is named after its file."""
    for fact, symbol in entry_points(snapshot, f"{kind} "):
        name = fact.name.partition(" ")[2].strip()
        if symbol.is_test or not name:
            continue
        own = PurePosixPath(symbol.path).stem if symbol.kind == SymbolKind.CLASS and name == "Command" else name
        yield _Entry((own, ""), Span(symbol.path, fact.line, fact.line), partial(_itself, symbol))


def _itself(symbol: Symbol) -> tuple[Symbol | None, str]:
    return (None, "") if symbol.kind == SymbolKind.MODULE else (symbol, symbol.qualified_name)


def _around(paths: Sequence[str]) -> str:
    """Return the single registering file, or the innermost folder with all of them; "the code" for the root."""
    files = sorted(set(paths))
    if len(files) == 1:
        return files[0]
    shared = [one for one, other in zip(files[0].split("/"), files[-1].split("/"), strict=False)]
    while shared and not all(path.startswith("/".join(shared) + "/") for path in files):
        shared.pop()
    return "/".join(shared) + "/" if shared else "the code"
