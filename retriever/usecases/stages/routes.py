"""Finds what handles the route that a question names by its path."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from common.core.terms import count_terms
from retriever.domain.context import Candidate, Context, Part, Task
from retriever.domain.evidence import EvidenceRole, Route
from retriever.domain.names import Name
from retriever.domain.route_prefixes import RoutePrefixes
from retriever.domain.routes import (
    Registered,
    annotated_methods,
    asked_route,
    asks_elsewhere,
    call_around,
    ends_alike,
    is_annotation,
    is_exact,
    nearness,
    read_registered,
)
from retriever.domain.values import EdgeKind, FactKind, Span, Symbol, SymbolKind
from retriever.usecases.drafting import lines_draft, read_lines, source_draft
from retriever.usecases.naming import closest, enclosing, find_symbols, members, module_of, symbols_by_id
from retriever.usecases.occurrences import ASIDE, files_with
from retriever.usecases.stages.unheld import nowhere, unheld_draft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from retriever.domain.evidence import Draft
    from retriever.domain.routes import AskedRoute
    from retriever.domain.values import Fact
    from retriever.ports import Judge, Snapshot

_TOLD = 2
"""Routes that are told where several are as near."""
_STATEMENT = 8
"""Lines that a registration may take."""
_ABOVE = 4
"""Lines that an annotation may stand above what it is about."""
_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)
_LONGEST_LINE = 400
_CLIENT = re.compile(r"\w*Client\b")
"""Decorators of interfaces that call a route elsewhere."""
_PREFIX = re.compile(r"\w*(?:Mapping|Path|Route|Controller|Prefix)\(.*?[\"']([^\"']+)[\"']", re.DOTALL)
"""Decorators of classes that say with what the paths of their methods begin."""
_LITERAL = re.compile(r"[\"'`](?=[\w{}<>:.*$-]*+/)([\w{}<>:.*$/-]++)[\"'`]")
_RESOURCE = re.compile(r"[\"'`]([\w-]+)[\"'`]")
_REGISTERING = re.compile(r"\b(?:register|mount|resources?)\s*\(")
"""Calls that make routes of a single word: `router.register("users", UserViewSet)` has `/users/` and `/users/{id}/`."""
_CONSTANT = re.compile(r"\s*(?:export |const |static |final |public |private |let |var |val |String )*(\w+)\s*:?=")
_KINDS = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS, SymbolKind.VARIABLE)


@dataclass(frozen=True, slots=True)
class _Found:
    """A registration that is near to what is asked, its lines, what handles it, and if it has all words of the path."""

    score: float
    registered: Registered
    prefix: str
    place: Span
    handler: Symbol
    is_exact: bool

    @property
    def is_aside(self) -> bool:
        """Whether it only shows how something is done."""
        return ASIDE.search(self.place.path) is not None

    @property
    def path(self) -> str:
        """The path with what is known to stand before it."""
        return whole_path(self.registered, self.prefix)


def whole_path(registered: Registered, prefix: str) -> str:
    """Return the path of a route with what is known to stand before it; "/" for that of everything."""
    own = registered.path
    return (f"{prefix}/{own.lstrip('/')}".rstrip("/") if prefix else own) or "/"


class Routes:
    """
    Drafts the handler of the route, and the lines that register it if they stand elsewhere.

    Registrations are those that the index knows as entry points; where none of them is the whole route, lines of code
    that have its path as a text and name a definition.
    """

    name = "routes"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look the route up, if the question names one."""
        asked = asked_route(task.question)
        found = await asyncio.to_thread(_nearest, snapshot, asked) if asked else ()
        if asked and asked.method and not any(each.is_exact for each in found):
            # What another method of the same path leads to is nearer than what else takes this one.
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
    found = list(_known(snapshot, asked))
    if not any(each.is_exact for each in found):
        found += _written(snapshot, asked)
    # Examples of use come last.
    found.sort(key=lambda each: (each.is_aside, -each.score, each.place.path, each.place.start_line))
    best = [each for each in found if (each.is_aside, each.score) == (found[0].is_aside, found[0].score)]
    return tuple({each.handler.id: each for each in reversed(best[:_TOLD])}.values())[::-1]


def _known(snapshot: Snapshot, asked: AskedRoute) -> Iterator[_Found]:
    """Yield the routes that the index knows."""
    for each in registrations(snapshot, partial(ends_alike, asked)):
        symbol, registered = each.symbol, each.registered
        around = f"{symbol.path} {symbol.qualified_name} {registered.handler}"
        score, prefix = max((nearness(asked, registered, before, around), before) for before in each.prefixes)
        handler, last = handler_of(snapshot, each) if score else (None, 0)
        if handler:
            exact = is_exact(asked, registered, prefix, around)
            place = Span(symbol.path, each.line, max(each.line, last))
            yield _Found(score, registered, prefix, place, _taking(snapshot, handler, asked.method), exact)


@dataclass(frozen=True, slots=True)
class Registration:
    """A route that the index knows, what its registration stands on or in, and what may stand before its path."""

    registered: Registered
    symbol: Symbol
    line: int
    prefixes: tuple[str, ...]


def entry_points(snapshot: Snapshot, beginning: str) -> Iterator[tuple[Fact, Symbol]]:
    """Yield the facts that say what somebody outside of the code calls and begin so, each with its symbol."""
    facts = snapshot.facts.beginning(FactKind.ENTRY_POINT, beginning)
    symbols = symbols_by_id(snapshot, (fact.symbol_id for fact in facts))
    return ((fact, symbols[fact.symbol_id]) for fact in facts)


def registrations(snapshot: Snapshot, is_wanted: Callable[[Registered], bool]) -> Iterator[Registration]:
    """Yield the routes that the index knows and that are wanted, by symbol and line; what only clients call is none."""
    lines_of = cache(partial(_lines, snapshot))
    prefixes_of = cache(lambda path: RoutePrefixes(lines_of(path)))
    for fact, symbol in entry_points(snapshot, "route"):
        registered = read_registered(fact.value)
        if not registered or symbol.is_test or not is_wanted(registered):
            continue
        if symbol.kind == SymbolKind.CLASS:
            registered = replace(registered, methods=())  # its methods are those of HTTP that it takes
        if any(_CLIENT.match(each) for each in _owner_decorators(snapshot, symbol)):
            continue
        lines = lines_of(symbol.path)
        if not any(asks_elsewhere(line) for line in lines[fact.line - 1 : fact.line]):
            yield Registration(registered, symbol, fact.line, prefixes_of(symbol.path).of(fact.line))


def _lines(snapshot: Snapshot, path: str) -> list[str]:
    """Return the lines of a file, without the rest of long ones: they are data."""
    return [line[:_LONGEST_LINE] for line in snapshot.files.text(path).split("\n")]


def _owner_decorators(snapshot: Snapshot, symbol: Symbol) -> tuple[str, ...]:
    owners = snapshot.symbols.get((symbol.parent_id,)) if symbol.parent_id is not None else ()
    return owners[0].decorators if owners else ()


def _written(snapshot: Snapshot, asked: AskedRoute) -> Iterator[_Found]:
    """Yield calls that have the path as a text, and lines that have a constant of it, with what they hand on."""
    for file in files_with(snapshot, asked.word) if asked.word else ():
        lines = _lines(snapshot, file.path)
        for number, line in enumerate(lines, 1):
            if asked.word not in line.casefold() or asks_elsewhere(line):
                continue
            for literal in _LITERAL.findall(line):
                yield from _as_text(snapshot, asked, file.path, lines, number, literal)
            for literal in _RESOURCE.findall(line):
                if _REGISTERING.search(call_around(lines, number)[1]):
                    yield from _as_text(snapshot, asked.resource, file.path, lines, number, literal)


def _as_text(
    snapshot: Snapshot, asked: AskedRoute, path: str, lines: Sequence[str], number: int, literal: str
) -> Iterator[_Found]:
    """Yield what a line that has a path as a text registers, if that is near to what is asked."""
    registered = Registered(annotated_methods(lines[number - 1]), literal, "")
    if not ends_alike(asked, registered):
        return
    around = enclosing(snapshot, path, number)
    decorators = _owner_decorators(snapshot, around) if around and is_annotation(lines[number - 1]) else ()
    prefix = next((found[1] for each in decorators if (found := _PREFIX.match(each))), "")
    score = nearness(asked, registered, prefix, path)
    for at, handler in _handed_on(snapshot, path, lines, number, asked.method) if score else ():
        exact, taking = is_exact(asked, registered, prefix, path), _taking(snapshot, handler, asked.method)
        yield _Found(score, registered, prefix, Span(path, at, at), taking, exact)


def _handed_on(
    snapshot: Snapshot, path: str, lines: Sequence[str], number: int, method: str
) -> Iterator[tuple[int, Symbol]]:
    """Yield what the call around a line hands on, or where that line names a constant, what lines with it lead to."""
    if is_annotation(lines[number - 1]):
        below = (each for each in snapshot.symbols.in_file(path) if number <= each.end_line and each.kind in _FUNCTIONS)
        near = [each for each in below if each.start_line <= number + _ABOVE]
        if near and not any(_CLIENT.match(each) for each in _owner_decorators(snapshot, near[-1])):
            yield number, min(near, key=lambda each: (abs(each.start_line - number), each.start_line))
        return
    source = enclosing(snapshot, path, number) or module_of(snapshot, path)
    first, call = call_around(lines, number)
    handler = _beside(snapshot, source, first, call) if source and call else None
    constant = _CONSTANT.match(lines[number - 1])
    if handler or not constant:
        if handler:
            yield number, handler
        return
    used = re.compile(rf"\b{re.escape(constant[1])}\b")
    for at, line in enumerate(lines, 1):
        around = enclosing(snapshot, path, at) if at != number and used.search(line) else None
        told = "\n".join(lines[at - 1 : at + 1])
        if around and (not method or re.search(rf"{method}\b", line, re.IGNORECASE)):
            handler = _beside(snapshot, around, at, told, is_last=True)
            if handler:
                yield at, handler


def _beside(snapshot: Snapshot, source: Symbol, first: int, call: str, *, is_last: bool = False) -> Symbol | None:
    """
    Return the first class or function of this code that a call hands on; None if it hands on none.

    Args:
        is_last: Return the last one instead, and what is called counts: `guarded(show)(request)`.
    """
    kinds = (EdgeKind.REFERENCES, EdgeKind.CALL) if is_last else (EdgeKind.REFERENCES,)
    lines = range(first, first + call.count("\n") + 1)
    near = [e.target_id for e in snapshot.graph.outgoing((source.id,), kinds) if e.target_id and e.line in lines]
    inside = call if is_last else call.partition("(")[2]
    found = [each for each in snapshot.symbols.get(list(dict.fromkeys(near))) if each.kind in _KINDS[:3]]
    placed = [(inside.rfind(each.name), each) for each in found if re.search(rf"\b{each.name}\b", inside)]
    return (max if is_last else min)(placed, key=lambda each: each[0], default=(0, None))[1]


def handler_of(snapshot: Snapshot, registration: Registration) -> tuple[Symbol | None, int]:
    """Return what a registration hands on, or what it stands on, and the last line of it that is known."""
    symbol, line, written = registration.symbol, registration.line, registration.registered.handler
    if not written:
        return (symbol if symbol.kind != SymbolKind.MODULE else None), line
    name = Name(tuple(part for part in re.split(r"\W+", written.partition("(")[0]) if part))
    edges = snapshot.graph.outgoing((symbol.id,), (EdgeKind.REFERENCES, EdgeKind.CALL))
    near = {e.target_id: e.line for e in edges if e.target_id is not None and 0 <= e.line - line < _STATEMENT}
    named = [each for each in snapshot.symbols.get(list(near)) if each.name in name.parts]
    found = named or closest(find_symbols(snapshot, name), name) or _alike(snapshot, name, symbol)
    text = read_lines(snapshot, Span(symbol.path, line, line + _STATEMENT)).split("\n")
    at = (number for number, each in enumerate(text, line) if name.last in each)
    return (found[0] if found else None), next(at, line)


def _alike(snapshot: Snapshot, name: Name, symbol: Symbol) -> Sequence[Symbol]:
    """Return definitions of the last part of a name, those first whose place speaks of the parts before it."""
    if not name.parts:
        return ()
    named = [each for each in snapshot.symbols.named(name.last) if each.name == name.last and each.kind in _KINDS]
    told = set(count_terms(" ".join(name.parts[:-1])))
    code = [each for each in named if not each.is_test and each.language == symbol.language]
    return sorted(
        code, key=lambda each: (-len(told & set(count_terms(f"{each.path} {each.qualified_name}"))), each.path)
    )


def _taking(snapshot: Snapshot, handler: Symbol, method: str) -> Symbol:
    """Return the method of a class that takes a method of HTTP; the class where it has none of that name."""
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
