"""Converts what a settings file or the environment says to the type of a setting."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class Tables(dict[str, Mapping[str, Any]]):
    """Named tables of settings, each of which says what is otherwise there. Nobody changes them."""

    __hash__ = object.__hash__  # type: ignore[assignment]  # a default value of a dataclass must have a hash


def converted(raw: object, kind: object) -> object:
    """Return a value of a file or the environment as that type. Raises ValueError, which says what was expected."""
    converter = _CONVERTERS.get(kind)
    if converter is None:
        raise TypeError(f"settings cannot hold {kind}")
    return converter(raw)


def _to_bool(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    text = str(raw).strip().lower()
    if text in _TRUE | _FALSE:
        return text in _TRUE
    raise ValueError(f"expected true or false, got {raw!r}")


def _to_int(raw: object) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int | str):
        raise ValueError(f"expected a whole number, got {raw!r}")
    try:
        return int(raw)
    except ValueError:
        raise ValueError(f"expected a whole number, got {raw!r}") from None


def _to_float(raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise ValueError(f"expected a number, got {raw!r}")
    try:
        number = float(raw)
    except (ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        raise ValueError(f"expected a number, got {raw!r}")
    return number


def _to_str(raw: object) -> str:
    if not isinstance(raw, str):
        raise ValueError(f"expected a text, got {raw!r}")
    return raw


def to_path(raw: object) -> Path:
    """Return a path, of the home folder where it begins with "~". Raises ValueError."""
    if not isinstance(raw, str | Path) or not str(raw):
        raise ValueError(f"expected a path, got {raw!r}")
    return Path(raw).expanduser()


def _to_optional_path(raw: object) -> Path | None:
    return None if raw is None or raw == "" else to_path(raw)


def to_texts(raw: object) -> tuple[str, ...]:
    """Return what a list of texts holds, which may be written as one text with commas. Raises ValueError."""
    if isinstance(raw, str):
        return tuple(part.strip() for part in raw.split(",") if part.strip())
    if isinstance(raw, list | tuple) and all(isinstance(part, str) for part in raw):
        return tuple(raw)
    raise ValueError(f"expected a list of texts, got {raw!r}")


def _to_ints(raw: object) -> tuple[int, ...]:
    parts = raw.split(",") if isinstance(raw, str) else raw
    if not isinstance(parts, list | tuple):
        raise ValueError(f"expected a list of whole numbers, got {raw!r}")
    return tuple(_to_int(part) for part in parts)


def _to_tables(raw: object) -> Tables:
    """Return named tables; in the environment they are written as TOML, such as `big = {max_passes = 2}`."""
    try:
        tables = tomllib.loads(raw) if isinstance(raw, str) else raw
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {error}") from None
    if not isinstance(tables, Mapping) or not all(isinstance(each, Mapping) for each in tables.values()):
        raise ValueError(f"expected tables, got {raw!r}")
    return Tables(tables)


_CONVERTERS: dict[object, Callable[[object], object]] = {
    bool: _to_bool,
    int: _to_int,
    float: _to_float,
    str: _to_str,
    Path: to_path,
    Path | None: _to_optional_path,
    tuple[str, ...]: to_texts,
    tuple[int, ...]: _to_ints,
    Tables: _to_tables,
}
