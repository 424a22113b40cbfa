"""Which modules read text by patterns, and which name programming languages."""

from __future__ import annotations

import ast

import pytest

from scripts.check_patterns import main, named_languages, patterns


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ('import re\n_WORD = re.compile(r"\\w+")\n', [2]),
        ("from re import compile\n", [1]),
        ('def f(text):\n    return text.partition(".")\n', []),
        ("def f(given):\n    return given.re\n", []),
    ],
)
def test_uses_of_patterns_are_found(code: str, lines: list[int]) -> None:
    """By the module of regular expressions, however it is imported."""
    assert patterns(ast.parse(code)) == lines


def test_names_of_languages_are_found() -> None:
    """As texts of their own, and endings of files; a text that only has one within is none."""
    assert named_languages(
        ast.parse(
            'A = {"rust": 1}\nB = "rust and python"\nC = "typescript"\nD = ".pyi"\nE = "a.sql"\nF = "pkg/__init__.py"\n'
        )
    ) == [1, 3, 4, 6]


def test_every_module_is_listed_with_what_it_reads(capsys: pytest.CaptureFixture[str]) -> None:
    """The check holds for the tree as it is."""
    assert main() == 0
    assert "patterns:" in capsys.readouterr().out
