"""
What files are about, in code.db and on pages.

`UPDATE_GOLDEN=1 pytest tests/integration/indexer/layers/test_indexer_metadata_rows.py` writes the golden file anew.
"""

from __future__ import annotations

import os
from pathlib import Path

from tests.integration.indexer.indexing import Indexing, write_tree

FIXTURE = Path(__file__).parents[3] / "fixtures/shop"
GOLDEN = Path(__file__).parents[3] / "golden/file_metadata/shop.txt"
_ROWS = "SELECT path, domain, concepts FROM file_metadata JOIN files ON files.id = file_id ORDER BY path"


def told(indexing: Indexing) -> str:
    """Return one line for each file: path, domain, concepts."""
    rows = indexing.rows(_ROWS)
    return "".join(f"{path} | {domain} | {concepts.replace(chr(10), ', ')}\n" for path, domain, concepts in rows)


def test_metadata_of_the_fixture_is_the_golden_one(indexing: Indexing) -> None:
    """Every file has a row, in order of files, with what the golden file says."""
    indexing.run(FIXTURE)
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(told(indexing), encoding="utf-8")

    assert told(indexing) == GOLDEN.read_text(encoding="utf-8")
    assert indexing.rows("SELECT count(*) FROM files") == indexing.rows("SELECT count(*) FROM file_metadata")


def test_incremental_metadata_is_that_of_a_fresh_index(indexing: Indexing, shop: Path, tmp_path: Path) -> None:
    """A word that a new file brings weighs less in all others, as if everything had been indexed at once."""
    indexing.run(shop)
    before = told(indexing)
    write_tree(shop, {"shop/store.py": "class Cart:\n    pass\n\n\ndef add():\n    pass\n", "shop/till.py": "x = 1\n"})
    indexing.run(shop)
    fresh = Indexing(tmp_path / "fresh")
    fresh.run(shop)

    assert told(indexing) == told(fresh) != before
    assert indexing.current().layers == fresh.current().layers


def test_pages_say_what_their_files_are_about(indexing: Indexing, shop: Path) -> None:
    """The page of a module ends with domain and concepts, and full text finds it by them."""
    indexing.run(shop)
    found = "doc_text t JOIN docs d ON d.id = t.rowid WHERE doc_text MATCH 'concepts AND cart'"
    bodies = dict(indexing.rows(f"SELECT d.path, d.body FROM {found}"))

    assert bodies["shop/cart.py"].endswith("Part of: shop\nConcepts: cart, item, add")
