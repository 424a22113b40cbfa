"""`cgrag mcp`: the suite as tools of a coding agent."""

from __future__ import annotations

from cgrag_client.cli.answers.session import choose_repository, open_client
from cgrag_client.errors import UsageError


async def mcp() -> None:
    """
    Serve coding agents over MCP.

    The transport is stdin and stdout. Secrets of the source are taken out of what the tools return.

    Example of an agent's configuration:

        {"mcpServers": {"cgrag": {"command": "cgrag", "args": ["mcp"]}}}
    """
    try:
        from cgrag_client.agents.server import build_server  # an extra that callers may not have installed
    except ModuleNotFoundError as error:
        raise UsageError("the MCP server needs the package mcp: pip install 'cgrag[mcp]'") from error

    async with open_client(redacted=True) as client:  # what agents read goes to their models
        await build_server(client, choose_repository).run_stdio_async()
