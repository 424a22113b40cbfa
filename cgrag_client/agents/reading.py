"""Tools that look into the index directly: search, symbols, who has to do with them, source, claims and citations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, evidence_pb2
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult  # noqa: TC002 - the server looks for it in the tools' annotations at run time
from pydantic import Field

from cgrag_client.agents.places import Place, parse_place
from cgrag_client.agents.replies import (
    MOST_LINES,
    Offset,
    Repository,
    Tools,
    located,
    more,
    named,
    paged,
    place,
    reply,
    within,
)
from cgrag_client.errors import ClientError
from cgrag_client.render import words

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_SYMBOLS = 25
_SPAN_NOT_FOUND = "ERROR_REASON_SPAN_NOT_FOUND"
_QUESTIONS = {
    "callers": "What calls `{}`?",
    "users": "What uses `{}`?",
    "tests": "Which tests cover `{}`?",
    "implementers": "What implements `{}`?",
}
Relation = Literal["callers", "users", "tests", "implementers", "callees"]
ClaimName = Literal["exists", "calls", "raises", "mutates", "quotes"]
Limit = Annotated[int | None, Field(ge=1, le=100, description="Results of each kind; 10 if left out.")]


class Reading:
    """Tools that look into the index."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def search(
        self,
        query: Annotated[str, Field(description="Words, names, or an error message.")],
        repository: Repository = None,
        path: Annotated[str | None, Field(description="Only paths that start with this.")] = None,
        tests: Annotated[bool | None, Field(description="Rank test files too; they are left out otherwise.")] = None,
        limit: Limit = None,
        offset: Offset = None,
    ) -> CallToolResult:
        """
        Rank symbols, files and documents of a codebase for a text, best first.

        Use it where you would grep for words or a message; a question in a sentence is better asked.
        """
        size, first = limit or 10, offset or 0
        async with self._tools.meant(repository) as name:
            found = await self._tools.client.code.search(
                query,
                repository=name,
                limit=min(first + size + 1, 500),
                path_prefix=_clean(path),
                include_tests=bool(tests),
            )
        symbols, after_symbols = paged(found.symbols, offset, size)
        files, after_files = paged(found.files, offset, size)
        docs, after_docs = paged(found.docs, offset, size)
        following = max((each for each in (after_symbols, after_files, after_docs) if each is not None), default=None)
        data: dict[str, object] = {
            "symbols": [{**named(each.symbol), "score": each.score} for each in symbols],
            "files": [{"path": each.path, "score": each.score} for each in files],
            "documents": [{**located(each.span), "title": each.title} for each in docs],
            "next_offset": following,
        }
        lines = [
            *("Symbols:", *(f"{place(each.symbol)} {each.symbol.qualified_name}" for each in symbols)),
            *("Files:", *(each.path for each in files)),
            *("Documents:", *(f"{words.place(each.span)} {each.title}" for each in docs)),
        ]
        return reply("\n".join(lines) + more(following), data)

    async def lookup_symbol(
        self,
        name: Annotated[str, Field(description="Like send, Client.send or app.client.Client.send.")],
        repository: Repository = None,
        path: Annotated[str | None, Field(description="Only files whose path ends with this.")] = None,
        offset: Offset = None,
    ) -> CallToolResult:
        """
        Find definitions by name, with signature, documentation, and what they raise and change.

        Use it when you know the name; `users` then tells who has to do with it, `read` shows its lines.
        """
        async with self._tools.meant(repository) as chosen:
            found, similar = await self._tools.client.code.lookup_or_similar(
                name, repository=chosen, path=_clean(path), limit=(offset or 0) + MOST_SYMBOLS + 1
            )
        page, following = paged(found, offset, MOST_SYMBOLS)
        shown = within([f"{_symbol(each)}\n\n" for each in page])
        if len(shown) < len(page):
            following = (offset or 0) + len(shown)
        rows = [{**named(each.ref), "signature": each.signature} for each in page[: len(shown)]]
        meant = f"; did you mean {' or '.join(similar)}?" if similar else ""
        text = "".join(shown).rstrip("\n") + more(following) if page else f"no symbol is named {name}{meant}"
        return reply(text, {"symbols": rows, "similar_names": list(similar), "next_offset": following})

    async def users(
        self,
        symbol: Annotated[str, Field(description="Like send or Client.send; best as `lookup_symbol` wrote it.")],
        relation: Annotated[
            Relation,
            Field(
                description="callers: what calls it; users: what calls, imports, extends or names it; tests: what tests"
                " it; implementers: what implements or extends it; callees: what it calls."
            ),
        ] = "users",
        repository: Repository = None,
    ) -> CallToolResult:
        """
        List who has to do with a symbol, with the line where.

        Use it to see what a change breaks, which tests to run, or what an interface stands for.
        """
        async with self._tools.meant(repository) as name:
            if relation == "callees":
                rows, count, note = await self._callees(name, symbol)
            else:
                rows, count, note = await self._related(name, symbol, relation)
        lines = [f"{each['path']}:{each['line']} {each['name']}" for each in rows]
        left = f"\n[{count - len(rows)} more are known by number only]" if count > len(rows) else ""
        text = "\n".join([f"{count} {relation} of {symbol}", *lines]) + left + (f"\n{note}" if note else "")
        return reply(text, {"symbol": symbol, "relation": relation, "count": count, "found": rows, "note": note})

    async def read(
        self,
        path: Annotated[
            str, Field(description="Path relative to the repository's root; lines may stand behind it: a/b.py:4-9.")
        ],
        start_line: Annotated[int | None, Field(ge=0, description="First line, from 1.")] = None,
        end_line: Annotated[
            int | None, Field(ge=0, description="Last line; the first line alone, or all lines, if left out.")
        ] = None,
        repository: Repository = None,
    ) -> CallToolResult:
        """
        Read source text as it was indexed, at most 1000 lines or 50,000 characters at once.

        Use it for lines that another tool named; whole files are seldom needed.
        """
        async with self._tools.meant(repository) as name:
            wanted = parse_place(path, start_line, end_line, root=await self._root(name, path))
            found, end_of_file = await self._text(name, wanted)
        lines = found.text.splitlines(keepends=True)
        shown = within(lines[:MOST_LINES])
        first = max(1, wanted.start)
        data: dict[str, object] = {
            "path": found.span.path or wanted.path,
            "start_line": first,
            "end_line": first + len(shown) - 1,
            "text": "".join(shown),
            "next_line": first + len(shown) if len(shown) < len(lines) else None,
        }
        text = "".join(shown)
        if len(shown) < len(lines):
            text += f"[{len(lines) - len(shown)} more lines: go on with start_line {first + len(shown)}]\n"
        elif end_of_file:
            text += f"[the file ends with line {end_of_file}]\n"
        return reply(text, data)

    async def check_claims(
        self,
        claims: Annotated[
            list[tuple[ClaimName, str, str]],
            Field(
                description='Each [kind, subject, object]: ["calls", "Client.send", "Pool.get"], ["exists", "Pool", ""]'
                ', ["raises", "send", "Timeout"], ["mutates", "send", "self.open"], ["quotes", "a line of code", ""].',
                min_length=1,
                max_length=200,
            ),
        ],
        repository: Repository = None,
    ) -> CallToolResult:
        """
        Check statements about the code against the index: verified, contradicted, or uncheckable, with a reason.

        Use it before you rely on what you wrote about code, or were told.
        """
        asked = [
            evidence_pb2.Claim(kind=evidence_pb2.ClaimKind.Value(f"CLAIM_KIND_{kind}".upper()), subject=a, object=b)
            for kind, a, b in claims
        ]
        async with self._tools.meant(repository) as name:
            request = retriever_pb2.CheckClaimsRequest(repository=name, claims=asked)
            to_retriever = self._tools.client.connection("retriever")
            found = await to_retriever.call(self._tools.client.code.stub.CheckClaims, request)
        rows: list[dict[str, object]] = []
        for each, (kind, subject, thing) in zip(found.claims, claims, strict=True):
            verdict = evidence_pb2.ClaimVerdict.Name(each.verdict).removeprefix("CLAIM_VERDICT_").lower()
            rows.append({"claim": [kind, subject, thing], "verdict": verdict, "detail": each.detail})
        text = "\n".join(
            f"{each['verdict']}: {' '.join(map(str, claims[at]))}. {each['detail']}".rstrip(". ")
            for at, each in enumerate(rows)
        )
        return reply(text, {"claims": rows})

    async def resolve_citation(
        self,
        path: Annotated[str, Field(description="A place that was cited, such as a/b.py:4-9.")],
        symbol: Annotated[str | None, Field(description="Symbol that it was of, if any.")] = None,
        content_hash: Annotated[str | None, Field(description="SHA-256 of the cited lines, if it is known.")] = None,
        repository: Repository = None,
    ) -> CallToolResult:
        """
        Tell where a cited place is now: same, moved, changed or gone.

        Use it for places that you noted before the code was indexed again.
        """
        wanted = parse_place(path, None, None)
        span = code_pb2.Span(path=wanted.path, start_line=wanted.start, end_line=wanted.end)
        citation = evidence_pb2.Citation(span=span, content_hash=content_hash or "")
        if symbol:
            citation.symbol.MergeFrom(
                code_pb2.SymbolRef(
                    path=wanted.path, qualified_name=symbol, start_line=wanted.start, end_line=wanted.end
                )
            )
        async with self._tools.meant(repository) as name:
            request = retriever_pb2.ResolveCitationRequest(repository=name, citation=citation)
            to_retriever = self._tools.client.connection("retriever")
            found = await to_retriever.call(self._tools.client.code.stub.ResolveCitation, request)
        state = retriever_pb2.CitationState.Name(found.state).removeprefix("CITATION_STATE_").lower()
        now = words.place(found.span) if found.HasField("span") else ""
        return reply(f"{state} {now}".strip(), {"state": state, **(located(found.span) if now else {})})

    async def _root(self, repository: str, path: str) -> str:
        """Return the folder that a repository was indexed from, where the path may begin with it."""
        if not path.strip().startswith("/"):
            return ""
        jobs = await self._tools.client.indexes.recent_jobs(repository=repository, limit=1)
        return jobs[0].source.local_path if jobs else ""

    async def _text(self, repository: str, wanted: Place) -> tuple[retriever_pb2.SpanText, int]:
        """Read lines as far as the file has them; returns its last line if that is before the end asked for, else 0."""
        span = code_pb2.Span(path=wanted.path, start_line=wanted.start, end_line=wanted.end)
        try:
            return (await self._tools.client.code.read([span], repository=repository))[0], 0
        except ClientError as error:
            last = int(error.metadata.get("lines", "0"))
            if error.reason != _SPAN_NOT_FOUND or not last:
                raise
        if wanted.start > last:
            raise ToolError(f"{wanted.path} has {last} lines, none of them from {wanted.start} on")
        span.end_line = last
        return (await self._tools.client.code.read([span], repository=repository))[0], last

    async def _related(self, repository: str, symbol: str, relation: str) -> tuple[list[dict[str, object]], int, str]:
        """Ask who has to do with a symbol: the answer's first evidence has them as data."""
        found = await self._tools.client.answers.explain(_QUESTIONS[relation].format(symbol), repository=repository)
        users = next((each.users for each in found.evidence if each.HasField("users")), evidence_pb2.UserList())
        rows = [_user(each) for each in users.listed]
        unsure = ", ".join(f"{each.name} ({words.place(each.place)})" for each in users.unsure)
        notes = [*users.notes, *([f"perhaps: {unsure}"] if unsure else [])]
        if users.in_tests:
            notes.append(f"{users.in_tests} more are tests")
        if not rows and not notes:
            notes.append(await self._ambiguity(repository, symbol))
        return rows, max(users.count, len(rows)), "; ".join(notes)

    async def _ambiguity(self, repository: str, symbol: str) -> str:
        """Return which symbols a name without users may mean."""
        same = [each.ref for each in await self._tools.client.code.lookup(symbol, repository=repository, limit=5)]
        if len(same) < 2:  # one is meant
            return "none is known"
        places = ", ".join(f"{each.path}:{each.start_line}" for each in same)
        return f"none is known; {symbol} may be any of {places}: name it with its package or class"

    async def _callees(self, repository: str, symbol: str) -> tuple[list[dict[str, object]], int, str]:
        seeds = [each.ref for each in await self._tools.client.code.lookup(symbol, repository=repository, limit=5)]
        if not seeds:
            return [], 0, f"no symbol is named {symbol}"
        request = retriever_pb2.ExpandGraphRequest(
            repository=repository,
            seeds=seeds,
            direction=retriever_pb2.DIRECTION_FORWARD,
            hops=1,
            kinds=[code_pb2.EDGE_KIND_CALL],
        )
        to_retriever = self._tools.client.connection("retriever")
        edges = (await to_retriever.call(self._tools.client.code.stub.ExpandGraph, request)).edges
        rows: list[dict[str, object]] = [
            {"name": each.target.qualified_name or each.target_name, "path": each.source.path, "line": each.line}
            for each in edges
        ]
        return rows, len(rows), ""


def _clean(path: str | None) -> str:
    return (path or "").removeprefix("./")


def _user(user: evidence_pb2.User) -> dict[str, object]:
    where = user.place if user.place.path else user.symbol
    row: dict[str, object] = {"name": user.name, "path": where.path, "line": where.start_line}
    if user.HasField("symbol"):
        row["definition"] = located(user.symbol)
    if user.through:
        row["through"] = user.through
    return row


def _symbol(symbol: code_pb2.Symbol) -> str:
    lines = [f"{place(symbol.ref)} {symbol.signature}"]
    if symbol.docstring:
        lines.append(symbol.docstring)
    lines += [f"{label}: {', '.join(names)}" for label, names in _facts(symbol) if names]
    return "\n".join(lines)


def _facts(symbol: code_pb2.Symbol) -> tuple[tuple[str, Sequence[str]], ...]:
    return ("raises", list(symbol.raises)), ("changes", list(symbol.mutates)), ("errors", list(symbol.error_strings))
