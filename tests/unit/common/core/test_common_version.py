"""The version is told in one way."""

from __future__ import annotations

import tomllib
from pathlib import Path

from common.core.version import VERSION
from common.observability.metrics import Metrics


def test_the_version_is_that_of_the_project() -> None:
    """What operators see of a process is what was released."""
    project = tomllib.loads((Path(__file__).parents[4] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert project["version"] == VERSION
    assert f'cgrag_build_info{{service="retriever",version="{VERSION}"}} 1.0' in Metrics("retriever").text()
