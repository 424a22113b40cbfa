"""What an agent gets from a tool has a bound that is told, a schema that says what may be asked, and a way on."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2
from mcp.client import Client as McpClient

from cgrag_client import Client, ClientSettings
from cgrag_client.agents.replies import MOST_CHARACTERS, MOST_LINES
from cgrag_client.agents.server import build_server
from cgrag_client.agents.symbols import MOST_SYMBOLS
from cgrag_client.cli.answers.session import choose_repository
from cgrag_client.version import installed_version
from tests.fakes.answer_events import two_pass_events
from tests.fakes.failures import Failure
from tests.fakes.suite_server import Script, SuiteServer

SHOP = indexer_pb2.Repository(repository="shop")


async def call(script: Script, tool: str, arguments: dict[str, Any]) -> tuple[Any, SuiteServer]:
    """Call one tool over an in-memory connection; returns the result, and the services with what they were asked."""
    with SuiteServer(script) as server:
        settings = ClientSettings(orchestrator=server.address, indexer=server.address, retriever=server.address)
        async with Client(settings) as client, McpClient(build_server(client, choose_repository)) as agent:
            return await agent.call_tool(tool, arguments), server


def script_of(**changes: Any) -> Script:
    return Script(repositories=[SHOP], **changes)


async def test_tools_say_what_may_be_asked() -> None:
    """Each argument is described and has its bounds; tools say that they only read, and the server its version."""
    with SuiteServer(Script()) as server:
        async with (
            Client(ClientSettings(orchestrator=server.address)) as client,
            McpClient(build_server(client, choose_repository)) as agent,
        ):
            tools = {each.name: each for each in (await agent.list_tools()).tools}
            version = agent.server_info and agent.server_info.version

    arguments = [each for tool in tools.values() for each in tool.input_schema["properties"].values()]
    assert all(each["description"] for each in arguments)
    assert "Args:" not in "".join(each.description or "" for each in tools.values())
    limit = tools["search"].input_schema["properties"]["limit"]
    assert (limit["anyOf"][0]["minimum"], limit["anyOf"][0]["maximum"]) == (1, 100)
    optional = [
        each for tool in tools.values() for each in tool.input_schema["properties"].values() if "default" in each
    ]
    assert all("null" in str(each) or each.get("enum") for each in optional), "agents send null for what is optional"
    assert version == installed_version()


@pytest.mark.parametrize(("start", "going_on"), [(0, MOST_LINES + 1), (51, 51 + MOST_LINES)])
async def test_a_long_file_is_read_in_parts(start: int, going_on: int) -> None:
    """A thousand lines come at once, and where to go on."""
    text = "".join(f"line {number}\n" for number in range(MOST_LINES + 7))
    result, _ = await call(script_of(text=text), "read", {"path": "a.py", "start_line": start, "end_line": 9999})

    lines = result.content[0].text.splitlines()
    assert lines[MOST_LINES - 1] == f"line {MOST_LINES - 1}"
    assert lines[MOST_LINES:] == [f"[7 more lines: go on with start_line {going_on}]"]


async def test_a_file_that_fits_is_read_whole() -> None:
    """Nothing is added to what fits."""
    text = "".join(f"line {number}\n" for number in range(MOST_LINES))
    result, _ = await call(script_of(text=text), "read", {"path": "a.py"})

    assert result.content[0].text == text


async def test_long_lines_count() -> None:
    """Lines come as long as their characters have room; one that has none by itself is cut."""
    wide = "x" * (MOST_CHARACTERS // 2 - 10) + "\n"
    result, _ = await call(script_of(text=3 * wide), "read", {"path": "a.json"})
    widest, _ = await call(script_of(text="x" * (MOST_CHARACTERS + 1)), "read", {"path": "a.json"})

    assert result.content[0].text == f"{2 * wide}[1 more lines: go on with start_line 3]\n"
    assert widest.content[0].text == "x" * MOST_CHARACTERS + " [cut]\n"


@pytest.mark.parametrize(("given", "asked"), [({}, (0, 0)), ({"start_line": 3}, (3, 3)), ({"end_line": 3}, (1, 3))])
async def test_lines_may_be_left_out(given: dict[str, int], asked: tuple[int, int]) -> None:
    """One number is enough: a first line alone is that line, a last one alone is all up to it."""
    _, server = await call(script_of(), "read", {"path": "a.py", **given})

    [request] = server.asked_for(retriever_pb2.ReadSpansRequest)
    assert [(each.start_line, each.end_line) for each in request.spans] == [asked]


async def test_many_symbols_of_a_name_are_bounded() -> None:
    """The first ones come, and it is told that there are more."""
    many = [
        code_pb2.Symbol(ref=code_pb2.SymbolRef(path=f"{number}.py", start_line=1), signature="def run()")
        for number in range(MOST_SYMBOLS + 1)
    ]
    result, _ = await call(script_of(symbols=many), "lookup_symbol", {"name": "run"})
    whole, _ = await call(script_of(symbols=many[:-1]), "lookup_symbol", {"name": "run"})

    assert result.content[0].text.count("def run()") == MOST_SYMBOLS
    assert result.content[0].text.endswith(f"[more: go on with offset {MOST_SYMBOLS}]")
    assert result.structured_content["next_offset"] == MOST_SYMBOLS
    assert whole.content[0].text.count("def run()") == MOST_SYMBOLS
    assert "more" not in whole.content[0].text
    assert whole.structured_content["next_offset"] is None


@pytest.mark.parametrize("limit", [0, 101])
async def test_a_limit_has_bounds(limit: int) -> None:
    """What is beyond them is refused before the service is asked."""
    result, server = await call(script_of(), "search", {"query": "stock", "limit": limit})

    assert result.is_error
    assert server.asked_for(retriever_pb2.SearchRequest) == []


async def test_the_names_that_there_are_come_with_one_that_is_not() -> None:
    """An agent cannot run commands: it learns the names from the error."""
    missing = Failure(grpc.StatusCode.NOT_FOUND, "no repository 'shpo'", "ERROR_REASON_REPOSITORY_NOT_FOUND")
    with SuiteServer(Script(failure=missing)) as retriever, SuiteServer(script_of()) as indexer:
        settings = ClientSettings(retriever=retriever.address, indexer=indexer.address)
        async with Client(settings) as client, McpClient(build_server(client, choose_repository)) as agent:
            result = await agent.call_tool("search", {"query": "stock", "repository": "shpo"})

    assert result.is_error
    assert "next: there are: shop; " in str(result.content)


async def test_an_agent_that_gives_up_ends_the_answer() -> None:
    """The call to the orchestrator is cancelled with the agent's."""
    with SuiteServer(script_of(events=two_pass_events(), hang_after=3)) as server:
        settings = ClientSettings(orchestrator=server.address, indexer=server.address)
        async with Client(settings) as client, McpClient(build_server(client, choose_repository)) as agent:
            begun = asyncio.Event()

            async def heard(progress: float, total: float | None, message: str | None) -> None:
                begun.set()

            asking = asyncio.create_task(agent.call_tool("ask", {"question": "Why?"}, progress_callback=heard))
            await begun.wait()
            asking.cancel()
            left = await asyncio.to_thread(server.left.wait, 10)

    assert left
    assert server.asked_for(orchestrator_pb2.AskRequest)
