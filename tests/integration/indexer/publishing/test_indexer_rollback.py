"""Going back to a set that was published before: by its name, or to the one before."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.adapters.store.core.opening import open_store
from indexer.domain.errors import RepositoryNotFound, SnapshotNotFound, StateForbids
from indexer.usecases.indexing.current_set import is_overtaken
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.indexer.publishing.test_indexer_publication import check_whole


def test_rollback_moves_the_pointer_and_nothing_else(indexing: Indexing, shop: Path) -> None:
    """The set before the current one serves again, and back."""
    store = open_store(indexing.settings)
    first = indexing.run(shop).snapshot
    write_tree(shop, {"shop/new.py": "x = 1\n"})
    second = indexing.run(shop).snapshot
    back = store.rollback("shop", "")
    forward = store.rollback("shop", second.snapshot_id)

    assert back.snapshot_id == first.snapshot_id
    assert forward.snapshot_id == second.snapshot_id
    assert check_whole(indexing).snapshot_id == second.snapshot_id


def test_a_set_is_overtaken_while_another_core_is_current(indexing: Indexing, shop: Path) -> None:
    """By one that was gone back to as by a later one; of a set that is gone nothing is known."""
    store = open_store(indexing.settings)
    first = indexing.run(shop).snapshot
    write_tree(shop, {"shop/new.py": "x = 1\n"})
    second = indexing.run(shop).snapshot
    before = [is_overtaken(store, "shop", each) for each in (first.snapshot_id, second.snapshot_id, "f" * 64)]
    store.rollback("shop", first.snapshot_id)
    after = [is_overtaken(store, "shop", each) for each in (first.snapshot_id, second.snapshot_id)]

    assert before == [True, False, False]
    assert after == [False, True]


def test_rollback_says_why_it_cannot(indexing: Indexing, shop: Path) -> None:
    """Unknown repository, nothing before, unknown snapshot, and the current one are told apart."""
    store = open_store(indexing.settings)
    with pytest.raises(RepositoryNotFound):
        store.rollback("shop", "")
    current = indexing.run(shop).snapshot.snapshot_id
    with pytest.raises(SnapshotNotFound):
        store.rollback("shop", "")
    with pytest.raises(SnapshotNotFound):
        store.rollback("shop", "f" * 64)
    with pytest.raises(StateForbids):
        store.rollback("shop", current)


def test_a_repository_without_a_snapshot_cannot_be_rolled_back(indexing: Indexing) -> None:
    """One that was only announced is one that is not found, as everywhere."""
    store = open_store(indexing.settings)
    store.announce("shop")

    with pytest.raises(RepositoryNotFound):
        store.rollback("shop", "")


def test_where_the_pointer_is_damaged_a_set_can_be_chosen(indexing: Indexing, shop: Path) -> None:
    """By name as ever; without one, the newest that there is."""
    store = open_store(indexing.settings)
    first = indexing.run(shop).snapshot
    write_tree(shop, {"shop/new.py": "x = 1\n"})
    second = indexing.run(shop).snapshot
    chosen = []
    for wanted in ("", first.snapshot_id):
        (indexing.data / "repositories/shop/CURRENT").write_text("damaged\n")
        chosen.append(store.rollback("shop", wanted).snapshot_id)

    assert chosen == [second.snapshot_id, first.snapshot_id]
    assert check_whole(indexing).snapshot_id == first.snapshot_id
