"""What services load when they start."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("anthropic", "pydantic", "qdrant_client", "bpe_openai", "obstore")
"""Each takes half a second or more, and most services never need it."""


@pytest.mark.parametrize("service", ["classifier", "indexer", "orchestrator", "retriever"])
def test_a_service_starts_without_what_few_settings_need(service: str) -> None:
    """Clients of models, of a vector server and the like are loaded where they are used."""
    script = f"import sys, {service}.bootstrap; print([name for name in {HEAVY!r} if name in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == "[]"
