"""Functions that macros of the same file make or name."""

from __future__ import annotations

import pytest

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.model import EdgeKind, SymbolKind
from tests.fakes.latency import within
from tests.unit.indexer.read_units import units_of

HEAD = r"""
#define NATIVE(name) int name(void)

NATIVE(version)
{
    return 3;
}

int report(void) { return version(); }
"""
PASTED_NAME = r"""
#define NAME(x) codec_##x

static int NAME(encode)(int v)
{
    return v;
}

int run(int v) { return NAME(encode)(v) + codec_encode(v); }
"""
WHOLE_FUNCTION = r"""
#define GETTER(field) \
  int get_##field() { \
    return field; }
GETTER(size)
GETTER(width);
int area() { return get_size() * get_width(); }
"""
RUST = r"""
macro_rules! getter {
    ($name:ident) => {
        fn $name() -> u32 { 7 }
    };
}

getter!(balance);
fn main() { balance(); }
"""
NO_MAKER = r"""
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define DO(x) do { x(); } while (0)
int pick(int a) { return MAX(a, 1); }
"""
CASES = {
    "head": ("c", HEAD, {"version": (4, 7), "report": (9, 9)}),
    "pasted name": ("c", PASTED_NAME, {"codec_encode": (4, 7), "run": (9, 9)}),
    "whole function": ("cpp", WHOLE_FUNCTION, {"get_size": (5, 5), "get_width": (6, 6), "area": (7, 7)}),
    "rust": ("rust", RUST, {"balance": (8, 8), "main": (9, 9)}),
    "no maker": ("c", NO_MAKER, {"pick": (4, 4)}),
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_a_macro_makes_has_a_name_and_its_lines(case: str) -> None:
    """Heads, pasted names and whole functions, where the macro is used; others change nothing."""
    language, text, expected = CASES[case]
    ending = {"c": "c", "cpp": "cpp", "rust": "rs"}[language]
    symbols = languages()[language].parse(f"m.{ending}", "m", text).symbols

    found = {each.name: (each.start_line, each.end_line) for each in symbols if each.kind == SymbolKind.FUNCTION}

    assert {name: lines for name, lines in found.items() if name in expected} == expected
    assert symbols[0].end_line == text.count("\n")


def test_what_a_macro_makes_is_called_by_either_name() -> None:
    """A call by the macro and one by the name that it gives are the same."""
    units = units_of(languages()["c"], {"m.c": CASES["pasted name"][1]})

    calls = [
        (units[0].parsed.symbols[edge.source[1]].name, edge.target_name)
        for edge in linkers()["c"].link(units).edges
        if edge.kind == EdgeKind.CALL and edge.target
    ]

    assert calls == [("run", "m.codec_encode")]


@pytest.mark.parametrize("body", ["a " * 20_000, "*" * 20_000, "x##" * 20_000, "a*" * 20_000 + "("])
def test_no_macro_takes_long(body: str) -> None:
    """However its body is written."""
    with within(2):
        languages()["c"].parse("m.c", "m", f"#define M(a) {body}\n" * 3 + "M(x)\n" * 100)
