"""A package that is a link to a folder of the same tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.domain.jobs import GitSource
from tests.fakes.git_repositories import commit_all
from tests.integration.indexer.indexing import Indexing, write_tree

CALLERS = """
SELECT s.qualified_name, tf.path FROM edges e JOIN symbols s ON s.id = e.source_id
JOIN symbols t ON t.id = e.target_id JOIN files tf ON tf.id = t.file_id
WHERE e.kind = 1 AND t.name = 'to_cents' ORDER BY 1
"""
TREE = {
    "shared/money/__init__.py": "",
    "shared/money/convert.py": "def to_cents(x):\n    return int(x * 100)\n",
    "services/shop/__init__.py": "",
    "services/shop/cart.py": "from .money.convert import to_cents\n\n\ndef cart(x):\n    return to_cents(x)\n",
    "services/shop/other.py": (
        "from services.shop.money import convert\n\n\ndef other(x):\n    return convert.to_cents(x)\n"
    ),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Write the tree with its link."""
    root = write_tree(tmp_path / "tree", TREE)
    (root / "services/shop/money").symlink_to("../../shared/money")
    return root


@pytest.mark.parametrize("source", ["folder", "git"])
def test_who_calls_through_a_link_is_a_caller(indexing: Indexing, tree: Path, source: str) -> None:
    """The linked files are there once, by their own paths."""
    if source == "git":
        commit_all(tree)
        indexing.more["git_allow_file"] = True
    indexing.run(tree if source == "folder" else GitSource(f"file://{tree}"))

    assert indexing.rows(CALLERS) == [("cart", "shared/money/convert.py"), ("other", "shared/money/convert.py")]
    assert indexing.rows("SELECT count(*) FROM files WHERE path LIKE '%convert.py'") == [(1,)]


def test_a_link_of_which_there_is_only_the_text_is_one(indexing: Indexing, tree: Path) -> None:
    """So git leaves it where links are not supported; a text that leads nowhere in the tree is a file like others."""
    (tree / "services/shop/money").unlink()
    (tree / "services/shop/money").write_bytes(b"../../shared/money")
    (tree / "shared/outside").write_bytes(b"../../..")
    (tree / "shared/gone").write_bytes(b"./gone.py")
    (tree / "shared/line").write_bytes(b"../shared\n")
    indexing.run(tree)

    assert indexing.rows(CALLERS) == [("cart", "shared/money/convert.py"), ("other", "shared/money/convert.py")]
    assert indexing.rows("SELECT path FROM files WHERE path NOT LIKE '%.py' ORDER BY 1") == [
        ("shared/gone",),
        ("shared/line",),
        ("shared/outside",),
    ]


def test_a_link_that_leads_elsewhere_makes_another_index(indexing: Indexing, tree: Path, tmp_path: Path) -> None:
    """Although no file changed; and an edit beside a link is shown at once."""
    first = indexing.run(tree).snapshot
    (tree / "services/shop/money").unlink()
    (tree / "services/shop/money").symlink_to("../../shared")
    second = indexing.run(tree)
    fresh = Indexing(tmp_path / "fresh")
    fresh.run(tree)

    assert not second.unchanged
    assert second.snapshot.snapshot_id != first.snapshot_id
    assert indexing.rows(CALLERS) == []
    assert indexing.current().core.digest == fresh.current().core.digest
