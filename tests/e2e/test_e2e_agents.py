"""Coding agents: the official client of MCP over stdin and stdout, and the real services behind `cgrag mcp`."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client

from tests.e2e.four_services import ROOT, FourServices

PASSWORD = "correct-Horse-77-battery"
SPOKEN_OF = "zebra-91-Kiosk"


@asynccontextmanager
async def agent(suite: FourServices) -> AsyncIterator[Client]:
    """Start `cgrag mcp` as the configuration of an agent does."""
    path = os.pathsep.join((str(ROOT), str(ROOT / "protos" / "gen")))
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "cgrag_client", "mcp"],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path, **suite.addresses()},
    )
    async with Client(stdio_client(server)) as client:
        yield client


def _first_place(users: dict[str, Any]) -> str:
    first = users["lists"][0]["found"][0]
    return f"{first['path']}:{first['line']}"


async def said(client: Client, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """Call a tool; return its text and its data."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0]
    return result.content[0].text, result.structured_content or {}  # type: ignore[union-attr]  # all of it is text


async def test_places_are_taken_as_agents_write_them(suite: FourServices) -> None:
    """With ./, with lines behind the path, beyond the end, absolute, and null for what is optional."""
    async with agent(suite) as client:
        whole, _ = await said(client, "read", path="./shop/pricing.py", repository="shop", start_line=None)
        lines, data = await said(client, "read", path="shop/pricing.py:4-5", repository="shop")
        tail, _ = await said(client, "read", path="shop/pricing.py", start_line=3, end_line=9999, repository="shop")
        wrong = await client.call_tool("read", {"path": "shop/pricng.py", "repository": "shop"})

    count = len(whole.splitlines())
    assert lines.splitlines() == whole.splitlines()[3:5]
    assert [(each["start_line"], each["end_line"]) for each in data["texts"]] == [(4, 5)]
    assert tail.splitlines() == [*whole.splitlines()[2:], f"[the file ends with line {count}]"]
    assert "did you mean shop/pricing.py" in str(wrong.content[0])


async def test_each_tool_answers_with_text_and_data(suite: FourServices) -> None:
    """One after the other, each with what the ones before it gave."""
    async with agent(suite) as client:
        first, answer = await said(client, "ask", question="What does Warehouse.reserve do?", repository="shop")
        again, follow = await said(
            client, "ask", question="who calls it?", repository="shop", session=answer["session"], mode=None
        )
        _, found = await said(client, "search", query="reserve stock", repository="shop", limit=1)
        _, page = await said(client, "search", query="reserve stock", repository="shop", limit=1, offset=1)
        _, symbols = await said(client, "lookup_symbol", name="Warehouse.reserve", repository="shop")
        _, who = await said(client, "users", symbol="Warehouse.reserve", relation="callers", repository="shop")
        _, callees = await said(client, "users", symbol="checkout", relation="callees", repository="shop")
        package, task = await said(client, "context", task="Raise another error in reserve", repository="shop")
        _, refined = await said(
            client, "refine_context", task_id=task["task_id"], symbols=["Cart", "NoSuchThing"], repository="shop"
        )
        claims = [["exists", "Warehouse", ""], ["exists", "Nothing.here", ""]]
        _, checked = await said(client, "check_claims", claims=claims, repository="shop")
        where, _ = await said(client, "resolve_citation", path=_first_place(who), repository="shop")
        listed, repositories = await said(client, "repositories")
        _, history = await said(client, "history")
        earlier, _ = await said(client, "history", answer=answer["answer"])
        await said(client, "findings", repository="shop", severity="low")

    assert answer["citations"][0]["path"] == "shop/warehouse.py"
    assert follow["session"] == answer["session"]
    assert "reserve" in again
    assert found["next_offset"] == 1
    assert found["symbols"] != page["symbols"]
    assert symbols["symbols"][0]["name"] == "Warehouse.reserve"
    [called] = who["lists"]
    assert called["count"] == len(called["found"]) > 0
    assert all(each["line"] > 0 and "reserve" in each["text"] for each in called["found"])
    assert callees["lists"][0]["found"]
    assert "reserve" in package
    assert task["used_tokens"] <= task["limit_tokens"]
    assert refined["not_found"] == ["NoSuchThing"]
    assert [each["verdict"] for each in checked["claims"]] == ["verified", "contradicted"]
    assert where.split()[0] in ("same", "moved", "changed", "gone")
    assert repositories["repositories"][0]["repository"] in listed
    assert answer["session"] in [each["session"] for each in history["sessions"]]
    assert earlier.splitlines()[0] == first.splitlines()[0]


async def test_several_things_are_asked_for_in_one_call(suite: FourServices) -> None:
    """Symbols, relations, names and paths; what is missing among them is told beside what is there."""
    async with agent(suite) as client:
        told, users = await said(
            client,
            "users",
            symbol=["Warehouse.reserve", "Warehouse.resrve", "NoSuchThing"],
            relation=["callers", "tests"],
            repository="shop",
        )
        both, symbols = await said(
            client, "lookup_symbol", name=["Warehouse.reserve", "Vanished"], source=True, repository="shop"
        )
        outline, _ = await said(client, "lookup_symbol", path="shop/pricing.py", repository="shop")
        places, read = await said(
            client, "read", path=["./shop/pricing.py:1-2", "shop/gone.py", "shop/warehouse.py:3"], repository="shop"
        )

    assert [each["relation"] for each in users["lists"]][:2] == ["callers", "tests"]
    assert "callers of NoSuchThing: no symbol has this name" in told
    assert [each["name"] for each in symbols["symbols"]] == ["Warehouse.reserve"]
    assert "def reserve(" in both
    assert "no symbol is named Vanished" in both
    assert outline.startswith("shop/pricing.py:1-")
    assert "def discount" in outline
    assert [(each["path"], each["start_line"]) for each in read["texts"]] == [
        ("shop/pricing.py", 1),
        ("shop/warehouse.py", 3),
    ]
    assert "shop/gone.py: shop/gone.py is not in the snapshot" in places
    assert places.startswith("shop/pricing.py:1-2\n")


async def test_agents_index_and_see_no_secrets(suite: FourServices) -> None:
    """What an agent reads goes to its model: secrets are taken out, although the services are the user's own."""
    root = suite.data.parent / "till"
    root.mkdir()
    (root / "conf.py").write_text(
        f'DB_PASSWORD = "{PASSWORD}"\n\n\ndef connect():\n'
        f'    """Log in; before May the password was {SPOKEN_OF}."""\n    return DB_PASSWORD\n'
    )
    for name in ("front", "back"):
        (root / f"{name}.py").write_text("class Drawer:\n    pass\n")
    async with agent(suite) as client:
        told, job = await said(client, "index", source=str(root), name="till")
        again, same = await said(client, "index", source=str(root), name="till")
        (root / "added.py").write_text("def added_later():\n    return 1\n")
        third, changed = await said(client, "index", source=str(root), name="till")
        _, symbols = await said(client, "lookup_symbol", name="added_later", repository="till")
        read, _ = await said(client, "read", path="conf.py", repository="till")
        asked, _ = await said(client, "ask", question="What is DB_PASSWORD set to?", repository="till")
        told_of, _ = await said(client, "ask", question="What does connect do?", repository="till")
        several, _ = await said(client, "users", symbol="Drawer", relation="implementers", repository="till")
        lines, _ = await said(client, "search", query="DB_PASSWORD =", repository="till")

    assert (job["served"], job["files"]) == (True, 3)
    assert "till" in told
    assert again.startswith("till: nothing had changed, questions can be asked")
    assert (same["served"], same["unchanged"]) == (True, True)
    assert third.startswith("till: 4 files, questions can be asked")
    assert (changed["served"], changed["unchanged"]) == (True, False)
    assert symbols["symbols"][0]["name"] == "added_later"
    assert 'DB_PASSWORD = "[redacted]"' in read
    assert PASSWORD not in asked
    assert "Log in; before May the password was [redacted]." in told_of
    assert SPOKEN_OF not in read
    assert several == "0 implementers of Drawer (back.py:1)\nnone is known"
    assert 'conf.py:1\nDB_PASSWORD = "[redacted]"' in lines
