"""What is worth a vector, and the cache of vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from indexer.adapters.vectors.embedding_cache import EmbeddingCache
from indexer.domain.model import SymbolKind
from indexer.domain.text.embedding import (
    CHUNK_CHARS,
    MAX_CHUNKS,
    LeftOut,
    PageRow,
    SymbolRow,
    UnitKind,
    plan_embedding,
    vectors_digest,
)


def symbol(number: int, **changes: object) -> SymbolRow:
    """Return a public function of ten lines without docstring, changed as asked."""
    values: dict[str, object] = {
        "id": number,
        "kind": SymbolKind.FUNCTION,
        "path": "a.py",
        "qualified_name": f"Cart.addItem_{number}",
        "start_line": 1,
        "end_line": 10,
        "signature": "def f()",
        "docstring": "",
        "opening": "return 1",
        "is_public": True,
        "is_test": False,
    }
    return SymbolRow(**{**values, **changes})  # type: ignore[arg-type]  # the test says what it gives


def page(number: int, body: str = "text") -> PageRow:
    """Return a page."""
    return PageRow(number, "docs/a.md", "Title", 1, 9, body)


def test_order_of_worth() -> None:
    """Pages, then public symbols with a docstring, public without, private with; equals by id."""
    plan = plan_embedding(
        [
            symbol(1, docstring="doc", is_public=False),
            symbol(2),
            symbol(4, docstring="doc"),
            symbol(3, docstring="doc"),
        ],
        [page(9)],
        most=100,
    )

    assert [(unit.kind, unit.row_id) for unit in plan.units] == [
        (UnitKind.DOCUMENT, 9),
        (UnitKind.SYMBOL, 3),
        (UnitKind.SYMBOL, 4),
        (UnitKind.SYMBOL, 2),
        (UnitKind.SYMBOL, 1),
    ]
    assert plan.left_out == {}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (symbol(1, is_test=True, docstring="doc"), LeftOut.TEST),
        (symbol(1, end_line=2), LeftOut.TRIVIAL),
        (symbol(1, is_public=False), LeftOut.TRIVIAL),
        (symbol(1, kind=SymbolKind.MODULE, docstring="doc"), LeftOut.TRIVIAL),
    ],
)
def test_left_out(row: SymbolRow, reason: LeftOut) -> None:
    """Tests, short or private symbols without docstring, and modules (which have pages) get no vector."""
    plan = plan_embedding([row], [], most=100)

    assert plan.units == ()
    assert plan.left_out == {reason: 1}


def test_text_of_a_symbol_has_its_words_signature_and_meaning() -> None:
    """Names are split into words; the docstring speaks, or the first lines where there is none."""
    described, bare = plan_embedding([symbol(1, docstring="Adds."), symbol(2)], [], most=9).units

    assert described.text == "Cart add Item 1\ndef f()\nAdds."
    assert bare.text == "Cart add Item 2\ndef f()\nreturn 1"


def test_long_pages_are_cut_at_line_ends_into_bounded_parts() -> None:
    """Every part carries the title; no more than MAX_CHUNKS parts come of one page."""
    units = plan_embedding([], [page(1, "x" * 80 + "\n" + ("word " * 20 + "\n") * 200)], most=100).units

    assert [unit.chunk for unit in units] == list(range(MAX_CHUNKS))
    assert all(unit.text.startswith("Title\n") for unit in units)
    assert all(len(unit.text) <= CHUNK_CHARS + 2 + len("Title\n") + 100 for unit in units)


def test_digest_depends_on_everything_but_the_order() -> None:
    """Another text or model is another digest; the order in which units were embedded is not."""
    units = plan_embedding([symbol(1), symbol(2)], [page(1)], most=9).units
    other = plan_embedding([symbol(1), symbol(2, opening="return 2")], [page(1)], most=9).units

    assert vectors_digest("m", units) == vectors_digest("m", units[::-1])
    assert vectors_digest("m", units) != vectors_digest("n", units)
    assert vectors_digest("m", units) != vectors_digest("m", other)


def test_cache_keeps_vectors_by_model_and_text_over_restarts(tmp_path: Path) -> None:
    """What was put is found again, nearly exact, for the same model only."""
    vectors = np.array([[0.6, 0.8], [1.0, 0.0]], dtype=np.float32)
    cache = EmbeddingCache(tmp_path / "e.db", most_rows=10)
    cache.put("m", ["a", "b"], vectors)
    cache.close()

    again = EmbeddingCache(tmp_path / "e.db", most_rows=10)
    found = again.get("m", ["b", "c", "a"])
    foreign = again.get("n", ["a"])
    again.close()

    assert sorted(found) == ["a", "b"]
    assert found["a"] == pytest.approx(vectors[0], abs=1e-3)
    assert foreign == {}


def test_cache_forgets_what_was_not_used_for_longest(tmp_path: Path) -> None:
    """Beyond its size, texts that recent runs did not ask for are forgotten."""
    row = np.ones((1, 2), dtype=np.float32)
    for text in ("old", "used", "new"):
        cache = EmbeddingCache(tmp_path / "e.db", most_rows=2)
        cache.get("m", ["used"] if text == "new" else [])
        cache.put("m", [text], row)
        cache.close()

    cache = EmbeddingCache(tmp_path / "e.db", most_rows=2)
    found = cache.get("m", ["old", "used", "new"])
    cache.close()

    assert sorted(found) == ["new", "used"]


def test_cache_that_cannot_forget_now_is_closed_all_the_same(tmp_path: Path) -> None:
    """What was made with it is published by then."""
    cache = EmbeddingCache(tmp_path / "e.db", most_rows=0)
    cache.put("m", ["a"], np.ones((1, 2), dtype=np.float32))

    cache._db.execute("PRAGMA query_only = 1")
    cache.close()

    again = EmbeddingCache(tmp_path / "e.db", most_rows=0)
    assert sorted(again.get("m", ["a"])) == ["a"]
    again.close()
