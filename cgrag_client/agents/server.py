"""Builds the MCP server with the tools for coding agents."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from cgrag_client.agents.asking import Asking
from cgrag_client.agents.indexing import Indexing
from cgrag_client.agents.reading import Reading
from cgrag_client.agents.relations import Relations
from cgrag_client.agents.replies import CHANGES, READS, Tools
from cgrag_client.agents.symbols import Symbols
from cgrag_client.connecting.settings import meant
from cgrag_client.version import installed_version

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.mcpserver import Context
    from mcp_types import CallToolResult, InputRequiredResult, Tool

    from cgrag_client.client import Client

INSTRUCTIONS = """\
Answers questions about indexed codebases. Ask first where it takes several looks: `ask` gives a whole answer with
citations (path:line) and says what could not be found; give the session of one answer to the next. `search`,
`lookup_symbol`, `users` and `read` look into the index directly and cheaply: a name or message that you know, who
calls, tests or implements it, its source. They take lists: put all that you want to know into one call. `context`
collects what a change needs within a budget. Repositories are named; leave `repository` out if only one is indexed.
Texts are as they were indexed: `index` takes up what you changed. Secrets of the source are shown as [redacted]."""

_LIKE = 0.5
"""Least similarity of a suggested name; low, as agents mix words of several tools."""


class _Server(MCPServer[None]):
    """Reports unknown tools and arguments with suggestions instead of ignoring them."""

    async def list_tools(self) -> list[Tool]:
        """List the tools, none of which takes further arguments."""
        tools = await super().list_tools()
        return [
            each.model_copy(update={"input_schema": {**each.input_schema, "additionalProperties": False}})
            for each in tools
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. Raises ToolError, which names every argument that is unknown, missing or wrong."""
        schemas = {each.name: each.input_schema for each in await self.list_tools()}
        if name not in schemas:
            raise ToolError(f"no tool is named {name}{meant(name, schemas, _LIKE)}\nthere are: {', '.join(schemas)}")
        known, required = schemas[name]["properties"], schemas[name].get("required", ())
        wrong = [f"{each} is no argument{meant(each, known, _LIKE)}" for each in arguments if each not in known]
        try:
            if not wrong:
                return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
                # Each alternative type of an argument makes an error of its own; the first one is enough.
            first = {each["loc"][0]: each["msg"] for each in reversed(error.__cause__.errors())}
            wrong = [f"{argument}: {message}" for argument, message in first.items()]
        takes = ", ".join(f"{each} (required)" if each in required else each for each in known)
        raise ToolError(f"{'; '.join(wrong)}\n{name} takes: {takes}")


def build_server(client: Client, choose: Callable[[Client, str, str], Awaitable[str]]) -> MCPServer[None]:
    """
    Build the server.

    Args:
        client: To the services; stays open as long as the server runs.
        choose: Returns the repository for a name that may be empty; raises UsageError if it cannot decide.
    """
    server = _Server("cgrag", version=installed_version(), instructions=INSTRUCTIONS)
    tools = Tools(client, choose)
    asking, reading, indexing = Asking(tools), Reading(tools), Indexing(tools)
    symbols, relations = Symbols(tools), Relations(tools)
    reads = (
        *(asking.ask, reading.search, symbols.lookup_symbol, relations.users, reading.read),
        *(asking.context, asking.refine_context, indexing.findings, asking.history, indexing.repositories),
        *(reading.resolve_citation, reading.check_claims),
    )
    for tool in reads:
        server.tool(annotations=READS, description=cleandoc(tool.__doc__ or ""))(tool)
    server.tool(annotations=CHANGES, description=cleandoc(indexing.index.__doc__ or ""))(indexing.index)
    return server
