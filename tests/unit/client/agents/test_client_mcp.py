"""The MCP server as an agent sees it."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.type.v1 import code_pb2
from mcp.client import Client as McpClient

from cgrag_client import Client, ClientSettings
from cgrag_client.agents.server import build_server
from cgrag_client.cli.answers.session import choose_repository
from tests.fakes.answer_events import two_pass_events
from tests.fakes.failures import Failure
from tests.fakes.suite_server import Script, SuiteServer

SHOP = indexer_pb2.Repository(repository="shop")
RESERVE = code_pb2.Symbol(
    ref=code_pb2.SymbolRef(path="shop/stock.py", qualified_name="reserve", start_line=12, end_line=27),
    signature="def reserve(items)",
    docstring="Set pieces aside.",
    raises=["OutOfStock"],
)


async def call(script: Script, tool: str, arguments: dict[str, Any]) -> Any:
    """Call one tool over an in-memory connection."""
    with SuiteServer(script) as server:
        address = server.address
        async with (
            Client(ClientSettings(orchestrator=address, indexer=address, retriever=address)) as client,
            McpClient(build_server(client, choose_repository)) as agent,
        ):
            return await agent.call_tool(tool, arguments)


async def test_lists_its_tools() -> None:
    """An agent finds tools that say what they do and when to use them, each described with its arguments."""
    with SuiteServer(Script()) as server:
        async with (
            Client(ClientSettings(orchestrator=server.address)) as client,
            McpClient(build_server(client, choose_repository)) as agent,
        ):
            tools = (await agent.list_tools()).tools

    assert {each.name for each in tools} == {
        *("ask", "search", "lookup_symbol", "users", "read", "context", "refine_context", "findings", "history"),
        *("repositories", "resolve_citation", "check_claims", "index"),
    }
    assert all("\nUse it " in str(each.description) for each in tools)
    assert [each.name for each in tools if each.annotations and not each.annotations.read_only_hint] == ["index"]
    assert "context" not in tools[0].input_schema["properties"]


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("ask", {"question": "Why?"}, "- [2] shop/stock.py:12-27 reserve"),
        ("search", {"query": "stock"}, "app.py"),
        ("lookup_symbol", {"name": "reserve"}, "raises: OutOfStock"),
        ("read", {"path": "app.py", "start_line": 1}, "import os"),
    ],
)
async def test_answers_calls(tool: str, arguments: dict[str, Any], text: str) -> None:
    """Each tool calls the service behind it and returns text with places."""
    script = Script(events=two_pass_events(), repositories=[SHOP], symbols=[RESERVE])
    result = await call(script, tool, arguments)

    assert not result.is_error
    assert text in result.content[0].text


async def test_asks_agents_which_repository_is_meant() -> None:
    """An agent has no command line: what it is told of is the parameter of its tool."""
    several = [SHOP, indexer_pb2.Repository(repository="bank")]
    result = await call(Script(repositories=several), "search", {"query": "stock"})

    assert result.is_error
    assert "Choose one with repository: shop, bank" in result.content[0].text


async def test_tells_agents_what_went_wrong() -> None:
    """A failed call is a tool error with reason and next step, not a broken connection."""
    failure = Failure(grpc.StatusCode.NOT_FOUND, "no repository x", "ERROR_REASON_REPOSITORY_NOT_FOUND")
    result = await call(Script(failure=failure), "search", {"query": "stock", "repository": "x"})

    assert result.is_error
    assert "ERROR_REASON_REPOSITORY_NOT_FOUND" in result.content[0].text
    assert "cgrag index" in result.content[0].text


async def test_unknown_arguments_are_named() -> None:
    """With the one that may be meant and those that the tool takes; the service is not called."""
    result = await call(Script(repositories=[SHOP]), "read", {"path": "app.py", "strat_line": 3, "lines": "3-4"})

    assert result.is_error
    assert result.content[0].text == (
        "strat_line is no argument; did you mean start_line?; lines is no argument; did you mean end_line?\n"
        "read takes: path (required), start_line, end_line, repository"
    )


async def test_wrong_and_missing_arguments_are_named() -> None:
    """In one line each, without what the validating library adds."""
    missing = await call(Script(repositories=[SHOP]), "search", {})
    wrong = await call(Script(repositories=[SHOP]), "users", {"symbol": "reserve", "relation": "caller"})
    tool = await call(Script(repositories=[SHOP]), "serch", {})

    assert missing.content[0].text.splitlines()[0] == "query: Field required"
    assert wrong.content[0].text.splitlines()[0] == (
        "relation: Input should be 'callers', 'users', 'tests', 'implementers' or 'callees'"
    )
    assert tool.is_error
    assert tool.content[0].text.splitlines()[0] == "no tool is named serch; did you mean search?"


async def test_clients_can_refuse_unknown_arguments_themselves() -> None:
    """The schema of each tool says that there are no further arguments."""
    with SuiteServer(Script()) as server:
        async with (
            Client(ClientSettings(orchestrator=server.address)) as client,
            McpClient(build_server(client, choose_repository)) as agent,
        ):
            tools = (await agent.list_tools()).tools

    assert all(each.input_schema["additionalProperties"] is False for each in tools)
