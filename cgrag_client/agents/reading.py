"""Tools that look into the index directly: search, source, claims and citations."""

from __future__ import annotations

from typing import Annotated, Literal

from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, evidence_pb2
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult  # noqa: TC002 - the server looks for it in the tools' annotations at run time
from pydantic import Field

from cgrag_client.agents.places import Place, parse_place
from cgrag_client.agents.replies import (
    LINE_CHARACTERS,
    MOST_LINES,
    Offset,
    Repository,
    Several,
    Tools,
    bare_path,
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

_EXACT_LINES, _WITH_CONTEXT, _LINES_BEFORE = 10, 2, 8
_RANKED, _BESIDE_LINES = 10, 3
_SPAN_NOT_FOUND = "ERROR_REASON_SPAN_NOT_FOUND"
ClaimName = Literal["exists", "calls", "raises", "mutates", "quotes"]
Limit = Annotated[
    int | None,
    Field(ge=1, le=100, description="Results of each kind; 10 if left out, 3 symbols if lines have the text."),
]


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
        first = offset or 0
        async with self._tools.meant(repository) as name:
            found = await self._tools.client.code.search(
                query,
                repository=name,
                limit=min(first + (limit or _RANKED) + 1, 500),
                path_prefix=bare_path(path),
                include_tests=bool(tests),
                lines=0 if first else _EXACT_LINES,
            )
            around = await self._around(name, found)
        size = limit or (_BESIDE_LINES if found.lines else _RANKED)
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
            *(["Lines with this text:", *around] if around else ()),
            *("Symbols:", *(f"{place(each.symbol)} {each.symbol.qualified_name}" for each in symbols)),
        ]
        if limit or not around:
            lines += ["Files:", *(each.path for each in files)]
            lines += ["Documents:", *(f"{words.place(each.span)} {each.title}" for each in docs)]
        return reply("\n".join(lines) + more(following), data)

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

    async def _around(self, repository: str, found: retriever_pb2.SearchResponse) -> list[str]:
        """Write the lines that contain the text, the first of them with some lines of context before each."""
        before = [
            code_pb2.Span(path=each.path, start_line=max(1, each.start_line - _LINES_BEFORE), end_line=each.start_line)
            for each in (line.span for line in found.lines[:_WITH_CONTEXT])
        ]
        texts = await self._tools.client.code.read(before, repository=repository, snapshot_id=found.snapshot_id)
        return [
            *(f"{words.place(span)}\n{each.text.rstrip()}" for span, each in zip(before, texts, strict=True)),
            *(
                f"{words.place(each.span)} {each.text.strip()[:LINE_CHARACTERS]}"
                for each in found.lines[_WITH_CONTEXT:]
            ),
        ]

    async def _root(self, repository: str, path: str) -> str:
        """Return the folder that a repository was indexed from if `path` is absolute, else ""."""
        if not path.strip().startswith("/"):
            return ""
        jobs = await self._tools.client.indexes.recent_jobs(repository=repository, limit=1)
        return jobs[0].source.local_path if jobs else ""

    async def _text(self, repository: str, wanted: Place) -> tuple[retriever_pb2.SpanText, int]:
        """Read lines up to the file's end; also return the file's last line if it is before the wanted end, else 0."""
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
