"""What tests of the orchestrator share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fakes.anthropic_server import AnthropicServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def model() -> Iterator[AnthropicServer]:
    """Listen as a model."""
    with AnthropicServer() as server:
        yield server
