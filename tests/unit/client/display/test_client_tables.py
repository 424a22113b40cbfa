"""Tables of results keep what they hold, whatever the width of what they are printed on."""

from __future__ import annotations

import io
import re
import sys

import pytest
from rich.table import Table
from rich.text import Text

from cgrag_client.cli.console import print_line, print_table

NAME, ID, TIME = "flask", "ses_f31b0cf99c0a4b3f", "2026-11-22 11:37"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(monkeypatch: pytest.MonkeyPatch, out: io.StringIO, columns: int) -> list[str]:
    """Print a table with a long cell on what has so many columns; return its lines."""
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "dumb")
    table = Table(box=None, pad_edge=False)
    for name in ("Repository", "Session", "Layers", "Used"):
        table.add_column(name, overflow="fold", no_wrap=name != "Layers")
    table.add_row(NAME, ID, "core, findings, vectors", TIME)
    print_table(table)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("columns", [20, 40, 60, 70])
def test_a_narrow_terminal_loses_nothing(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """Names, ids and times stay in one piece; only what may be wrapped is, and by words."""
    lines = printed(monkeypatch, Terminal(), columns)

    assert all(any(whole in line for line in lines) for whole in (NAME, ID, TIME))
    assert any("findings," in line for line in lines)


def test_what_is_piped_has_a_line_for_each_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere than on a terminal nothing is wrapped."""
    _, row = printed(monkeypatch, io.StringIO(), 20)

    assert re.split(" {2,}", row) == [NAME, ID, "core, findings, vectors", TIME]


@pytest.mark.parametrize(("out", "lines"), [(Terminal(), 2), (io.StringIO(), 1)])
def test_a_terminal_breaks_lines_between_words(monkeypatch: pytest.MonkeyPatch, out: io.StringIO, lines: int) -> None:
    """No word is cut at the edge; in a pipe a line stays one."""
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("TERM", "xterm")
    print_line(Text("shop/cart.py:3-9  Cart.add  documents a match"))

    assert len(out.getvalue().splitlines()) == lines
    assert all(word in out.getvalue() for word in ("shop/cart.py:3-9", "Cart.add", "documents", "match"))
