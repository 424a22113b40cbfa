"""Named tables of settings that override values of the enclosing table."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any


class Tables(dict[str, Mapping[str, Any]]):
    """Tables by their names, never changed after they are made; hashable, as a default value of a dataclass must be."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __str__(self) -> str:
        """Return them as Python writes them, "" for none."""
        return repr(dict(self)) if self else ""


def to_tables(raw: object) -> Tables:
    """Return tables; in the environment they are TOML, such as `big = {max_passes = 2}`. Raises ValueError."""
    try:
        tables = tomllib.loads(raw) if isinstance(raw, str) else raw
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {error}") from None
    if not isinstance(tables, Mapping) or not all(isinstance(each, Mapping) for each in tables.values()):
        raise ValueError(f"expected tables, got {raw!r}")
    return Tables(tables)
