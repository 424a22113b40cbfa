"""The schema of a core layer's database, and the function that opens a published one."""

from __future__ import annotations

import sqlite3
from importlib.resources import files as resource_files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CODE_DB = "code.db"


def open_core(folder: Path) -> sqlite3.Connection:
    """Open code.db of a published core layer for reading. Raises sqlite3.OperationalError."""
    return sqlite3.connect(f"{(folder / CODE_DB).as_uri()}?mode=ro&immutable=1", uri=True)


def core_schema(table: str = "") -> tuple[list[str], list[str]]:
    """Return the statements that create one table, or all, and those of indexes, to be run after filling for speed."""
    text = (resource_files("indexer") / "queries" / "schema.sql").read_text("utf-8")
    statements = [part for part in text.split(";\n") if part.strip()]
    wanted = [each for each in statements if f"TABLE {table}" in each or f" ON {table}" in each or not table]
    indexes = [each for each in wanted if "CREATE INDEX" in each]
    return [each for each in wanted if each not in indexes], indexes
