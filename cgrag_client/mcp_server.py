"""Serves the suite to coding agents over MCP: four tools that call the same services as the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.type.v1 import code_pb2, question_pb2
from mcp.server import MCPServer
from mcp.server.mcpserver import Context  # noqa: TC002 - the server looks for it in the tools' annotations at run time
from mcp.server.mcpserver.exceptions import ToolError

from cgrag_client.errors import ClientError, UsageError
from cgrag_client.render import words
from cgrag_client.render.answer import plain_answer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from cgrag_client.client import Client

INSTRUCTIONS = """\
Answers questions about indexed codebases. `ask` gives a whole answer with citations (path:line) and says what could
not be found; `search`, `lookup_symbol` and `read` look into the index directly, cheaply. Repositories are named; leave
`repository` empty if only one is indexed."""

ModeName = Literal["auto", "conceptual", "diagnostic", "exploratory", "analytical"]


def build_server(client: Client, choose: Callable[[Client, str], Awaitable[str]]) -> MCPServer[None]:
    """
    Build the server.

    Args:
        client: To the services; stays open as long as the server runs.
        choose: Decides which repository is meant by a name that may be empty; raises UsageError.
    """
    server: MCPServer[None] = MCPServer("cgrag", instructions=INSTRUCTIONS)
    tools = _Tools(client, choose)
    for tool in (tools.ask, tools.search, tools.lookup_symbol, tools.read):
        server.tool(structured_output=False)(tool)
    return server


class _Tools:
    def __init__(self, client: Client, choose: Callable[[Client, str], Awaitable[str]]) -> None:
        self._client = client
        self._choose = choose

    async def ask(self, question: str, context: Context, repository: str = "", mode: ModeName = "auto") -> str:
        """
        Answer a question about a codebase from its source, with citations.

        Args:
            question: The question: what something does, why it fails, how control flows, how it is built.
            context: Given by the server.
            repository: Name of the repository.
            mode: How to look; auto lets the service decide.
        """
        options = orchestrator_pb2.AskOptions(
            mode=question_pb2.Mode.Value("MODE_UNSPECIFIED" if mode == "auto" else f"MODE_{mode}".upper())
        )
        try:
            name = await self._choose(self._client, repository)
            async for event in self._client.ask(question, repository=name, options=options):
                await context.report_progress(event.sequence, message=event.WhichOneof("event"))
                if event.WhichOneof("event") == "completed":
                    return plain_answer(event.completed.answer)
        except (ClientError, UsageError) as error:
            raise _tool_error(error) from error
        raise ToolError("the answer did not complete")

    async def search(self, query: str, repository: str = "", limit: int = 10) -> str:
        """
        Rank symbols and files of a codebase for a text: words, names, an error message.

        Args:
            query: The text.
            repository: Name of the repository.
            limit: Results of each kind, 1 to 100.
        """
        try:
            name = await self._choose(self._client, repository)
            found = await self._client.code.search(query, repository=name, limit=limit)
        except (ClientError, UsageError) as error:
            raise _tool_error(error) from error
        symbols = [f"{_place(each.symbol)} {each.symbol.qualified_name}" for each in found.symbols]
        return "\n".join(["Symbols:", *symbols, "Files:", *(each.path for each in found.files)])

    async def lookup_symbol(self, name: str, repository: str = "", path: str = "") -> str:
        """
        Find definitions by name, with signature, documentation, and what they raise and change.

        Args:
            name: Simple, qualified or module-dotted name.
            repository: Name of the repository.
            path: Only files whose path ends with this.
        """
        try:
            chosen = await self._choose(self._client, repository)
            found = await self._client.code.lookup(name, repository=chosen, path=path)
        except (ClientError, UsageError) as error:
            raise _tool_error(error) from error
        return "\n\n".join(_symbol(each) for each in found) or f"no symbol is named {name}"

    async def read(self, path: str, start_line: int = 0, end_line: int = 0, repository: str = "") -> str:
        """
        Read source text as it was indexed.

        Args:
            path: Path relative to the repository's root.
            start_line: First line, 1-based; 0 reads the whole file.
            end_line: Last line, inclusive.
            repository: Name of the repository.
        """
        span = code_pb2.Span(path=path, start_line=start_line, end_line=end_line or start_line)
        try:
            name = await self._choose(self._client, repository)
            texts = await self._client.code.read([span], repository=name)
        except (ClientError, UsageError) as error:
            raise _tool_error(error) from error
        return "".join(each.text for each in texts)


def _tool_error(error: ClientError | UsageError) -> ToolError:
    if isinstance(error, UsageError):
        return ToolError(str(error))
    return ToolError(f"{error.message} ({error.reason})" + (f"; next: {error.next_step}" if error.next_step else ""))


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
