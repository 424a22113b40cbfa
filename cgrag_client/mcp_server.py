"""Serves the suite to coding agents over MCP: five tools that call the same services as the command line."""

from __future__ import annotations

from bisect import bisect_right
from contextlib import aclosing, suppress
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Literal

from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.type.v1 import code_pb2, question_pb2
from mcp.server import MCPServer
from mcp.server.mcpserver import Context  # noqa: TC002 - the server looks for it in the tools' annotations at run time
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from cgrag_client.errors import ClientError, UsageError
from cgrag_client.render import words
from cgrag_client.render.answer import plain_answer, resolved_citation
from cgrag_client.render.links import Links
from cgrag_client.version import installed_version

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from cgrag_client.client import Client

INSTRUCTIONS = """\
Answers questions about indexed codebases. `ask` gives a whole answer with citations (path:line) and says what could
not be found; `search`, `lookup_symbol` and `read` look into the index directly, cheaply; `resolve_citations` says
where the places that an answer cites are now. Repositories are named; leave `repository` empty if only one is
indexed."""

MOST_LINES = 1000
MOST_CHARACTERS = 50_000
MOST_SYMBOLS = 25
_NO_REPOSITORY = "ERROR_REASON_REPOSITORY_NOT_FOUND"

Repository = Annotated[str, Field(description="Name of the repository; empty if there is but one.")]
ModeName = Literal["auto", "conceptual", "diagnostic", "exploratory", "analytical"]


def build_server(client: Client, choose: Callable[[Client, str, str], Awaitable[str]]) -> MCPServer[None]:
    """
    Build the server.

    Args:
        client: To the services; stays open as long as the server runs.
        choose: Decides which repository is meant by a name that may be empty; raises UsageError.
    """
    server: MCPServer[None] = MCPServer("cgrag", version=installed_version(), instructions=INSTRUCTIONS)
    tools = _Tools(client, choose)
    for tool in (tools.ask, tools.search, tools.lookup_symbol, tools.read, tools.resolve_citations):
        server.tool(structured_output=False, annotations=_READS)(tool)
    return server


_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)


class _Tools:
    def __init__(self, client: Client, choose: Callable[[Client, str, str], Awaitable[str]]) -> None:
        self._client = client
        self._choose = choose

    async def ask(
        self,
        question: Annotated[
            str, Field(description="What something does, why it fails, how control flows, or how it is built.")
        ],
        context: Context,
        repository: Repository = "",
        mode: Annotated[ModeName, Field(description="How to look; auto lets the service decide.")] = "auto",
    ) -> str:
        """Answer a question about a codebase from its source, with citations, and say what could not be found."""
        options = orchestrator_pb2.AskOptions(
            mode=question_pb2.Mode.Value("MODE_UNSPECIFIED" if mode == "auto" else f"MODE_{mode}".upper())
        )
        try:
            name = await self._choose(self._client, repository, "repository")
            async with aclosing(self._client.ask(question, repository=name, options=options)) as events:
                async for event in events:
                    await context.report_progress(event.sequence, message=event.WhichOneof("event"))
                    if event.WhichOneof("event") == "completed":
                        return plain_answer(event.completed.answer)
        except (ClientError, UsageError) as error:
            raise await self._tool_error(error) from error
        raise ToolError("the answer did not complete")

    async def search(
        self,
        query: Annotated[str, Field(description="Words, names, or an error message.")],
        repository: Repository = "",
        limit: Annotated[int, Field(ge=1, le=100, description="Results of each kind.")] = 10,
    ) -> str:
        """Rank symbols, files and documents of a codebase for a text, best first; test files are left out."""
        try:
            name = await self._choose(self._client, repository, "repository")
            found = await self._client.code.search(query, repository=name, limit=limit)
        except (ClientError, UsageError) as error:
            raise await self._tool_error(error) from error
        symbols = [f"{_place(each.symbol)} {each.symbol.qualified_name}" for each in found.symbols]
        documents = [f"{words.place(each.span)} {each.title}" for each in found.docs]
        files = [each.path for each in found.files]
        return "\n".join(["Symbols:", *symbols, "Files:", *files, "Documents:", *documents])

    async def lookup_symbol(
        self,
        name: Annotated[str, Field(description="Like send, Client.send or app.client.Client.send.")],
        repository: Repository = "",
        path: Annotated[str, Field(description="Only files whose path ends with this.")] = "",
    ) -> str:
        """Find definitions by name, with signature, documentation, and what they raise and change."""
        try:
            chosen = await self._choose(self._client, repository, "repository")
            found = await self._client.code.lookup(name, repository=chosen, path=path, limit=MOST_SYMBOLS + 1)
        except (ClientError, UsageError) as error:
            raise await self._tool_error(error) from error
        shown = _within([f"{_symbol(each)}\n\n" for each in found[:MOST_SYMBOLS]])
        more = "More have that name: give a longer name, or a path.\n" if len(shown) < len(found) else ""
        return "".join([*shown, more]).rstrip("\n") or f"no symbol is named {name}"

    async def read(
        self,
        path: Annotated[str, Field(description="Path relative to the repository's root.")],
        start_line: Annotated[int, Field(ge=0, description="First line, from 1; 0 begins at the beginning.")] = 0,
        end_line: Annotated[
            int, Field(ge=0, description="Last line; 0 is the first line alone, or all lines if that is 0, too.")
        ] = 0,
        repository: Repository = "",
    ) -> str:
        """Read source text as it was indexed, at most 1000 lines or 50,000 characters at once."""
        first = start_line or (1 if end_line else 0)
        span = code_pb2.Span(path=path, start_line=first, end_line=end_line or first)
        try:
            name = await self._choose(self._client, repository, "repository")
            [found] = await self._client.code.read([span], repository=name)
        except (ClientError, UsageError) as error:
            raise await self._tool_error(error) from error
        lines = found.text.splitlines(keepends=True)
        shown = _within(lines[:MOST_LINES])
        if len(shown) == len(lines):
            return "".join(shown)
        going_on = max(1, first) + len(shown)
        return "".join([*shown, f"[{len(lines) - len(shown)} more lines: go on with start_line {going_on}]\n"])

    async def resolve_citations(
        self,
        answer_id: Annotated[str, Field(description="Id of an answer, from its last line.")],
        number: Annotated[int, Field(ge=0, description="Only this citation; 0 for all.")] = 0,
        revision: Annotated[str, Field(description="Snapshot or commit, its first digits do; else the current.")] = "",
    ) -> str:
        """Say what became of the places that an answer cites: same, moved, changed or gone, and where they are now."""
        try:
            answer = await self._client.answers.get(answer_id)
            at = await self._client.indexes.revision(answer.repository, revision)
            cited = [each for each in answer.citations if number in (0, each.number)]
            found = [
                (each, await self._client.code.resolve_citation(each, repository=answer.repository, revision=at))
                for each in cited
            ]
        except (ClientError, UsageError) as error:
            raise await self._tool_error(error) from error
        return "\n".join(resolved_citation(each, now, Links()).plain for each, now in found) or "no such citation"

    async def _tool_error(self, error: ClientError | UsageError) -> ToolError:
        if isinstance(error, UsageError):
            return ToolError(str(error))
        next_step = error.next_step
        if error.reason == _NO_REPOSITORY:
            with suppress(ClientError):  # of the two, the first is what went wrong
                names = ", ".join(each.repository for each in await self._client.indexes.repositories())
                next_step = f"there are: {names}; {next_step}" if names else next_step
        return ToolError(f"{error.message} ({error.reason})" + (f"; next: {next_step}" if next_step else ""))


def _within(parts: Sequence[str]) -> list[str]:
    """Return the first parts that are together no longer than an answer may be; a first one that is longer is cut."""
    ends = list(accumulate(map(len, parts)))
    fitting = bisect_right(ends, MOST_CHARACTERS)
    return [*parts[:fitting]] if fitting or not parts else [f"{parts[0][:MOST_CHARACTERS]} [cut]\n"]


def _place(ref: code_pb2.SymbolRef) -> str:
    return words.place(code_pb2.Span(path=ref.path, start_line=ref.start_line, end_line=ref.end_line))


def _symbol(symbol: code_pb2.Symbol) -> str:
    lines = [f"{_place(symbol.ref)} {symbol.signature}"]
    if symbol.docstring:
        lines.append(symbol.docstring)
    lines += [f"{label}: {', '.join(names)}" for label, names in _facts(symbol) if names]
    return "\n".join(lines)


def _facts(symbol: code_pb2.Symbol) -> tuple[tuple[str, list[str]], ...]:
    return ("raises", list(symbol.raises)), ("changes", list(symbol.mutates)), ("errors", list(symbol.error_strings))
