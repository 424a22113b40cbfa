"""The table of languages names each language that is read, with how it is read and its files."""

from __future__ import annotations

import re
from pathlib import Path

from indexer.adapters.languages.registry import IN_FULL, code_endings, languages, linkers

PAGE = (Path(__file__).parents[3] / "docs" / "indexing.md").read_text(encoding="utf-8")
NAMES = {
    "JavaScript, TypeScript": "javascript",
    "C++": "cpp",
    "C#": "csharp",
    "Protocol Buffers": "proto",
}


def test_the_table_of_languages_is_that_of_the_registry() -> None:
    """Each language has one row, which says how it is read and names only files of it."""
    rows = re.findall(
        r"^\| ([^|]+) \| (adapter|pack|outline) \| [^|]+ \| (?:yes|no) \| ([^|]+) \|$", PAGE, re.MULTILINE
    )
    in_full = {language.name for language, _ in IN_FULL}
    known = {name: "adapter" if name in in_full else "pack" if name in linkers() else "outline" for name in languages()}

    assert {NAMES.get(name, name.lower()): how for name, how, _ in rows} == known
    for name, _, files in rows:
        named = set(re.findall(r"`(\.[^`]+)`", files))
        assert named <= set(languages()[NAMES.get(name, name.lower())].extensions), name


def test_the_number_of_languages_read_as_text_is_right() -> None:
    """The page counts the languages that only their endings tell."""
    assert f"{len(set(code_endings().values()))} further languages" in PAGE
