"""Lists the routes that the code registers, where the question asks for all of them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.domain.context import Context, Part, Task
from retriever.domain.evidence import ContextSource, Draft, EvidenceKind, Role
from retriever.domain.extending import asks_for_routes
from retriever.domain.listing import User, UserList
from retriever.domain.question import Mode
from retriever.domain.users import Relation
from retriever.domain.values import Span
from retriever.usecases.occurrences import ASIDE
from retriever.usecases.stages.routes import handler_of, registrations, whole_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.routes import Registered
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.stages.routes import Registration

_LISTED = 40


class Endpoints:
    """Drafts a list of them by path and method, each with what handles it; those of examples only where all are."""

    name = "endpoints"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Read the routes that the index knows; asks for nothing where the question does not."""
        if not asks_for_routes(task.question):
            return context
        draft = await asyncio.to_thread(_draft, snapshot, task.scope or context.scope, task.mode)
        return replace(context.with_drafts([draft] if draft else []), ran=(*context.ran, self.name))


def _draft(snapshot: Snapshot, scope: str, mode: Mode) -> Draft | None:
    found = [each for each in registrations(snapshot, _is_path) if each.symbol.path.startswith(scope)]
    first_hand = [each for each in found if not ASIDE.search(each.symbol.path)] or found
    routes = sorted({_told(each): each for each in reversed(first_hand)}.items())
    if not routes:
        return None
    listed = [(_user(snapshot, each, path, method)) for (path, method), each in routes[:_LISTED]]
    users = UserList(_around([each for _, each in routes]), Relation.REGISTERS, None, len(routes), tuple(listed))
    return Draft(
        kind=EvidenceKind.FLOW,
        source=ContextSource.DOCS if mode == Mode.CONCEPTUAL else ContextSource.CODE,
        role=Role.USERS,
        title="Routes",
        text=users.text(),
        reason=f"{users.name} {users.relation.value}",
        mentions=_once([each.symbol for each in listed if each.symbol]),
        users=users,
    )


def _is_path(registered: Registered) -> bool:
    """Tell a path from the name of a class that a decorator or a base makes a view."""
    return bool(registered.methods) or "/" in registered.path or registered.path == registered.path.lower()


def _told(registration: Registration) -> tuple[str, str]:
    """Return path and method: that is one route, however often it is registered."""
    registered = registration.registered
    return whole_path(registered, registration.prefixes[0]), ",".join(registered.methods)


def _user(snapshot: Snapshot, registration: Registration, path: str, method: str) -> User:
    handler, _ = handler_of(snapshot, registration)
    place = Span(registration.symbol.path, registration.line, registration.line)
    handled = handler.qualified_name if handler else registration.registered.handler.partition("(")[0]
    return User(f"{method} {path}".strip(), handler, place, handled)


def _around(routes: Sequence[Registration]) -> str:
    """Name the file that registers them all, or the folder around all that do; "the code" for the root."""
    paths = sorted({each.symbol.path for each in routes})
    if len(paths) == 1:
        return paths[0]
    shared = [one for one, other in zip(paths[0].split("/"), paths[-1].split("/"), strict=False)]
    while shared and not all(path.startswith("/".join(shared) + "/") for path in paths):
        shared.pop()
    return "/".join(shared) + "/" if shared else "the code"


def _once(symbols: Sequence[Symbol]) -> tuple[Symbol, ...]:
    return tuple(dict.fromkeys(symbols))
