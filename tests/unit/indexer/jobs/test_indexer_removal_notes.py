"""Notes of removed repositories, for who keeps something of them."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from common.core.removals import Removal
from indexer.adapters.store.removals import RemovalNotes
from indexer.domain.errors import StorageFull
from retriever.adapters.snapshots.removal_notes import RemovalNotes as ReadNotes
from tests.fakes.clock import FakeClock

DAY = 86_400


def test_the_retriever_reads_what_the_indexer_notes(tmp_path: Path) -> None:
    """The last removal of each name."""
    clock = FakeClock()
    notes = RemovalNotes(tmp_path, clock)
    for name in ("shop", "shop", "a.b-1"):
        notes.remove(name)
        clock.advance(1)
    second, third = FakeClock(), FakeClock()
    second.advance(1)
    third.advance(2)

    assert ReadNotes(tmp_path).all() == (
        Removal("a.b-1", third.now(), indexed_again=False),
        Removal("shop", second.now(), indexed_again=False),
    )


def test_notes_go_after_a_year(tmp_path: Path) -> None:
    """With the next removal; one that nobody can read goes at once."""
    clock = FakeClock()
    notes = RemovalNotes(tmp_path, clock)
    notes.remove("old")
    clock.advance(300 * DAY)
    notes.remove("newer")
    (tmp_path / ".removed/odd.json").write_text(json.dumps(["x"]))
    clock.advance(100 * DAY)
    notes.remove("new")

    assert [each.repository for each in ReadNotes(tmp_path).all()] == ["new", "newer"]
    assert not (tmp_path / ".removed/odd.json").exists()


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The removal is not finished then, and is taken up again."""

    def full(self: Path, *_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "full", str(self))

    monkeypatch.setattr(Path, "mkdir", full)

    with pytest.raises(StorageFull):
        RemovalNotes(tmp_path, FakeClock()).remove("shop")
