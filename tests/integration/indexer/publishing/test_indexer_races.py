"""Sources that change, vanish or trick the reader while they are indexed, and disks that give out."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb
from pathspec import GitIgnoreSpec

from indexer.adapters.sources.git import Git
from indexer.adapters.sources.local import LocalTree
from indexer.adapters.store.manifests import intact
from indexer.domain.errors import SourceUnavailable, StorageFull, StorageRefused
from tests.fakes.small_disk import mounted_disk
from tests.integration.indexer.indexing import SHOP, Indexing, write_tree
from tests.integration.indexer.service import running

MOST = 1000


def tree_of(root: Path) -> LocalTree:
    return LocalTree(root, GitIgnoreSpec.from_lines(()), Git(root), settled_before=0.0, most_bytes=MOST)


def test_what_changes_after_it_was_listed_is_read_as_it_is_or_not_at_all(tmp_path: Path) -> None:
    """A file that is gone, a link, a pipe, or behind a link now is not read; one that grew is read up to a bound."""
    outside = write_tree(tmp_path / "outside", {"secret.py": "SECRET = 1\n"})
    names = ("gone.py", "link.py", "pipe.py", "folder/secret.py", "grown.py", "same.py")
    root = write_tree(tmp_path / "tree", dict.fromkeys(names, "x = 1\n"))
    tree = tree_of(root)
    entries = {entry.path: entry for entry in tree.listing().entries}
    for name in ("gone.py", "link.py", "pipe.py"):
        (root / name).unlink()
    (root / "link.py").symlink_to(outside / "secret.py")
    os.mkfifo(root / "pipe.py")
    shutil.rmtree(root / "folder")
    (root / "folder").symlink_to(outside)
    with (root / "grown.py").open("wb") as grown:
        grown.truncate(10_000_000_000)
    read = dict(zip(names, tree.read([entries[name] for name in names]), strict=True))

    assert [read[name] for name in names[:4]] == [None] * 4
    assert read["grown.py"] == bytes(MOST + 1)
    assert read["same.py"] == b"x = 1\n"


@pytest.mark.parametrize("when", ["before it is listed", "before it is read"])
def test_a_folder_that_is_removed_meanwhile_is_not_an_empty_one(tmp_path: Path, when: str) -> None:
    """Nothing is published in the place of what was indexed before."""
    root = write_tree(tmp_path / "tree", {"a.py": "x = 1\n"})
    tree = tree_of(root)
    entries = tree.listing().entries
    shutil.rmtree(root)

    with pytest.raises(SourceUnavailable, match="is gone"):
        (tree.listing if when == "before it is listed" else lambda: list(tree.read(entries)))()


async def test_many_requests_for_one_repository_at_once_end_well(tmp_path: Path, shop: Path) -> None:
    """Ten starts at the same moment, half of them with ids of their own: all succeed, over one core."""
    async with running(tmp_path / "data", CGRAG_INDEXER_ANALYZERS="") as indexer:
        source = pb.Source(local_path=str(shop))
        requests = [
            pb.StartIndexingRequest(source=source, request_id=f"r{number}" if number % 2 else "")
            for number in range(10)
        ]
        jobs = await asyncio.gather(*(indexer.stub.StartIndexing(request) for request in requests))
        ends = [(await indexer.watch(job_id))[-1] for job_id in sorted({job.job_id for job in jobs})]
        sets = (await indexer.stub.ListSnapshots(pb.ListSnapshotsRequest(repository="shop"))).snapshots

    assert {job.state for job in ends} == {pb.INDEX_JOB_STATE_SUCCEEDED}
    assert len({each.layers[0].digest for each in sets}) == 1
    assert len(ends) <= 7


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of three megabytes; skipped where that is not allowed."""
    with mounted_disk(tmp_path / "disk", 3) as disk:
        yield disk


def fill(disk: Path, free: int) -> None:
    """Leave so many bytes free on a disk."""
    (disk / "filler").unlink(missing_ok=True)
    found = os.statvfs(disk)
    with (disk / "filler").open("wb") as out:
        out.write(random.Random(1).randbytes(max(0, found.f_bavail * found.f_frsize - free)))


@pytest.mark.parametrize("shown", [0, 20])
def test_a_disk_that_fills_up_at_any_write_is_told(
    indexing: Indexing, tmp_path: Path, small_disk: Path, shown: int
) -> None:
    """From no room at all to nearly enough: the reason is the disk's, what serves is whole, nothing is left over."""
    indexing.data = small_disk / "data"
    indexing.more["provisional_files"] = shown
    shop = write_tree(tmp_path / "shop", SHOP)
    indexing.run(shop)
    home = indexing.data / "repositories/shop"
    for number, free in enumerate((0, 8_000, 64_000, 200_000, 280_000, 330_000)):
        write_tree(shop, {"shop/new.py": f"def f{number}():\n    return {number}\n" * 40})
        fill(small_disk, free)
        try:
            indexing.run(shop)
        except StorageFull:
            left = list((home / "staging").iterdir())

            assert left == []
        current = indexing.current()

        assert all(intact(layer, home / "layers" / layer.folder) for layer in current.layers)
    (small_disk / "filler").unlink()
    assert not indexing.run(shop).snapshot.provisional


def test_a_data_folder_that_became_read_only_is_told(indexing: Indexing, shop: Path, small_disk: Path) -> None:
    """The error says so; what was published stays."""
    indexing.data = small_disk / "data"
    before = indexing.run(shop).snapshot
    write_tree(shop, {"shop/new.py": "x = 1\n"})
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    try:
        with pytest.raises(StorageRefused, match="data folder"):
            indexing.run(shop)
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)

    assert indexing.current() == before
