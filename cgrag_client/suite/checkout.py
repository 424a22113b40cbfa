"""Finds the source tree that the services are run from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cgrag_client.connecting.settings import SERVICES
from cgrag_client.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


def find_checkout(environ: Mapping[str, str], start: Path) -> Path:
    """
    Find the checkout: CGRAG_HOME, the one that this package belongs to, or one at or above `start`.

    Raises:
        UsageError: if there is none; the package that callers install contains only the client.
    """
    named = environ.get("CGRAG_HOME", "")
    if named:
        folder = Path(named).expanduser().resolve()
        if not _is_checkout(folder):
            raise UsageError(f"CGRAG_HOME {folder} holds no checkout of cgrag (no indexer/, retriever/, ...)")
        return folder
    own = Path(__file__).resolve().parents[2]
    for folder in (own, start.resolve(), *start.resolve().parents):
        if _is_checkout(folder):
            return folder
    raise UsageError("the services run from a checkout of cgrag, and none was found; set CGRAG_HOME to its folder")


def _is_checkout(folder: Path) -> bool:
    return all((folder / service / "__init__.py").is_file() for service in SERVICES) and (folder / "common").is_dir()
