"""Puts the tools of coding agents together."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING

from mcp.server import MCPServer

from cgrag_client.agents.asking import Asking
from cgrag_client.agents.indexing import Indexing
from cgrag_client.agents.reading import Reading
from cgrag_client.agents.replies import CHANGES, READS, Tools
from cgrag_client.version import installed_version

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from cgrag_client.client import Client

INSTRUCTIONS = """\
Answers questions about indexed codebases. Ask first: `ask` gives a whole answer with citations (path:line) and says
what could not be found; give the session of one answer to the next. `search`, `lookup_symbol`, `users` and `read` look
into the index directly and cheaply: a name or message that you know, who calls or tests it, its lines. `context`
collects what a change needs within a budget. Repositories are named; leave `repository` out if only one is indexed.
Texts are as they were indexed: `index` takes up what you changed. Secrets of the source are shown as [redacted]."""


def build_server(client: Client, choose: Callable[[Client, str, str], Awaitable[str]]) -> MCPServer[None]:
    """
    Build the server.

    Args:
        client: To the services; stays open as long as the server runs.
        choose: Decides which repository is meant by a name that may be empty; raises UsageError.
    """
    server: MCPServer[None] = MCPServer("cgrag", version=installed_version(), instructions=INSTRUCTIONS)
    tools = Tools(client, choose)
    asking, reading, indexing = Asking(tools), Reading(tools), Indexing(tools)
    reads = (
        *(asking.ask, reading.search, reading.lookup_symbol, reading.users, reading.read),
        *(asking.context, asking.refine_context, indexing.findings, asking.history, indexing.repositories),
        *(reading.resolve_citation, reading.check_claims),
    )
    for tool in reads:
        server.tool(annotations=READS, description=cleandoc(tool.__doc__ or ""))(tool)
    server.tool(annotations=CHANGES, description=cleandoc(indexing.index.__doc__ or ""))(indexing.index)
    return server
