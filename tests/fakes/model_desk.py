"""A model client before a local server of each API, with its clock, its metrics, and the waits it made."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from common.model.client import Backoff, ModelClient
from common.model.config import ModelConfig, RoleModel
from common.model.endpoint import open_endpoint
from common.model.metrics import ModelMetrics
from common.model.values import Finished, ModelRequest, ModelRole, OutputSchema, TextDelta, Turn
from common.observability.metrics import Metrics
from tests.fakes import anthropic_replies as replies
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.clock import FakeClock
from tests.fakes.openai_server import OpenAiServer

Fault = Callable[[replies.Wire], replies.Reply]

QUESTION = ModelRequest(ModelRole.ANSWER, (Turn.user("What is it?"),))
SCHEMA = OutputSchema("classify", "The mode.", {"mode": {"type": "string"}}, ("mode",))


SERVERS = {"anthropic": AnthropicServer, "openai": OpenAiServer}


class Desk:
    """A client with its clock, its metrics, and the waits it made."""

    def __init__(self, server: AnthropicServer, config: ModelConfig | None = None) -> None:
        self.clock = FakeClock()
        self.metrics = Metrics("test")
        big = RoleModel("big", input_usd_per_million=3.0, output_usd_per_million=15.0)
        roles = {ModelRole.ANSWER: big, ModelRole.SHADOW: RoleModel("small")}
        self.config = replace(config or ModelConfig(roles), roles=roles)
        self.config = replace(self.config, api="openai" if isinstance(server, OpenAiServer) else "anthropic")
        self.client = ModelClient(
            self.config,
            open_endpoint(self.config, self.clock),
            ModelMetrics(self.metrics, list(roles), ["big", "small"]),
            self.clock,
            Backoff(self.clock.sleep, lambda: 1.0),
        )

    async def ask(self, request: ModelRequest = QUESTION) -> tuple[str, Finished]:
        """Return the whole text and the end."""
        chunks = [chunk async for chunk in self.client.stream(request)]
        assert isinstance(chunks[-1], Finished)
        return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta)), chunks[-1]


@asynccontextmanager
async def desk(server: AnthropicServer, **changes: object) -> AsyncIterator[Desk]:
    config = replace(ModelConfig({}, api_key="key-1", base_url=server.base_url), **changes)  # type: ignore[arg-type]  # names are checked by replace
    opened = Desk(server, config)
    try:
        yield opened
    finally:
        await opened.client.close()
