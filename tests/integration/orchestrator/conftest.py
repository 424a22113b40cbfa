"""What tests of the orchestrator share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.orchestrating import Orchestrating, asking, orchestrating


@pytest.fixture
def model() -> Iterator[AnthropicServer]:
    """Listen as a model."""
    with AnthropicServer() as server:
        yield server


@pytest.fixture
async def suite() -> AsyncIterator[Orchestrating]:
    """Run an orchestrator that answers from evidence."""
    async with orchestrating() as running:
        yield running


@pytest.fixture
async def modelled(model: AnthropicServer) -> AsyncIterator[Orchestrating]:
    """Run an orchestrator whose engine asks the model."""
    async with asking(model) as running:
        yield running
