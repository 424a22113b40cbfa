"""Vectors come later: a new set over the same core, published when it is ready."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from common.core.clock import SystemClock
from common.core.errors import DependencyUnavailable
from indexer.adapters.store.core.opening import open_store
from indexer.adapters.store.scratch import FolderScratch
from indexer.domain.jobs import Phase, Progressed, Published
from indexer.domain.snapshots.snapshot import Layer
from indexer.domain.text.embedding import BuiltVectors
from indexer.usecases.add_vectors import AddVectors
from tests.integration.indexer.indexing import Indexing, Listener, write_tree


class ScriptedBuilder:
    """Writes one file, remembers what it was asked, and may do something or fail in between."""

    def __init__(self) -> None:
        self.kept: list[list[str]] = []
        self.cores: list[Path] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def build(self, repository: str, core: Path, folder: Path, advance: Callable[[int, int], None]) -> BuiltVectors:
        """Write the layer."""
        assert (core / "code.db").exists()
        self.cores.append(core)
        advance(0, 2)
        advance(2, 2)
        self.meanwhile()
        (folder / "points").write_text(repository)
        return BuiltVectors(Layer("vectors", f"{len(self.cores):064x}", 4, "tiny"), 2, {})

    def keep_only(self, repository: str, layers: Sequence[Path]) -> None:
        """Remember which layers are left."""
        self.kept.append([layer.name for layer in layers])


def adding(indexing: Indexing, builder: ScriptedBuilder) -> AddVectors:
    scratch = FolderScratch(indexing.data / "indexer/scratch")
    return AddVectors(builder, open_store(indexing.settings), scratch, SystemClock())


def test_vectors_are_published_over_the_same_core(indexing: Indexing, shop: Path) -> None:
    """The new set has both layers and the old core; the job is told of it; scratch room is given back."""
    bare = indexing.run(shop).snapshot
    builder, listener = ScriptedBuilder(), Listener()
    full = adding(indexing, builder).run(bare, listener)
    store = open_store(indexing.settings)

    assert indexing.current() == full
    assert [layer.kind for layer in full.layers] == ["core", "vectors"]
    assert full.core == bare.core
    assert (full.counts.vectors, full.counts.files, full.source_identity) == (2, 6, bare.source_identity)
    assert (store.layer_folder("shop", full.layers[1]) / "points").read_text() == "shop"
    told = [each.progress for each in listener.events if isinstance(each, Progressed)]
    assert (told[-1].phase, told[-1].done, told[-1].total) == (Phase.EMBEDDING, 2, 2)
    assert listener.events[-1] == Published(full.snapshot_id, unchanged=False, counts=full.counts)
    assert {event.progress.phase for event in listener.events if isinstance(event, Progressed)} == {Phase.EMBEDDING}
    assert builder.kept == [[full.layers[1].folder]]
    assert list((indexing.data / "indexer/scratch").iterdir()) == []


def test_the_way_back_leads_to_another_core(indexing: Indexing, shop: Path) -> None:
    """Rollback goes to the snapshot before the change, not to the same core without its vectors."""
    builder = ScriptedBuilder()
    first = adding(indexing, builder).run(indexing.run(shop).snapshot, Listener())
    write_tree(shop, {"shop/new.py": "x = 1\n"})
    adding(indexing, builder).run(indexing.run(shop).snapshot, Listener())
    back = open_store(indexing.settings).rollback("shop", "")

    assert back == first


def test_snapshot_with_vectors_is_left_alone(indexing: Indexing, shop: Path) -> None:
    """Nothing is built twice."""
    builder = ScriptedBuilder()
    full = adding(indexing, builder).run(indexing.run(shop).snapshot, Listener())
    again = adding(indexing, builder).run(full, Listener())

    assert again == full
    assert len(builder.cores) == 1


def test_vectors_of_an_overtaken_core_are_dropped(indexing: Indexing, shop: Path) -> None:
    """If another core is published while vectors are made, that one stays current, without them."""
    bare = indexing.run(shop).snapshot
    builder = ScriptedBuilder()
    write_tree(shop, {"shop/new.py": "x = 1\n"})
    builder.meanwhile = lambda: indexing.run(shop)
    adding(indexing, builder).run(bare, Listener())

    assert indexing.current().snapshot_id != bare.snapshot_id
    assert indexing.current().layer("vectors") is None


def test_failed_vectors_leave_the_snapshot(indexing: Indexing, shop: Path) -> None:
    """When the builder fails, what serves stays, and nothing is left lying about."""
    bare = indexing.run(shop).snapshot
    builder = ScriptedBuilder()

    def fail() -> None:
        raise DependencyUnavailable("no server")

    builder.meanwhile = fail
    with pytest.raises(DependencyUnavailable):
        adding(indexing, builder).run(bare, Listener())

    assert indexing.current() == bare
    assert list((indexing.data / "indexer/scratch").iterdir()) == []


def test_leftovers_of_a_crash_are_removed_and_live_work_is_not(indexing: Indexing) -> None:
    """A scratch folder without a living owner goes with the next use; one in use stays."""
    root = indexing.data / "indexer/scratch"
    (root / "dead/work").mkdir(parents=True)
    (root / "dead/.lock").touch()
    scratch = FolderScratch(root)
    with scratch.folder() as first, scratch.folder() as second:
        both = first.exists() and second.exists()
        left = sorted(child.name for child in root.iterdir())

    assert both
    assert len(left) == 2
    assert "dead" not in left
