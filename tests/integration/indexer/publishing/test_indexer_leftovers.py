"""What killed processes leave behind is cleaned up, and what living ones hold is not."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import signal
import socket
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from cgrag.indexer.v1 import indexer_pb2 as pb
from structlog.testing import capture_logs

from common.core.errors import StartupError
from indexer.adapters.store.core.opening import open_store
from indexer.adapters.store.ownership import owned
from indexer.adapters.store.scratch import FolderScratch
from indexer.bootstrap import _tidy
from tests.fakes.git_repositories import commit_all
from tests.integration.indexer.indexing import Indexing, write_tree
from tests.integration.indexer.service import ROOT, running


async def test_a_killed_worker_leaves_nothing_outside_of_the_data_folder(data: Path, tmp_path: Path) -> None:
    """Killed in the middle of a repository with git, a worker leaves no temporary file; nor does one that ends."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    body = "\n".join(f"def f{number}(a):\n    return a.x{number}\n" for number in range(60))
    tree = write_tree(tmp_path / "tree", {f"p/m{number}.py": body + f"x = {number}\n" for number in range(300)})
    commit_all(tree)
    async with running(data, TMPDIR=str(temporary), CGRAG_INDEXER_ALLOWED_ROOTS=str(tmp_path)) as indexer:
        job = await indexer.stub.StartIndexing(pb.StartIndexingRequest(source=pb.Source(local_path=str(tree))))
        await indexer.until(job.job_id, pb.INDEX_PHASE_PARSING)
        await indexer.stub.CancelIndexJob(pb.CancelIndexJobRequest(job_id=job.job_id))
        killed = sorted(temporary.iterdir())
        done = await indexer.index(tree)

    assert killed == []
    assert done.state == pb.INDEX_JOB_STATE_SUCCEEDED
    assert sorted(temporary.iterdir()) == []


async def test_a_service_cleans_up_when_it_starts(data: Path, shop: Path) -> None:
    """Unfinished layers, layers of no set, half removed repositories and scratch folders go; snapshots stay."""
    async with running(data) as indexer:
        before = await indexer.index(shop, repository="shop")
        await indexer.kill()
    home = data / "repositories/shop"
    left = [home / "staging/core", home / "layers/core-dead", data / "repositories/.deleted-old/layers",
            data / "indexer/scratch/dead/work", data / "indexer/scratch/without-lock"]  # fmt: skip
    for folder in left:
        write_tree(folder, {"part": "x"})
    (data / "indexer/scratch/dead/.lock").touch()
    async with running(data) as indexer:
        served = await indexer.stub.GetSnapshot(pb.GetSnapshotRequest(repository="shop"))
        gone = [not folder.exists() for folder in left]

    assert gone == [True] * len(left)
    assert served.snapshot_id == before.snapshot_id


async def test_a_killed_owner_of_a_scratch_folder_leaves_it_to_the_next(tmp_path: Path) -> None:
    """While its process lives the folder stays; after kill -9 it goes with the next use."""
    code = (
        "import pathlib, sys, time\n"
        "from indexer.adapters.store.scratch import FolderScratch\n"
        "with FolderScratch(pathlib.Path(sys.argv[1])).folder() as room:\n"
        "    (room / 'work.txt').write_text('x')\n"
        "    print(room, flush=True)\n"
        "    time.sleep(600)\n"
    )
    root = tmp_path / "scratch"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(root), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    room = Path((await process.stdout.readline()).decode().strip())
    FolderScratch(root).sweep()
    alive = (room / "work.txt").exists()
    process.send_signal(signal.SIGKILL)
    await process.wait()
    FolderScratch(root).sweep()

    assert alive
    assert sorted(root.iterdir()) == []


def test_tidying_keeps_away_from_who_publishes(indexing: Indexing, shop: Path) -> None:
    """A layer that is being written by a living process is none of a crash's."""
    indexing.run(shop)
    store = open_store(indexing.settings)
    with store.staging("shop") as staging:
        (staging / "core").mkdir()
        store.tidy()
        kept = (staging / "core").exists()

    assert kept


@pytest.mark.parametrize("unreadable", [b'{"schema_version": 999}', b"", b"{"])
def test_layers_stay_while_a_set_cannot_be_read(indexing: Indexing, shop: Path, unreadable: bytes) -> None:
    """The set of a later version, or a damaged one, keeps what it may need; readable again, it needs no new job."""
    snapshot = indexing.run(shop).snapshot
    home = indexing.data / "repositories/shop"
    layers = sorted((home / "layers").iterdir())
    file = home / f"sets/{snapshot.snapshot_id}.json"
    readable = file.read_bytes()
    file.write_bytes(unreadable)
    (home / "layers/core-dead").mkdir()
    store = open_store(indexing.settings)
    store.tidy()
    with store.staging("shop"):
        kept = sorted((home / "layers").iterdir())
    file.write_bytes(readable)
    store.tidy()

    assert set(layers) < set(kept)
    assert sorted((home / "layers").iterdir()) == layers
    assert indexing.current() == snapshot


def test_a_set_of_the_release_before_is_the_previous_one(indexing: Indexing, shop: Path) -> None:
    """It is known as current, and stays when the first one of this release replaces it: readers go on, and back."""
    before = indexing.run(shop).snapshot
    file = indexing.data / f"repositories/shop/sets/{before.snapshot_id}.json"
    file.write_text(file.read_text().replace('"schema_version": 2', '"schema_version": 1'))
    known = indexing.current()
    write_tree(shop, {"later.py": "LATER = 1\n"})
    indexing.run(shop)

    assert known == before
    assert file.exists()
    assert indexing.current() != before


def test_what_a_crash_left_of_a_note_of_a_removal_is_removed(indexing: Indexing) -> None:
    """The note itself stays, for those who have not read it yet."""
    folder = indexing.data / "repositories/.removed"
    write_tree(folder, {"shop.json": "{}", ".shop.json.new": "{"})
    open_store(indexing.settings).tidy()

    assert [each.name for each in folder.iterdir()] == ["shop.json"]


def test_one_bad_repository_does_not_keep_the_others_from_being_tidied(indexing: Indexing, tmp_path: Path) -> None:
    """What cannot be tidied is logged and passed by; the scratch folder is a matter of its own."""
    repositories = indexing.data / "repositories"
    write_tree(repositories, {"bad/.lock/file": "", "good/layers/core-dead/part": "", "good/staging/core/part": ""})
    (tmp_path / "scratch").touch()
    with capture_logs() as logs:
        _tidy(open_store(indexing.settings), FolderScratch(tmp_path / "scratch"))

    assert list((repositories / "good/layers").iterdir()) == []
    assert [(each["event"], each["folder"]) for each in logs] == [
        ("tidying.passed_by", "bad"),
        ("tidying.passed_by", "scratch"),
    ]


async def test_one_data_folder_has_one_indexer(data: Path) -> None:
    """A second service on the same folder says who has it and ends; the first goes on, and after it another may."""
    async with running(data) as first:
        second = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "indexer", cwd=ROOT, stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "CGRAG_DATA_DIR": str(data), "CGRAG_INDEXER_PORT": "0",
                 "CGRAG_INDEXER_METRICS_PORT": "0"},
        )  # fmt: skip
        _, told = await second.communicate()
        listed = await first.stub.ListRepositories(pb.ListRepositoriesRequest())
        await first.kill()
    async with running(data) as third:
        await third.stub.ListRepositories(pb.ListRepositoriesRequest())

    assert second.returncode == 2
    assert f"process {first.process.pid} on {socket.gethostname()}" in told.decode()
    assert "CGRAG_DATA_DIR" in told.decode()
    assert listed.repositories == []


async def test_a_starting_indexer_waits_for_the_one_before(data: Path) -> None:
    """It takes the folder as soon as that one has let go of it, and tells once that it waits, and for whom."""
    waits: list[float] = []
    with capture_logs() as logs:
        async with AsyncExitStack() as before:
            await before.enter_async_context(owned(data, wait_seconds=0))

            async def sleep(seconds: float) -> None:
                waits.append(seconds)
                if len(waits) == 3:
                    await before.aclose()

            async with owned(data, wait_seconds=45, sleep=sleep):
                pass

    assert len(waits) == 3
    assert [(log["event"], log["seconds"]) for log in logs] == [("data_dir.waiting", 45)]
    assert logs[0]["owner"] == f"process {os.getpid()} on {socket.gethostname()}"


async def test_a_starting_indexer_waits_for_no_longer_than_it_is_told(data: Path) -> None:
    """Then it says who has the folder."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async with owned(data, wait_seconds=0):
        with pytest.raises(StartupError, match=f"process {os.getpid()} on "):
            await before_the_service(data, wait_seconds=1.2, sleep=sleep)

    assert sum(waits) == pytest.approx(1.2)


async def before_the_service(folder: Path, **more: Any) -> None:
    async with owned(folder, **{"wait_seconds": 0, **more}):
        raise AssertionError("owned")


@pytest.mark.parametrize("hindrance", ["a file", "a full disk", "no locks"])
async def test_a_data_folder_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hindrance: str
) -> None:
    """The message names the folder and the setting, whether it is making, locking or writing that fails."""
    folder = tmp_path / "data"
    if hindrance == "a file":
        folder.touch()
    elif hindrance == "a full disk":
        (folder / "indexer").mkdir(parents=True)
        (folder / "indexer/service.lock").symlink_to("/dev/full")
    else:
        monkeypatch.setattr(fcntl, "flock", Mock(side_effect=OSError(errno.ENOLCK, "No locks available")))

    with pytest.raises(StartupError, match=rf"{folder}: cannot be written or locked \(.*CGRAG_DATA_DIR"):
        await before_the_service(folder)
