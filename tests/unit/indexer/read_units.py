"""Files of one language, read as its linker takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.model import LinkUnit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from indexer.ports import Language


def units_of(language: Language, texts: Mapping[str, str]) -> list[LinkUnit]:
    """Read files given by path, in order of path."""
    modules = language.module_names(texts, {}, None)
    return [
        LinkUnit(path, modules[path], language.parse(path, modules[path], text)) for path, text in sorted(texts.items())
    ]


def units_below(root: Path, language: Language) -> list[LinkUnit]:
    """Read the files of a language below a folder, in order of path."""
    found = (path for path in root.rglob("*") if path.suffix in language.extensions)
    return units_of(language, {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in found})
