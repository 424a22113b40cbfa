"""The configurations of agents that the documentation shows start a server that serves."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client

from tests.e2e.four_services import ROOT

PAGE = (ROOT / "docs/agents.md").read_text()
SHOWN = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]


@pytest.mark.parametrize("configuration", SHOWN, ids=[next(iter(each)) for each in SHOWN])
async def test_a_shown_configuration_starts_the_server(configuration: dict[str, dict[str, dict[str, object]]]) -> None:
    """As an agent reads it: command and arguments; each tool stands in the page."""
    [server] = [each["cgrag"] for each in configuration.values()]
    path = os.pathsep.join((str(ROOT), str(ROOT / "protos" / "gen")))
    parameters = StdioServerParameters(
        command=str(Path(sys.executable).with_name(str(server["command"]))),
        args=[str(each) for each in server["args"]],  # type: ignore[attr-defined]
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path},
    )
    async with Client(stdio_client(parameters)) as client:
        tools = (await client.list_tools()).tools

    assert server["type"] == "stdio"
    assert [each.name for each in tools if f"`{each.name}`" not in PAGE] == []
