"""Scripted services that the command line finds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.fakes.suite_server import Script, Serve, SuiteServer


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Serve scripts until the test ends, and point the command line at the last one."""
    monkeypatch.delenv("CGRAG_CONFIG", raising=False)
    with ExitStack() as running:

        def start(script: Script) -> SuiteServer:
            server = running.enter_context(SuiteServer(script))
            for name in ("ORCHESTRATOR", "INDEXER", "RETRIEVER", "CLASSIFIER"):
                monkeypatch.setenv(f"CGRAG_CLIENT_{name}", server.address)
            return server

        yield start
