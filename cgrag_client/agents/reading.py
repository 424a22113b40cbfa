"""Tools that look into the index directly: search, symbols, source, claims and citations."""

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
    Several,
    Tools,
    located,
    more,
    named,
    paged,
    place,
    reply,
    several,
    within,
)
from cgrag_client.errors import ClientError
from cgrag_client.render import words

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_SYMBOLS, _OUTLINED = 25, 200
_SOURCE_LINES = 150
_EXACT_LINES = 10
_LINE_CHARACTERS = 160
_SPAN_NOT_FOUND = "ERROR_REASON_SPAN_NOT_FOUND"
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
        Find the lines that have a text word for word, and rank symbols, files and documents for it, best first.

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
                lines=0 if first else _EXACT_LINES,
            )
        symbols, after_symbols = paged(found.symbols, offset, size)
        files, after_files = paged(found.files, offset, size)
        docs, after_docs = paged(found.docs, offset, size)
        following = max((each for each in (after_symbols, after_files, after_docs) if each is not None), default=None)
        data: dict[str, object] = {
            "lines": [{**located(each.span), "text": each.text.strip()} for each in found.lines],
            "symbols": [{**named(each.symbol), "score": each.score} for each in symbols],
            "files": [{"path": each.path, "score": each.score} for each in files],
            "documents": [{**located(each.span), "title": each.title} for each in docs],
            "next_offset": following,
        }
        lines = [
            *(["Lines with this text:"] if found.lines else ()),
            *(f"{words.place(each.span)} {each.text.strip()[:_LINE_CHARACTERS]}" for each in found.lines),
            *("Symbols:", *(f"{place(each.symbol)} {each.symbol.qualified_name}" for each in symbols)),
            *("Files:", *(each.path for each in files)),
            *("Documents:", *(f"{words.place(each.span)} {each.title}" for each in docs)),
        ]
        return reply("\n".join(lines) + more(following), data)

    async def lookup_symbol(
        self,
        name: Annotated[
            str | Several | None,
            Field(description="Like send, Client.send or app.client.Client.send; several in a list."),
        ] = None,
        repository: Repository = None,
        path: Annotated[
            str | None,
            Field(description="Only files whose path ends with this; without a name, all that the file defines."),
        ] = None,
        source: Annotated[
            bool | None, Field(description=f"Show the source of each, at most {_SOURCE_LINES} lines.")
        ] = None,
        offset: Offset = None,
    ) -> CallToolResult:
        """
        Find definitions by name, or all those of a file, with signature, documentation, and what they raise and change.

        Use it when you know the name or the file; `source` saves a `read`, and `users` lists callers and tests.
        """
        first, parts, rows, similar = offset or 0, list[str](), list[dict[str, object]](), list[str]()
        following, most = None, MOST_SYMBOLS if name else _OUTLINED
        async with self._tools.meant(repository) as chosen:
            for each in several(name) if name else [""]:
                found, alike = await self._tools.client.code.lookup_or_similar(
                    each, repository=chosen, path=_clean(path), limit=first + most + 1
                )
                page, after = paged(found, offset, most)
                texts = await self._sources(chosen, page) if source else [""] * len(page)
                parts += [f"{_symbol(one, is_brief=not name)}{text}\n" for one, text in zip(page, texts, strict=True)]
                rows += [{**named(one.ref), "signature": one.signature} for one in page]
                similar += alike
                following = following or after
                if not found:
                    meant = f"; did you mean {' or '.join(alike)}?" if alike else ""
                    parts.append(f"no symbol is named {each}{meant}\n" if each else f"{path} defines nothing\n")
        shown = within(parts)
        following = first + len(shown) if len(shown) < len(parts) else following
        text = "\n".join(shown) if name else "".join(shown)
        data: dict[str, object] = {"symbols": rows, "similar_names": similar, "next_offset": following}
        return reply(text.rstrip("\n") + more(following), data)

    async def read(
        self,
        path: Annotated[
            str | Several,
            Field(
                description="Path relative to the repository's root, lines behind it: a/b.py:4-9; several in a list."
            ),
        ],
        start_line: Annotated[int | None, Field(ge=0, description="First line, from 1; for one path.")] = None,
        end_line: Annotated[
            int | None, Field(ge=0, description="Last line; the first line alone, or all lines, if left out.")
        ] = None,
        repository: Repository = None,
    ) -> CallToolResult:
        """
        Read source text as it was indexed, of one place or several, at most 1000 lines or 50,000 characters at once.

        Use it for lines that another tool named, all of them in one call; whole files are seldom needed.
        """
        paths, texts, rows = several(path), list[str](), list[dict[str, object]]()
        room = MOST_LINES
        async with self._tools.meant(repository) as name:
            for each in paths:
                wanted = parse_place(each, start_line, end_line, root=await self._root(name, each))
                try:
                    found, end_of_file = await self._text(name, wanted)
                except ClientError as error:
                    if len(paths) == 1:
                        raise
                    texts.append(f"{each}: {error.message}\n")
                    continue
                lines = found.text.splitlines(keepends=True)
                shown = within([*texts, *lines[: max(1, room)]])[len(texts) :]
                room -= len(shown)
                first = max(1, wanted.start)
                last, is_cut = first + len(shown) - 1, len(shown) < len(lines)
                text = "".join(shown)
                place_read = {"path": found.span.path or wanted.path, "start_line": first, "end_line": last}
                rows.append({**place_read, "text": text, "next_line": last + 1 if is_cut else None})
                if is_cut:
                    text += f"[{len(lines) - len(shown)} more lines: go on with start_line {last + 1}]\n"
                elif end_of_file:
                    text += f"[the file ends with line {end_of_file}]\n"
                texts.append(text if len(paths) == 1 else f"{wanted.path}:{first}-{last}\n{text}")
        return reply("\n".join(texts), {"texts": rows})

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

    async def _sources(self, repository: str, symbols: Sequence[code_pb2.Symbol]) -> list[str]:
        """Return the source of each symbol, cut to the most lines."""
        refs = [each.ref for each in symbols]
        ends = [min(each.end_line, each.start_line + _SOURCE_LINES - 1) for each in refs]
        spans = [
            code_pb2.Span(path=each.path, start_line=each.start_line, end_line=end)
            for each, end in zip(refs, ends, strict=True)
        ]
        read = await self._tools.client.code.read(spans, repository=repository)
        return [
            f"\n{each.text}" + (f"[goes on to line {ref.end_line}]\n" if end < ref.end_line else "")
            for each, ref, end in zip(read, refs, ends, strict=True)
        ]

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


def _clean(path: str | None) -> str:
    return (path or "").removeprefix("./")


def _symbol(symbol: code_pb2.Symbol, *, is_brief: bool) -> str:
    """Write what is known of a symbol; of one among all those of a file only the first line of its documentation."""
    if is_brief:
        ref, told = symbol.ref, symbol.docstring.partition("\n")[0].strip()
        at = f"{ref.start_line}-{ref.end_line}" if ref.end_line > ref.start_line else f"{ref.start_line}"
        at = place(ref) if ref.kind == code_pb2.SYMBOL_KIND_MODULE else "  " * ref.qualified_name.count(".") + at
        return " ".join(filter(None, (at, symbol.signature))) + (f": {told}" if told else "")
    lines = [f"{place(symbol.ref)} {symbol.signature}"]
    if symbol.docstring:
        lines.append(symbol.docstring)
    lines += [f"{label}: {', '.join(names)}" for label, names in _facts(symbol) if names]
    return "\n".join(lines)


def _facts(symbol: code_pb2.Symbol) -> tuple[tuple[str, Sequence[str]], ...]:
    return ("raises", list(symbol.raises)), ("changes", list(symbol.mutates)), ("errors", list(symbol.error_strings))
