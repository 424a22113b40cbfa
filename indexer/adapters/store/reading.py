"""Opens what is published."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CODE_DB = "code.db"


def open_core(folder: Path) -> sqlite3.Connection:
    """Open code.db of a published core layer for reading. Raises sqlite3.OperationalError."""
    return sqlite3.connect(f"{(folder / CODE_DB).as_uri()}?mode=ro&immutable=1", uri=True)
