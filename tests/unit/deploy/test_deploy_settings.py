"""What deployments set is what services read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SERVICES = ("INDEXER", "CLASSIFIER", "RETRIEVER", "ORCHESTRATOR")
PAGE = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
DOCUMENTED = frozenset(
    name.replace("<SERVICE>", service) for name in re.findall(r"`(CGRAG_[A-Z_<>]+)`", PAGE) for service in SERVICES
)
OF_THE_IMAGE = frozenset({"CGRAG_SERVICE"})
FILES = sorted(path for suffix in ("*.yaml", "Dockerfile") for path in (ROOT / "deploy").rglob(suffix))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_variable_is_a_setting(path: Path) -> None:
    """A name that no service knows would be set in vain; docs/settings.md is made out of what services declare."""
    used = set(re.findall(r"\b(CGRAG_[A-Z_]+[A-Z])\b", path.read_text(encoding="utf-8")))

    assert used - OF_THE_IMAGE <= DOCUMENTED
