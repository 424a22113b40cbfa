"""Finds what handles the route that a question names by its path."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from common.core.contract.evidence import Route, Span
from common.core.words.terms import count_terms
from retriever.domain.declared.routes import Registered, asked_route, ends_alike, is_exact, nearness, read_registered
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.questions.names import Name
from retriever.domain.tasks.context import Candidate, Context, Part, Task
from retriever.domain.values import EdgeKind, FactKind, Symbol, SymbolKind
from retriever.usecases.evidence.drafting import lines_draft, source_draft
from retriever.usecases.locating.naming import closest, find_symbols, members, symbols_by_id
from retriever.usecases.stages.relations.unheld import nowhere, unheld_draft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from retriever.domain.declared.given_values import GivenValue
    from retriever.domain.declared.routes import AskedRoute
    from retriever.domain.evidence.piece import Draft
    from retriever.ports import Judge, Snapshot

_TOLD = 2
"""Most routes that are shown if several match equally."""
_STATEMENT = 8
"""Most lines of a registration."""
_KINDS = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS, SymbolKind.VARIABLE)


@dataclass(frozen=True, slots=True)
class _Found:
    """A registration that matches the asked route: its lines, handler, and whether it has all words of the path."""

    score: float
    registered: Registered
    prefix: str
    place: Span
    handler: Symbol
    is_exact: bool
    is_aside: bool

    @property
    def path(self) -> str:
        """The path with its known prefix."""
        return whole_path(self.registered, self.prefix)


def whole_path(registered: Registered, prefix: str) -> str:
    """Return the path of a route with its known prefix; "/" for the root."""
    own = registered.path
    return (f"{prefix}/{own.lstrip('/')}".rstrip("/") if prefix else own) or "/"


class Routes:
    """
    Drafts the handler of the route, and the lines that register it if they are outside of the handler.

    Registrations are entry points in the index; if none matches the whole route, also other calls and comparisons
    with a path as a string and a definition as an argument.
    """

    name = "routes"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look the route up, if the question names one."""
        asked = asked_route(task.understanding)
        found = await asyncio.to_thread(_nearest, snapshot, asked) if asked else ()
        if asked and asked.method and not any(each.is_exact for each in found):
            # Another method of the same path is a better match than another path with the same method.
            any_method = replace(asked, method="", words=asked.words[-1:])
            others = await asyncio.to_thread(_nearest, snapshot, any_method)
            if not found or any(each.is_exact for each in others):
                asked, found = any_method, others
        if not asked or not found:
            missing = await asyncio.to_thread(nowhere, snapshot, (asked.word,)) if asked and asked.word else None
            return context.with_drafts([unheld_draft(missing)] if missing else [])
        drafts = [draft for each in found for draft in _drafts(snapshot, each, asked, task)]
        candidates = [
            Candidate(each.handler, EvidenceRole.ROUTE, self.name, f"handles {each.path}", each.score) for each in found
        ]
        context = context.with_drafts(drafts).with_candidates(self.name, candidates)
        return context.with_step(self.name)


def _nearest(snapshot: Snapshot, asked: AskedRoute) -> tuple[_Found, ...]:
    found = list(_of_kind(snapshot, asked, FactKind.ENTRY_POINT))
    if not any(each.is_exact for each in found):
        found += _of_kind(snapshot, asked, FactKind.ROUTE)
    # Examples of use come last.
    found.sort(key=lambda each: (each.is_aside, -each.score, each.place.path, each.place.start_line))
    best = [each for each in found if (each.is_aside, each.score) == (found[0].is_aside, found[0].score)]
    return tuple({each.handler.id: each for each in reversed(best[:_TOLD])}.values())[::-1]


def _of_kind(snapshot: Snapshot, asked: AskedRoute, kind: FactKind) -> Iterator[_Found]:
    """Yield the routes that match the question, from facts of one kind."""
    for each in registrations(snapshot, partial(ends_alike, asked), kind):
        symbol, registered = each.symbol, each.registered
        around = f"{symbol.path} {symbol.qualified_name} {registered.handler}"
        score, prefix = max((nearness(asked, registered, before, around), before) for before in each.prefixes)
        handler, last = handler_of(snapshot, each) if score else (None, 0)
        if handler:
            exact = is_exact(asked, registered, prefix, around)
            place = Span(symbol.path, each.line, max(each.end_line, last))
            yield _Found(
                score, registered, prefix, place, _taking(snapshot, handler, asked.method), exact, symbol.is_aside
            )


@dataclass(frozen=True, slots=True)
class Registration:
    """A route in the index, the symbol whose decorator or body registers it, and prefixes that its path may have."""

    registered: Registered
    symbol: Symbol
    line: int
    end_line: int
    prefixes: tuple[str, ...]


def entry_points(snapshot: Snapshot, beginning: str) -> Iterator[tuple[GivenValue, Symbol]]:
    """Yield the facts of entry points with this prefix, each with its symbol."""
    return _placed(snapshot, snapshot.values.of_kind(FactKind.ENTRY_POINT, beginning))


def registrations(
    snapshot: Snapshot, is_wanted: Callable[[Registered], bool], kind: FactKind = FactKind.ENTRY_POINT
) -> Iterator[Registration]:
    """Yield the routes that the index knows and that are wanted, by path and line."""
    is_entry = kind == FactKind.ENTRY_POINT
    for fact, symbol in _placed(snapshot, snapshot.values.of_kind(kind, "route" if is_entry else "")):
        registered = read_registered(fact.name if is_entry else f"route {fact.name} {fact.value}")
        if not registered or symbol.is_test or not is_wanted(registered):
            continue
        if symbol.kind == SymbolKind.CLASS:
            registered = replace(registered, methods=())  # its methods are those of HTTP that it takes
        prefixes = tuple(fact.value.split("\n")) if is_entry else ("",)
        yield Registration(registered, symbol, fact.line, fact.end_line, prefixes)


def _placed(snapshot: Snapshot, facts: Sequence[GivenValue]) -> Iterator[tuple[GivenValue, Symbol]]:
    symbols = symbols_by_id(snapshot, (each.symbol_id for each in facts))
    return ((each, symbols[each.symbol_id]) for each in facts if each.symbol_id is not None)


def handler_of(snapshot: Snapshot, registration: Registration) -> tuple[Symbol | None, int]:
    """Return the handler of a registration, passed or decorated, and the last known line of it."""
    symbol, line, written = registration.symbol, registration.line, registration.registered.handler
    if not written:
        return (symbol if symbol.kind != SymbolKind.MODULE else None), line
    plain = written.partition("(")[0].replace("::", ".").replace("->", ".")
    name = Name(tuple(part for part in plain.split(".") if part.isidentifier()))
    edges = snapshot.graph.outgoing((symbol.id,), (EdgeKind.REFERENCES, EdgeKind.CALL))
    near = {e.target_id: e.line for e in edges if e.target_id is not None and 0 <= e.line - line < _STATEMENT}
    named = [each for each in snapshot.symbols.get(list(near)) if each.name in name.parts]
    found = named or closest(find_symbols(snapshot, name), name) or _alike(snapshot, name, symbol)
    return (found[0], near.get(found[0].id, line)) if found else (None, line)


def _alike(snapshot: Snapshot, name: Name, symbol: Symbol) -> Sequence[Symbol]:
    """Return definitions of the last part of a name, first those with the other parts in their path or name."""
    if not name.parts:
        return ()
    named = [each for each in snapshot.symbols.named(name.last) if each.name == name.last and each.kind in _KINDS]
    told = set(count_terms(" ".join(name.parts[:-1])))
    code = [each for each in named if not each.is_test and each.language == symbol.language]
    return sorted(
        code, key=lambda each: (-len(told & set(count_terms(f"{each.path} {each.qualified_name}"))), each.path)
    )


def _taking(snapshot: Snapshot, handler: Symbol, method: str) -> Symbol:
    """Return the class's method for an HTTP method, by name; else the handler itself."""
    if handler.kind != SymbolKind.CLASS or not method:
        return handler
    return next((each for each in members(snapshot, handler) if each.name.lower() == method.lower()), handler)


def _drafts(snapshot: Snapshot, found: _Found, asked: AskedRoute, task: Task) -> Sequence[Draft]:
    if Part.SOURCE in task.off:
        return ()
    route = Route(asked.words, ",".join(found.registered.methods), found.path, found.place, found.is_exact)
    reason, place, own = f"handles {' '.join(asked.words)}", found.place, found.handler.span
    handler = source_draft(snapshot, found.handler, EvidenceRole.ROUTE, reason, score=found.score)
    if own.path == place.path and own.start_line <= place.start_line <= own.end_line:
        return (replace(handler, route=route),)
    registering = lines_draft(snapshot, place, EvidenceRole.ROUTE, f"registers {found.path}")
    return replace(handler, route=route), registering
