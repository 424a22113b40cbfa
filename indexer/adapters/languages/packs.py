"""Finds and reads the packs of languages, `indexer/languages/<name>/pack.toml`, whatever is read of them."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable


def folders() -> tuple[Traversable, ...]:
    """Return the folders of all packs, in order of their names."""
    found = (each for each in (files("indexer") / "languages").iterdir() if (each / "pack.toml").is_file())
    return tuple(sorted(found, key=lambda each: each.name))


def read_pack(folder: Traversable) -> Mapping[str, Any]:
    """Return the keys of the pack in a folder; none where there is no pack."""
    pack = folder / "pack.toml"
    return tomllib.loads(pack.read_text("utf-8")) if pack.is_file() else {}
