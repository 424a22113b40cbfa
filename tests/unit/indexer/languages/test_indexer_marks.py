"""Marks of symbols that the name of their file decides."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.marks import with_marks
from indexer.adapters.languages.registry import languages
from indexer.domain.model import SymbolMark


@pytest.mark.parametrize(
    ("path", "mark"),
    [
        ("shop/__init__.py", SymbolMark.PACKAGE),
        ("shop/__main__.py", SymbolMark.BEGINS),
        ("shop/cart.py", SymbolMark(0)),
    ],
)
def test_a_module_is_marked_by_its_file(path: str, mark: SymbolMark) -> None:
    """One stands for its folder, with one a program begins, and most are neither."""
    parsed = with_marks("python", path, languages()["python"].parse(path, "shop", "x = 1\n"))

    assert parsed.symbols[0].marks & (SymbolMark.PACKAGE | SymbolMark.BEGINS) == mark
