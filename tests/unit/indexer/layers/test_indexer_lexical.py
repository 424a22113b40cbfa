"""Counting one file and assembling an index of many."""

from __future__ import annotations

import marshal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexer.domain.model import ParsedFile, SymbolDef, SymbolKind
from indexer.domain.snapshots.lexical import Field, FileTerms, PlacedTerms, TermRow, assemble, count_file

TEXT = '''"""Keeps carts."""
LIMIT = 3

class Cart:
    """A cart."""

    size = 0

    def add(self, item):
        """Put an item in."""
        def inner(): return widget  # a gadget
        raise ValueError("cart is full")
'''
SYMBOLS = (
    SymbolDef(SymbolKind.MODULE, "shop.cart", "", -1, 1, 13, "", "Keeps carts."),
    SymbolDef(SymbolKind.CLASS, "Cart", "Cart", 0, 4, 12, "class Cart", "A cart."),
    SymbolDef(SymbolKind.METHOD, "add", "Cart.add", 1, 9, 12, "def add(self, item)", "Put an item in."),
    SymbolDef(SymbolKind.FUNCTION, "inner", "Cart.add.inner", 2, 11, 11, "def inner()", ""),
)
PARSED = ParsedFile("python", SYMBOLS, (), b"")


def unpack(blob: bytes) -> dict[int, list[int]]:
    """Read postings as the format page describes them."""
    size = len(blob) // 10
    ids = np.frombuffer(blob[: 4 * size], dtype="<u4").tolist()
    counts = np.frombuffer(blob[4 * size :], dtype=np.uint8).reshape(size, 6).tolist()
    return dict(zip(ids, counts, strict=True))


def rows_of(*files: PlacedTerms) -> dict[str, TermRow]:
    """Assemble and key by term."""
    return {row.term: row for row in assemble(files).rows}


def test_counts_by_symbol_and_field() -> None:
    """A method counts all its lines, a class what its members leave, a module the rest; fields are told apart."""
    rows = rows_of(PlacedTerms(7, 100, count_file("shop/cart.py", TEXT, PARSED)))

    assert unpack(rows["cart"].symbols) == {
        100: [0, 0, 0, 1, 1, 1],
        101: [1, 0, 1, 1, 2, 1],
        102: [0, 1, 0, 0, 1, 1],
    }
    assert unpack(rows["widget"].symbols) == {102: [0, 0, 0, 0, 1, 0]}
    assert unpack(rows["limit"].symbols) == {100: [0, 0, 0, 0, 1, 0]}
    assert unpack(rows["gadget"].symbols)[102][Field.TEXT] == 1


def test_inner_functions_belong_to_the_outer_one() -> None:
    """What is defined inside a function is no unit of its own."""
    index = assemble([PlacedTerms(7, 100, count_file("shop/cart.py", TEXT, PARSED))])
    levels = {level.level: np.frombuffer(level.ids, dtype="<u4").tolist() for level in index.levels}

    assert levels == {"symbol": [100, 101, 102], "file": [7], "commit": []}


def test_a_file_counts_its_path_and_all_symbols() -> None:
    """At the level of files the scope is the path, and the other fields are sums."""
    rows = rows_of(PlacedTerms(7, 100, count_file("shop/cart.py", TEXT, PARSED)))

    assert unpack(rows["shop"].files) == {7: [0, 1, 0, 0, 0, 0]}
    assert unpack(rows["cart"].files)[7][Field.BODY] == 4


def test_plain_text_counts_its_path_and_head() -> None:
    """A file without symbols has no units, and only so much of its text counts in full."""
    plain = ParsedFile("", (), (), b"")
    rows = rows_of(PlacedTerms(1, 1, count_file("docs/guide.md", "welcome " * 20_000, plain)))

    assert rows["welcom"].symbols == b""
    assert unpack(rows["welcom"].files) == {1: [0, 0, 0, 0, 255, 0]}
    assert unpack(rows["guid"].files) == {1: [0, 1, 0, 0, 0, 0]}


def test_terms_behind_the_head_of_a_plain_text_count_once() -> None:
    """They can be found and add nothing to the length; what the head counts is not counted again."""
    plain = ParsedFile("", (), (), b"")
    head = "welcome guest\n" * 5_000
    counted = count_file("docs/guide.md", head + "needle needle welcome\n", plain)
    files = {term: unpack(row.files)[1] for term, row in rows_of(PlacedTerms(1, 1, counted)).items()}

    assert files["needl"] == [0, 0, 0, 0, 1, 0]
    assert files["welcom"] == [0, 0, 0, 0, 255, 0]
    assert list(memoryview(counted.file_lengths).cast("I"))[Field.BODY] < 2 * 5_000


def test_counts_can_be_kept() -> None:
    """Every part of the counts of a file is a value that marshal keeps."""
    counted = count_file("shop/cart.py", TEXT, PARSED)
    parts = [getattr(counted, name) for name in FileTerms.__slots__]

    assert FileTerms(*marshal.loads(marshal.dumps(parts))) == counted


def test_messages_of_commits_are_a_level() -> None:
    """Messages are numbered from 1 and counted in one field."""
    counted = count_file("shop/cart.py", TEXT, PARSED)
    index = assemble([PlacedTerms(7, 100, counted)], ["Fix cart", "Cart: empty cart"])
    rows = {row.term: row for row in index.rows}
    lengths = {level.level: np.frombuffer(level.lengths, dtype="<u4").tolist() for level in index.levels}

    assert rows["cart"].commits == np.array([1, 2], dtype="<u4").tobytes() + bytes([1, 2])
    assert rows["fix"].symbols == b""
    assert lengths["commit"] == [2, 3]


def test_empty_index() -> None:
    """No files give empty levels and no rows."""
    index = assemble([])

    assert [level.ids for level in index.levels] == [b"", b"", b""]
    assert list(index.rows) == []


@given(st.lists(st.text(max_size=200), min_size=1, max_size=6))
def test_postings_ascend_and_meet_the_lengths(texts: list[str]) -> None:
    """For any texts ids ascend within a term, and counts that are not capped sum up to the lengths."""
    plain = ParsedFile("", (), (), b"")
    index = assemble([PlacedTerms(n, n, count_file(f"{n}.txt", text, plain)) for n, text in enumerate(texts, 1)])
    total = np.zeros(6)
    for row in index.rows:
        ids = list(unpack(row.files))
        assert ids == sorted(ids)
        total += np.array(list(unpack(row.files).values())).sum(axis=0)
    lengths = np.frombuffer(index.levels[1].lengths, dtype="<u4").reshape(-1, 6).sum(axis=0)

    assert total.tolist() == lengths.tolist()
