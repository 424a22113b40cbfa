"""Names those who call, extend or use what the question asks the users of."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from retriever.domain.context import Candidate, Context, Part, Task
from retriever.domain.evidence import ContextSource, Draft, EvidenceKind, Role
from retriever.domain.names import parse
from retriever.domain.question import Mode
from retriever.domain.users import AskedUsers, Relation, asked_users
from retriever.domain.values import EdgeKind, Symbol, SymbolKind
from retriever.usecases.drafting import title_of
from retriever.usecases.naming import closest, enclosing, find_symbols, members
from retriever.usecases.occurrences import files_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retriever.domain.values import Edge
    from retriever.ports import Judge, Snapshot

_MEANT = 8
"""Definitions of one name whose users are looked up."""
_LISTED = 12
_UNSURE = 5
"""Places that have the name, where nobody is known to use it."""
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--)")
_MAKING = frozenset({"__init__", "__new__", "constructor"})
_KINDS: Mapping[Relation, tuple[EdgeKind, ...]] = MappingProxyType(
    {
        Relation.CALLS: (EdgeKind.CALL,),
        Relation.INHERITS: (EdgeKind.INHERITS,),
        Relation.USES: (EdgeKind.CALL, EdgeKind.INHERITS, EdgeKind.REFERENCES),
    }
)


class Users:
    """Drafts a list of users for each definition that is meant, most used first; asks for nothing if none is."""

    name = "users"
    needs = frozenset({Part.CODE_INDEX, Part.CALL_GRAPH})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look up who leads to what the question names."""
        meant = [each for each in task.anchors.symbols if each not in task.question]
        asked = asked_users(task.question, meant[0] if len(meant) == 1 else "")
        if asked is None:
            return context
        rank = {each.symbol.id: position for position, each in enumerate(context.ranking.symbols)}
        drafts, users = await asyncio.to_thread(_find, snapshot, asked, task.mode, rank)
        context = context.with_drafts(drafts).with_candidates(self.name, users)
        return replace(context, ran=(*context.ran, "call_graph"))


def _find(
    snapshot: Snapshot, asked: AskedUsers, mode: Mode, rank: Mapping[int, int]
) -> tuple[list[Draft], list[Candidate]]:
    likely = sorted(_meant(snapshot, asked), key=lambda each: rank.get(each.id, len(rank)))[:_MEANT]
    found = [(symbol, _edges(snapshot, symbol, asked.relation)) for symbol in likely]
    drafts: list[Draft] = []
    candidates: list[Candidate] = []
    for symbol, edges in found:
        users = {each.id: each for each in snapshot.symbols.get(list(dict.fromkeys(e.source_id for e in edges)))}
        shown = [edge for edge in edges if not users[edge.source_id].is_test]
        shown.sort(key=lambda edge: _order(users[edge.source_id], symbol, edge))
        if shown or symbol is found[0][0]:
            unsure = () if shown else tuple(_namings(snapshot, symbol))
            drafts.append(_draft(symbol, asked.relation, shown, users, unsure, mode))
        candidates += [
            Candidate(
                users[e.source_id], Role.CALLER, "users", _reason(symbol, asked.relation), e.confidence, (e.line,)
            )
            for e in shown
        ]
    return drafts, candidates


def _meant(snapshot: Snapshot, asked: AskedUsers) -> Iterator[Symbol]:
    """Yield the definitions of every name, those of the owner that is named alone where it has any."""
    for written in asked.names:
        spelled = (f"{asked.owner}.{written}", written) if asked.owner else (written,)
        names = (parse(each) for each in spelled)
        found = (closest(find_symbols(snapshot, name), name) for name in names if name)
        yield from next(filter(None, found), ())


def _edges(snapshot: Snapshot, symbol: Symbol, relation: Relation) -> list[Edge]:
    """
    Return one edge of each user; who makes an object of a class leads to how it is made.

    A class that nobody names is used by those who use its members: values of it come from elsewhere.
    """
    inside = members(snapshot, symbol) if symbol.kind == SymbolKind.CLASS else ()
    making = [each.id for each in inside if each.name in _MAKING and relation != Relation.INHERITS]
    found = _one_of_each(snapshot, [symbol.id, *making], relation)
    if found or relation != Relation.USES:
        return found
    return _one_of_each(snapshot, [each.id for each in inside], relation)


def _one_of_each(snapshot: Snapshot, targets: Sequence[int], relation: Relation) -> list[Edge]:
    found: dict[int, Edge] = {}
    for edge in snapshot.graph.incoming(targets, _KINDS[relation]):
        if edge.source_id not in targets:
            found.setdefault(edge.source_id, edge)
    return list(found.values())


def _namings(snapshot: Snapshot, symbol: Symbol) -> Iterator[tuple[Symbol, int]]:
    """Yield who has the name of what nobody is known to use, with the first line of it: calls may be unresolved."""
    if symbol.name.islower() and "_" not in symbol.name:
        return  # a plain word stands for many things
    own = snapshot.files.at(symbol.path)
    written = re.compile(
        rf"(?<!\w){re.escape(symbol.name)}(?!\w)" + ("" if symbol.kind == SymbolKind.CLASS else r"\s*\(")
    )
    seen = {symbol.id}
    for file in files_with(snapshot, symbol.name):
        if own is None or file.language != own.language:
            continue
        starts = {each.start_line for each in snapshot.symbols.in_file(file.path) if each.name == symbol.name}
        for number, line in enumerate(snapshot.files.text(file.path).splitlines(), 1):
            is_use = number not in starts and not _COMMENT.match(line) and written.search(line)
            user = enclosing(snapshot, file.path, number) if is_use else None
            if user and user.id not in seen and user.name != symbol.name and len(seen) <= _UNSURE:
                seen.add(user.id)
                yield user, number


def _order(user: Symbol, symbol: Symbol, edge: Edge) -> tuple[bool, float, str, int]:
    """The code itself goes before examples of its use, which lie in another folder, and what is sure before guesses."""
    return user.path.partition("/")[0] != symbol.path.partition("/")[0], -edge.confidence, user.path, edge.line


def _draft(
    symbol: Symbol,
    relation: Relation,
    edges: Sequence[Edge],
    users: Mapping[int, Symbol],
    unsure: Sequence[tuple[Symbol, int]],
    mode: Mode,
) -> Draft:
    in_tests = sum(each.is_test for each in users.values())
    name = symbol.qualified_name or symbol.module
    lines = [f"{name} ({symbol.path}:{symbol.start_line}) is {relation.value} {len(edges)}"]
    for edge in edges[:_LISTED]:
        user = users[edge.source_id]
        at = f" at line {edge.line}" if edge.line else ""
        lines.append(f"- {user.qualified_name or user.module} ({user.path}:{user.start_line}){at}")
    if len(edges) > _LISTED:
        lines.append(f"and {len(edges) - _LISTED} more")
    if in_tests:
        lines.append(f"and {in_tests} in tests")
    for user, line in unsure:
        place = f"({user.path}:{user.start_line}) at line {line}"
        lines.append(f"? {user.qualified_name or user.module} {place} has the name, of what is not resolved")
    return Draft(
        kind=EvidenceKind.FLOW,
        source=ContextSource.DOCS if mode == Mode.CONCEPTUAL else ContextSource.CODE,
        role=Role.USERS,
        title=f"What {title_of(symbol)} is {relation.value}",
        text="\n".join(lines) + "\n",
        reason=f"{name} is {relation.value}",
        mentions=(symbol, *(users[edge.source_id] for edge in edges[:_LISTED]), *(user for user, _ in unsure)),
    )


def _reason(symbol: Symbol, relation: Relation) -> str:
    verb = {Relation.CALLS: "calls", Relation.INHERITS: "inherits from", Relation.USES: "uses"}[relation]
    return f"{verb} {symbol.qualified_name or symbol.module}"
