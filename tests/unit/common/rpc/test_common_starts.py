"""What processes load when they start."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = ("anthropic", "pydantic", "qdrant_client", "bpe_openai", "obstore", "opentelemetry.sdk", "rich.console")
"""Each takes a tenth of a start or much more, and most services never need it."""


def loaded_by(*command: str, **settings: str) -> set[str]:
    """Return the modules that a process loads until it ends."""
    environ = {**os.environ, **settings}
    python = [sys.executable, "-X", "importtime", *command]
    told = subprocess.run(python, capture_output=True, text=True, check=False, env=environ).stderr
    return {line.rpartition("|")[2].strip() for line in told.splitlines() if line.startswith("import time:")}


@pytest.mark.parametrize("service", ["classifier", "indexer", "orchestrator", "retriever"])
def test_a_service_starts_without_what_few_settings_need(service: str) -> None:
    """Clients of models, of a vector server and the like are loaded where they are used."""
    loaded = loaded_by("-m", service, **{f"CGRAG_{service}_PORT".upper(): "none"})  # it ends at what is no port

    assert f"{service}.bootstrap" in loaded
    assert not loaded.intersection(HEAVY)


def test_an_indexing_process_is_ready_without_what_it_needs_later() -> None:
    """An edit waits for it where none is waiting."""
    loaded = loaded_by("-c", "import indexer.worker.bootstrap")

    assert "indexer.worker.bootstrap" in loaded
    assert not loaded.intersection((*HEAVY, "structlog", "grpc", "asyncio"))
