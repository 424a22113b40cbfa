"""Which lines of code use a name."""

from __future__ import annotations

from retriever.usecases.using.edges import _code_lines


def test_lines_of_comments_use_nothing() -> None:
    """Blocks whose lines begin with no mark, too; a pattern of paths begins none."""
    text = "/**\n   Calls pay().\n */\npay(); // now\nglob('src/**/*.js')\npay()\n/* pay() */\n# pay()\npay()"

    assert [number for number, _ in _code_lines(text)] == [4, 5, 6, 9]
