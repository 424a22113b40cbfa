"""The tool that lists the users of symbols: callers, tests, implementers."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Literal

from cgrag.type.v1 import code_pb2, evidence_pb2
from mcp_types import CallToolResult  # noqa: TC002 - the server looks for it in the tools' annotations at run time
from pydantic import Field

from cgrag_client.agents.replies import (
    LINE_CHARACTERS,
    Offset,
    Repository,
    Tools,
    located,
    more,
    reply,
    several,
    within,
)
from cgrag_client.render import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

_MOST_USERS = 30
_RELATIONS = {
    "callers": evidence_pb2.RELATION_CALLS,
    "users": evidence_pb2.RELATION_USES,
    "tests": evidence_pb2.RELATION_TESTS,
    "implementers": evidence_pb2.RELATION_IMPLEMENTS,
    "callees": evidence_pb2.RELATION_CALLEES,
}
RelationName = Literal["callers", "users", "tests", "implementers", "callees"]


class Relations:
    """The tool that lists users."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def users(
        self,
        symbol: Annotated[
            str | Annotated[list[str], Field(min_length=1, max_length=20)],
            Field(description="Like send, Client.send or a/b.py:Client.send; several in a list."),
        ],
        relation: Annotated[
            RelationName | Annotated[list[RelationName], Field(min_length=1)] | None,
            Field(
                description="callers; users: what calls, imports, extends or names the symbol, if left out; tests;"
                " implementers: of an interface or base class, or of one of its methods; callees: what the symbol"
                " calls. Several in a list."
            ),
        ] = None,
        repository: Repository = None,
        offset: Offset = None,
    ) -> CallToolResult:
        """
        List the callers, users, tests or implementers of symbols, or what they call, each with the line of code.

        Use it to see what a change breaks, which tests to run, or what an interface stands for. Ask for all symbols and
        relations that you need in one call.
        """
        first, parts, rows, is_more = offset or 0, list[str](), list[dict[str, object]](), False
        names: set[str] = set()
        async with self._tools.meant(repository) as name:
            for each in several(symbol):
                for wanted in several(relation or "users"):
                    found = await self._tools.client.code.users(
                        each, _RELATIONS[wanted], repository=name, limit=first + _MOST_USERS
                    )
                    if not found.lists:
                        meant = f"; did you mean {' or '.join(found.similar_names)}?" if found.similar_names else ""
                        parts.append(f"0 {wanted} of {each}: no symbol has this name{meant}\n")
                    pages = [one.listed[first : first + _MOST_USERS] for one in found.lists]
                    texts = await self._texts(name, found.snapshot_id, [user for page in pages for user in page])
                    told: set[tuple[str, int]] = set()
                    for one, page in zip(found.lists, pages, strict=True):
                        parts.append(_list_text(one, page, told, names, wanted, texts))
                        told.update(map(_where, page))
                        names.update(user.name for user in page)
                        rows.append(_list_data(one, page, wanted, texts))
                        is_more = is_more or one.count > first + len(page)
        following = first + _MOST_USERS if is_more else None
        text = "\n".join(within(parts)).rstrip("\n") + more(following)
        return reply(text, {"lists": rows, "next_offset": following})

    async def _texts(
        self, repository: str, snapshot_id: str, users: Sequence[evidence_pb2.User]
    ) -> dict[tuple[str, int], str]:
        """Return the line of code of each user, by path and line; none where that is the user's own definition."""
        wanted = list(dict.fromkeys(_where(each) for each in users if each.place != _head(each.symbol)))
        spans = [code_pb2.Span(path=path, start_line=line, end_line=line) for path, line in wanted if line]
        read = await self._tools.client.code.read(spans, repository=repository, snapshot_id=snapshot_id)
        return {(each.span.path, each.span.start_line): each.text.strip()[:LINE_CHARACTERS] for each in read}


def _where(user: evidence_pb2.User) -> tuple[str, int]:
    place = user.place if user.place.path else user.symbol
    return place.path, place.start_line


def _head(symbol: code_pb2.SymbolRef) -> code_pb2.Span:
    return code_pb2.Span(path=symbol.path, start_line=symbol.start_line, end_line=symbol.start_line)


def _list_text(
    found: evidence_pb2.UserList,
    page: Sequence[evidence_pb2.User],
    told: Set[tuple[str, int]],
    names: Set[str],
    relation: str,
    texts: dict[tuple[str, int], str],
) -> str:
    new = [each for each in page if _where(each) not in told]
    at = f" ({found.definition.path}:{found.definition.start_line})" if found.HasField("definition") else ""
    tests = f", {found.in_tests} more in tests" if found.in_tests else ""
    above = "" if len(new) == len(page) else f", {len(page) - len(new)} of them above"
    noun = relation.removesuffix("s") if found.count == 1 else relation
    lines = [f"{found.count} {noun} of {found.name}{at}{above}{tests}", *_by_file(new, texts)]
    unsure = [each for each in (*found.unsure, *found.named_after) if each.name not in names]
    if unsure:
        lines.append("perhaps: " + ", ".join(f"{each.name} ({words.place(each.place)})" for each in unsure))
    elif not (found.count or found.in_tests or found.notes):
        lines.append("none is known")
    return "\n".join([*lines, *found.notes]) + "\n"


def _by_file(users: Sequence[evidence_pb2.User], texts: dict[tuple[str, int], str]) -> Iterator[str]:
    """Write one user a line; for several users in the same file, its path is written once, above them."""
    for path, group in groupby(users, lambda each: _where(each)[0]):
        rows = list(group)
        if len(rows) > 1:
            yield path
        for each in rows:
            line = _where(each)[1]
            through = f" through {each.through}" if each.through else ""
            text = texts.get((path, line), "")
            at = f"  {line}" if len(rows) > 1 else f"{path}:{line}"
            yield f"{at} {each.name}{through}" + (f": {text}" if text else "")


def _list_data(
    found: evidence_pb2.UserList,
    page: Sequence[evidence_pb2.User],
    relation: str,
    texts: dict[tuple[str, int], str],
) -> dict[str, object]:
    return {
        "symbol": found.name,
        "definition": located(found.definition) if found.HasField("definition") else None,
        "relation": relation,
        "count": found.count,
        "in_tests": found.in_tests,
        "found": [_user(each, texts) for each in page],
        "perhaps": [_user(each, {}) for each in (*found.unsure, *found.named_after)],
        "notes": list(found.notes),
    }


def _user(user: evidence_pb2.User, texts: dict[tuple[str, int], str]) -> dict[str, object]:
    path, line = _where(user)
    row: dict[str, object] = {"name": user.name, "path": path, "line": line, "text": texts.get((path, line), "")}
    if user.HasField("symbol"):
        row["definition"] = located(user.symbol)
    if user.through:
        row["through"] = user.through
    return row
