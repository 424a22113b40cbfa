"""Re-indexing: nothing is done twice, and the result is that of a fresh index."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.fakes.git_repositories import commit_all
from tests.integration.indexer.indexing import SHOP, Indexing, write_tree


def fresh_digest(shop: Path, tmp_path: Path) -> str:
    """Return the core digest of an index that never saw the folder before."""
    other = Indexing(tmp_path / "fresh")
    other.run(shop)
    digest = other.current().core.digest
    shutil.rmtree(other.data)
    return digest


def test_unchanged_source_is_left_alone(indexing: Indexing, shop: Path) -> None:
    """The second run finds the same identity, writes nothing, and returns the snapshot there is."""
    first = indexing.run(shop)
    file = indexing.core()
    written = file.stat().st_mtime_ns
    second = indexing.run(shop)

    assert second.unchanged
    assert second.snapshot == first.snapshot
    assert file.stat().st_mtime_ns == written


@pytest.mark.parametrize("change", ["edit", "add", "delete", "rename", "move lines", "break"])
def test_a_change_gives_what_a_fresh_index_gives(indexing: Indexing, shop: Path, tmp_path: Path, change: str) -> None:
    """After each kind of change the digest equals that of a fresh index, and only what changed was parsed."""
    indexing.run(shop)
    parsed = {"edit": 1, "add": 1, "delete": 0, "rename": 1, "move lines": 1, "break": 1}
    cart = shop / "shop/cart.py"
    if change == "edit":
        cart.write_text(cart.read_text().replace("self.items = []", "self.items = list()\n        self.sum = 0"))
    elif change == "add":
        write_tree(shop, {"shop/coupon.py": "from shop.till import pay\n\n\ndef redeem(cart):\n    return pay(cart)\n"})
    elif change == "delete":
        (shop / "shop/till.py").unlink()
    elif change == "rename":
        (shop / "shop/till.py").rename(shop / "shop/counter.py")
    elif change == "move lines":
        cart.write_text("# first\n\n" + cart.read_text())
    else:
        cart.write_text("class (:\n")
    outcome = indexing.run(shop)

    assert indexing.current().core.digest == fresh_digest(shop, tmp_path)
    assert outcome.snapshot.counts.files_parsed == parsed[change]
    assert outcome.snapshot.counts.files_reused == outcome.snapshot.counts.files - parsed[change]


@pytest.mark.parametrize("times", ["kept", "lost"])
def test_files_known_by_their_times_give_the_same(indexing: Indexing, shop: Path, tmp_path: Path, times: str) -> None:
    """Files that are not read again, and files that are because nothing is remembered, give a fresh index's digest."""
    indexing.more["settled_seconds"] = 0.0
    commit_all(shop)
    indexing.run(shop)
    if times == "lost":
        (indexing.data / "repositories/shop/scan.cache").unlink()
    write_tree(shop, {"shop/cart.py": "x = 1\n", "README.md": "# Store\n"})
    edited = indexing.run(shop).snapshot
    digest = indexing.current().layers[0].digest
    write_tree(shop, {path: text for path, text in SHOP.items() if path in ("shop/cart.py", "README.md")})

    assert digest == edited.layers[0].digest
    assert edited.dirty
    assert not indexing.run(shop).snapshot.dirty
    assert indexing.current().layers[0].digest == fresh_digest(shop, tmp_path)


def test_texts_are_not_taken_from_a_damaged_core(indexing: Indexing, shop: Path, tmp_path: Path) -> None:
    """If what is published is not what was written, every file is read again."""
    indexing.more["settled_seconds"] = 0.0
    indexing.run(shop)
    data = indexing.core().read_bytes()
    indexing.core().write_bytes(data.replace(b"shop/till.py", b"shop/toll.py"))
    write_tree(shop, {"shop/cart.py": "x = 1\n"})
    indexing.run(shop)

    assert indexing.current().layers[0].digest == fresh_digest(shop, tmp_path)
    assert indexing.rows("SELECT count(*) FROM files WHERE path = 'shop/toll.py'") == [(0,)]


def test_going_back_gives_the_old_snapshot(indexing: Indexing, shop: Path) -> None:
    """An edit that is undone leads to the very snapshot of before; nothing is parsed for it."""
    first = indexing.run(shop)
    write_tree(shop, {"shop/cart.py": "x = 1\n"})
    indexing.run(shop)
    write_tree(shop, {"shop/cart.py": SHOP["shop/cart.py"]})
    third = indexing.run(shop)

    assert third.snapshot.snapshot_id == first.snapshot.snapshot_id
    assert third.counts.files_parsed == 0


def test_facts_are_shared_between_repositories(indexing: Indexing, shop: Path) -> None:
    """The same file in another repository is not parsed again."""
    indexing.run(shop)
    other = indexing.run(shop, name="other")

    assert other.snapshot.counts.files_parsed == 0


def test_damaged_cache_is_begun_anew(indexing: Indexing, shop: Path, tmp_path: Path) -> None:
    """A cache of noise costs time and changes nothing."""
    cache = indexing.data / "indexer/facts.db"
    cache.parent.mkdir(parents=True)
    cache.write_bytes(b"noise" * 1000)
    outcome = indexing.run(shop)

    assert outcome.snapshot.core.digest == fresh_digest(shop, tmp_path)


def test_dirty_tree_is_told_and_equal_contents_are_one_source(indexing: Indexing, shop: Path) -> None:
    """An edited or new file makes the tree dirty; a commit of the same contents is the same source."""
    head = commit_all(shop)
    write_tree(shop, {"shop/new.py": "x = 1\n"})
    dirty = indexing.run(shop).snapshot
    commit_all(shop)
    committed = indexing.run(shop)

    assert (dirty.commit, dirty.dirty) == (head, True)
    assert committed.unchanged


def test_removed_file_makes_a_tree_dirty(indexing: Indexing, shop: Path) -> None:
    """A tracked file that is gone differs from the commit."""
    commit_all(shop)
    (shop / "shop/till.py").unlink()

    assert indexing.run(shop).snapshot.dirty
