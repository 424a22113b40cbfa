"""Names of symbols in SCIP's grammar, and columns in its encodings."""

from __future__ import annotations

import pytest

from indexer.domain.precise.columns import Encoding, cut
from indexer.domain.precise.symbols import Suffix, parse_symbol


@pytest.mark.parametrize(
    ("text", "package", "name", "suffix", "dotted"),
    [
        (
            "scip-python python till 1 `till.money`/Money#plus().",
            "till",
            "plus",
            Suffix.METHOD,
            "till.money.Money.plus",
        ),
        ("scip-python python python-stdlib 3.11 builtins/str#", "python-stdlib", "str", Suffix.TYPE, "builtins.str"),
        ("scip-python python p 1 typing/Any.Any.", "p", "Any", Suffix.TERM, "typing.Any"),
        ("scip-python python p 1 `a.b`/__init__:", "p", "__init__", Suffix.META, "a.b"),
        (
            "scip-typescript npm shop 1.0.0 src/`prices.ts`/Book#`<constructor>`().",
            "shop",
            "<constructor>",
            Suffix.METHOD,
            "shop.Book",
        ),
        (
            'scip-typescript npm @types/node 26 `fs.d.ts`/`"node:fs"`/writeFileSync().',
            "@types/node",
            "writeFileSync",
            Suffix.METHOD,
            "node:fs.writeFileSync",
        ),
        ("scip-java maven . . java/lang/String#length(+1).", ".", "length", Suffix.METHOD, "java.lang.String.length"),
        (
            "scip-go gomod github.com/a/b v1 `github.com/a/b/mux`/Router#Handle().",
            "github.com/a/b",
            "Handle",
            Suffix.METHOD,
            "github.com/a/b/mux.Router.Handle",
        ),
        ("rust-analyzer cargo a 1 macros/panic!", "a", "panic", Suffix.MACRO, "macros.panic"),
        ("a b c d e/f#[T]", "c", "T", Suffix.TYPE_PARAMETER, "e.f.T"),
        ("a b c d e/f().(x)", "c", "x", Suffix.PARAMETER, "e.f.x"),
        ("odd  scheme b c  d 1 `a``b`#", "c d", "a`b", Suffix.TYPE, "c d.a`b"),
    ],
)
def test_a_symbol_has_a_package_and_a_name(text: str, package: str, name: str, suffix: Suffix, dotted: str) -> None:
    """Quoting and doubled spaces are undone; folders of source files are no part of the dotted name."""
    symbol = parse_symbol(text)

    assert symbol is not None
    assert (symbol.package, symbol.name, symbol.suffix, symbol.dotted_name) == (package, name, suffix, dotted)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "local 12",
        "scheme",
        "a b c d ",
        "a b c d e",
        "a b c d `e/",
        "a b c d e/f(",
        "a b c d /",
        "  " * 1500,
        "a b c d " + "e/" * 4000,
    ],
)
def test_what_is_no_global_symbol_is_none(text: str) -> None:
    """Local symbols, broken ones and ones without end say nothing, and cost no time."""
    assert parse_symbol(text) is None


@pytest.mark.parametrize(
    ("encoding", "start", "end"), [(Encoding.UTF32, 4, 9), (Encoding.UTF16, 5, 10), (Encoding.UTF8, 8, 13)]
)
def test_columns_count_units_of_an_encoding(encoding: Encoding, start: int, end: int) -> None:
    """A sign outside of the basic plane is one code point, two units of UTF-16, four bytes of UTF-8."""
    assert cut("𝄞 é total(x)", start, end, encoding) == ("𝄞 é ", "total", "(x)")


@pytest.mark.parametrize("line", ["short", "𝄞 short"])
@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (2, 400), (2**31, 2**31)])
def test_places_outside_of_a_line_have_no_text(line: str, start: int, end: int) -> None:
    """Whatever an index says, nothing outside of the line is read."""
    assert [cut(line, start, end, encoding) for encoding in Encoding] == [("", "", "")] * 3
