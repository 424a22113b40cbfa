"""Publication: readers see the old snapshot or the new one, whole, whatever happens in between."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from common.core.clock import SystemClock
from indexer.adapters.store.core.opening import open_store
from indexer.adapters.store.manifests import intact
from indexer.adapters.store.snapshots import FolderSnapshotStore
from indexer.domain.errors import RepositoryNotFound, SnapshotNotFound, StateForbids, StorageFull
from indexer.domain.snapshots.snapshot import SnapshotSet
from tests.fakes.clock import FakeClock
from tests.fakes.small_disk import mounted_disk
from tests.integration.indexer.indexing import Indexing, write_tree

STEPS = (
    "after_layer_flushed",
    "before_layer_rename",
    "after_layer_rename",
    "before_replace_set",
    "after_replace_set",
    "before_replace_current",
    "after_replace_current",
    "before_collect_layers",
)


def worker(indexing: Indexing, shop: Path, **environ: str) -> subprocess.Popen[bytes]:
    """Start the indexer as a process of its own."""
    command = [sys.executable, "-m", "indexer.worker", "index", str(shop), "--repository", "shop"]
    variables = {**os.environ, "CGRAG_DATA_DIR": str(indexing.data), "CGRAG_INDEXER_PARSE_PROCESSES": "1", **environ}
    return subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def check_whole(indexing: Indexing) -> SnapshotSet:
    """Read the current set as a reader would, every layer checked, and return it."""
    current = indexing.current()
    for layer in current.layers:
        assert intact(layer, indexing.data / "repositories/shop/layers" / layer.folder)
    with closing(sqlite3.connect(f"file:{indexing.core()}?mode=ro", uri=True)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return current


def names(folder: Path) -> list[str]:
    return sorted(child.name for child in folder.iterdir())


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("way", ["exact alone", "shown first", "exact behind"])
def test_death_at_any_step_leaves_old_or_new_whole(indexing: Indexing, shop: Path, step: str, way: str) -> None:
    """
    The process ends at a step; what is served is whole; the next run publishes and leaves nothing behind.

    The step is that of the exact snapshot without a provisional one, that of the provisional one, or that of the
    exact one behind it.
    """
    old = indexing.run(shop).snapshot
    write_tree(shop, {"shop/new.py": "x = 1\n"})
    shown = "0" if way == "exact alone" else "20"
    failpoint = f"{step}:2" if way == "exact behind" else step
    code = worker(indexing, shop, FAILPOINT=failpoint, CGRAG_INDEXER_PROVISIONAL_FILES=shown).wait()
    served = check_whole(indexing)
    outcome = indexing.run(shop)
    home = indexing.data / "repositories/shop"
    replaced = step in ("after_replace_current", "before_collect_layers")

    assert code == 86
    assert (served.snapshot_id != old.snapshot_id) == (replaced or way == "exact behind")
    assert served.provisional == (replaced if way == "shown first" else way == "exact behind" and not replaced)
    assert outcome.unchanged == (served.snapshot_id != old.snapshot_id and not served.provisional)
    assert check_whole(indexing).snapshot_id != old.snapshot_id
    assert not indexing.current().provisional
    assert names(home / "staging") == []
    assert {old.snapshot_id, indexing.current().snapshot_id} <= {file.stem for file in (home / "sets").iterdir()}
    assert len(names(home / "sets")) == 2 or outcome.unchanged
    assert not list(home.rglob(".*.new"))


def test_first_publication_is_all_or_nothing(indexing: Indexing, shop: Path) -> None:
    """Before the pointer is there, nothing is published."""
    worker(indexing, shop, FAILPOINT="before_replace_current").wait()
    nothing = open_store(indexing.settings).current("shop")
    indexing.run(shop)

    assert nothing is None
    assert check_whole(indexing).counts.files == 6


def test_random_kills_never_show(indexing: Indexing, shop: Path) -> None:
    """Killed at random moments, with children, the indexer leaves old or new whole; the digest is the same again."""
    chance = random.Random(7)
    indexing.run(shop)
    for number in range(5):
        write_tree(shop, {"shop/new.py": f"x = {number}\n"})
        process = worker(indexing, shop)
        try:
            process.wait(timeout=chance.uniform(0.1, 1.2))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        check_whole(indexing)
    indexing.run(shop)
    digest = check_whole(indexing).layers[0].digest
    other = Indexing(indexing.data.parent / "other")
    other.run(shop)

    assert other.current().layers[0].digest == digest


def test_current_and_previous_are_kept_and_others_collected(indexing: Indexing, shop: Path) -> None:
    """After three publications two sets and two layers are left, dated by the clock."""
    ids, times = [], []
    for number in range(3):
        write_tree(shop, {"shop/new.py": f"x = {number}\n"})
        begun = datetime.now(UTC)
        snapshot = indexing.run(shop).snapshot
        ids.append(snapshot.snapshot_id)
        times.append(begun <= snapshot.publish_time <= datetime.now(UTC))
    home = indexing.data / "repositories/shop"

    assert names(home / "sets") == sorted(f"{each}.json" for each in ids[1:])
    assert len(names(home / "layers")) == 2
    assert times == [True] * 3


def test_leased_sets_are_kept_until_the_lease_is_over(indexing: Indexing, shop: Path) -> None:
    """A running answer keeps its snapshot; an old or broken lease keeps nothing."""
    first = indexing.run(shop).snapshot.snapshot_id
    leases = indexing.data / "repositories/shop/leases"
    later = (SystemClock().now() + timedelta(hours=1)).isoformat()
    (leases / "a.json").write_text(json.dumps({"snapshot_id": first, "expires": later}))
    (leases / "broken.json").write_text("{")
    kept = []
    for number in range(4):
        if number == 3:
            (leases / "a.json").write_text(json.dumps({"snapshot_id": first, "expires": "2020-01-01T00:00:00+00:00"}))
        write_tree(shop, {"shop/new.py": f"x = {number}\n"})
        indexing.run(shop)
        kept.append((indexing.data / f"repositories/shop/sets/{first}.json").exists())

    assert kept == [True, True, True, False]
    assert names(leases) == []


def test_a_clock_that_jumps_takes_nothing_from_who_reads(indexing: Indexing, shop: Path) -> None:
    """All leases are over at once: each keeps its set for its length once more, in which whoever still reads renews."""
    first = indexing.run(shop).snapshot.snapshot_id
    lease = indexing.data / "repositories/shop/leases/a.json"
    over = json.dumps({"snapshot_id": first, "expires": "2020-01-01T00:00:00Z", "seconds": 600})
    lease.write_text(over)
    kept, before = [], SystemClock().now()
    for number in range(4):
        write_tree(shop, {"shop/new.py": f"x = {number}\n"})
        indexing.run(shop)
        kept.append((indexing.data / f"repositories/shop/sets/{first}.json").exists())
        if number == 2:
            left = json.loads(lease.read_text())
            end = datetime.fromisoformat(left["expires"])
            lease.write_text(json.dumps(left | {"expires": "2020-01-01T00:00:00Z"}))

    assert kept == [True, True, True, False]
    assert before + timedelta(seconds=600) < end
    assert not lease.exists()


def test_a_lease_of_a_wrong_clock_keeps_its_set_no_longer_than_leases_are(indexing: Indexing, shop: Path) -> None:
    """One that ends in a hundred years ends in a day, and is not moved further by being looked at again."""
    first = indexing.run(shop).snapshot.snapshot_id
    lease = indexing.data / "repositories/shop/leases/a.json"
    began = SystemClock().now()
    lease.write_text(json.dumps({"snapshot_id": first, "expires": (began + timedelta(days=36500)).isoformat()}))
    ends = []
    for number in range(3):
        write_tree(shop, {"shop/new.py": f"x = {number}\n"})
        indexing.run(shop)
        ends.append(datetime.fromisoformat(json.loads(lease.read_bytes())["expires"]))

    assert (indexing.data / f"repositories/shop/sets/{first}.json").exists()
    assert timedelta(days=1) <= ends[0] - began < timedelta(days=2)
    assert ends == [ends[0]] * 3


def test_deleted_repository_is_gone(indexing: Indexing, shop: Path) -> None:
    """Deletion removes pointer, sets and layers; a second one does not find it."""
    store = open_store(indexing.settings)
    indexing.run(shop)
    removed = store.delete("shop")

    assert removed == 1
    assert store.repositories() == ()
    assert names(indexing.data / "repositories") == []
    with pytest.raises(RepositoryNotFound):
        store.delete("shop")


def test_damaged_layer_of_the_same_digest_is_replaced(indexing: Indexing, shop: Path) -> None:
    """Publishing again over a damaged layer mends it."""
    indexing.run(shop)
    file = indexing.core()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    (indexing.data / "repositories/shop/CURRENT").unlink()
    indexing.run(shop)

    check_whole(indexing)


def test_what_a_killed_reader_left_of_a_lease_goes(indexing: Indexing, shop: Path) -> None:
    """It has a name that nobody writes again; one that is just being written stays."""
    indexing.run(shop)
    leases = indexing.data / "repositories/shop/leases"
    for name, age in ((".a.json.1.1", 7200), (".b.json.1.1", 0)):
        (leases / name).write_text("{")
        moment = SystemClock().now().timestamp() - age
        os.utime(leases / name, (moment, moment))
    open_store(indexing.settings).tidy()

    assert names(leases) == [".b.json.1.1"]


def test_two_writers_do_not_meet(indexing: Indexing, shop: Path) -> None:
    """While one process holds a repository, another one waits and then says so."""
    clock = FakeClock()
    folder = indexing.data / "repositories"
    waiting = FolderSnapshotStore(folder, _Ticking(clock), lambda _: None)
    waiting.announce("shop")
    with (
        open_store(indexing.settings).staging("shop"),
        pytest.raises(StateForbids, match="publishing"),
        waiting.staging("shop"),
    ):
        raise AssertionError("two writers at once")


def test_who_removes_waits_for_who_publishes(indexing: Indexing, shop: Path) -> None:
    """What is being published would be moved away under its maker; afterwards it goes."""
    indexing.run(shop)
    store = open_store(indexing.settings)
    waiting = FolderSnapshotStore(indexing.data / "repositories", _Ticking(FakeClock()), lambda _: None)
    with store.staging("shop"), pytest.raises(StateForbids, match="publishing"):
        waiting.delete("shop")
    kept = check_whole(indexing).snapshot_id
    removed = waiting.delete("shop")

    assert kept
    assert removed == 1


def test_who_rolls_back_points_at_nothing_that_was_collected_while_he_waited(indexing: Indexing, shop: Path) -> None:
    """What he chose may go with what is published before he has the lock: readers would have nothing any more."""
    first = indexing.run(shop).snapshot
    write_tree(shop, {"shop/second.py": "x = 1\n"})
    indexing.run(shop)

    def publish() -> None:
        write_tree(shop, {"shop/third.py": "x = 1\n"})
        indexing.run(shop)

    late = FolderSnapshotStore(indexing.data / "repositories", _Meanwhile(publish), lambda _: None)
    with pytest.raises(SnapshotNotFound):
        late.rollback("shop", first.snapshot_id)

    assert first.core not in check_whole(indexing).layers


def test_a_lock_of_a_repository_that_was_removed_keeps_nobody_out(indexing: Indexing, shop: Path) -> None:
    """Whoever waited for it holds a file that nobody else finds: he locks the one that is there now."""
    indexing.run(shop)
    folder = indexing.data / "repositories"
    other = open_store(indexing.settings)

    def remake() -> None:
        other.delete("shop")
        other.announce("shop")

    late = FolderSnapshotStore(folder, _Meanwhile(remake, look=2), lambda _: None)
    waiting = FolderSnapshotStore(folder, _Ticking(FakeClock()), lambda _: None)
    with late.staging("shop"), pytest.raises(StateForbids, match="publishing"), waiting.staging("shop"):
        raise AssertionError("two writers at once")


def test_who_waits_for_a_repository_that_is_removed_is_told_so(indexing: Indexing, shop: Path) -> None:
    """Not that a file is missing."""
    first = indexing.run(shop).snapshot
    write_tree(shop, {"shop/second.py": "x = 1\n"})
    indexing.run(shop)
    remove = _Meanwhile(lambda: open_store(indexing.settings).delete("shop"))
    late = FolderSnapshotStore(indexing.data / "repositories", remove, lambda _: None)

    with pytest.raises(RepositoryNotFound):
        late.rollback("shop", first.snapshot_id)


class _Meanwhile:
    """A clock that lets something happen at a look at it: the first is before a lock is opened, the second after."""

    def __init__(self, work: Callable[[], object], *, look: int = 1) -> None:
        self._work = work
        self._left = look

    def monotonic(self) -> float:
        self._left -= 1
        if self._left == 0:
            self._work()
        return 0.0

    def now(self) -> Any:
        return SystemClock().now()


class _Ticking:
    """A clock on which each look takes a while."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock

    def monotonic(self) -> float:
        self._clock.advance(4.0)
        return self._clock.monotonic()

    def now(self) -> Any:
        return self._clock.now()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of one megabyte; skipped where that is not allowed."""
    with mounted_disk(tmp_path / "disk", 1) as disk:
        yield disk


def test_full_disk_is_an_error_and_the_old_snapshot_serves(indexing: Indexing, shop: Path, small_disk: Path) -> None:
    """Out of space: StorageFull, nothing of the failed try is left, the old snapshot is whole."""
    indexing.data = small_disk / "data"
    old = indexing.run(shop).snapshot
    noise = random.Random(1)
    lines = (f"v{number} = '{noise.randbytes(24).hex()}'" for number in range(12_000))
    write_tree(shop, {"shop/much.py": "\n".join(lines)})
    with pytest.raises(StorageFull):
        indexing.run(shop)

    assert check_whole(indexing).snapshot_id == old.snapshot_id
    assert names(indexing.data / "repositories/shop/staging") == []
    shutil.rmtree(indexing.data)
