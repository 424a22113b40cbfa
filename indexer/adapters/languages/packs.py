"""Finds and reads the language packs, `indexer/languages/<name>/pack.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable


def folders() -> tuple[Traversable, ...]:
    """Return the folders of all packs, in order of their names."""
    found = (each for each in (files("indexer") / "languages").iterdir() if (each / "pack.toml").is_file())
    return tuple(sorted(found, key=lambda each: each.name))


@cache
def read_pack(language: str) -> Mapping[str, Any]:
    """Return the keys of a language's pack; none where it has no pack."""
    pack = files("indexer").joinpath("languages", language, "pack.toml")
    return tomllib.loads(pack.read_text("utf-8")) if pack.is_file() else {}
