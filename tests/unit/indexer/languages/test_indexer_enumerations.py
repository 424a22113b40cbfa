"""Members of enumerations are symbols, so that they can be looked up by their names."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.registry import languages
from indexer.domain.model import SymbolKind


@pytest.mark.parametrize(
    ("language", "path", "text"),
    [
        ("javascript", "a.ts", "export enum Color {\n  /** Like blood. */\n  Red,\n  Green = 'g',\n}\n"),
        ("rust", "src/a.rs", "pub enum Color {\n  /// Like blood.\n  Red,\n  Green(u8),\n}\n"),
        ("cpp", "a.cpp", "enum class Color {\n  /** Like blood. */\n  Red,\n  Green = 2,\n};\n"),
        ("c", "a.c", "enum Color {\n  /* Like blood. */\n  Red,\n  Green = 2,\n};\n"),
        ("csharp", "a.cs", "public enum Color {\n  /// Like blood.\n  Red,\n  Green = 2\n}\n"),
    ],
)
def test_members_of_an_enumeration_are_symbols(language: str, path: str, text: str) -> None:
    """With their lines, their documentation and the visibility of the type."""
    symbols = languages()[language].parse(path, "a", text).symbols

    assert [
        (each.kind, each.qualified_name, each.start_line, each.docstring, each.is_public, each.parent)
        for each in symbols[2:]
    ] == [
        (SymbolKind.VARIABLE, "Color.Red", 3, "Like blood.", True, 1),
        (SymbolKind.VARIABLE, "Color.Green", 4, "", True, 1),
    ]
