"""The version of the client."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

_PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def installed_version() -> str:
    """Return the version of the installed package, or of the checkout that this runs from."""
    try:
        return metadata.version("cgrag")
    except metadata.PackageNotFoundError:
        return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
