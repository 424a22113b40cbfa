"""Small programs with the calls that are in them: tests/golden/calls."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

GOLDEN = Path(__file__).parents[2] / "golden" / "calls"


def programs(*names: str) -> list[ParameterSet]:
    """Return, of each program of some files, its texts by path and its calls."""
    tables = [tomllib.loads((GOLDEN / f"{name}.toml").read_text(encoding="utf-8")) for name in names]
    return [
        pytest.param(each["files"], each["calls"], id=each["name"]) for table in tables for each in table["program"]
    ]
