"""Scratch folders: who may remove them, and who waits for that."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from indexer.adapters.precise.process import ProcessPreciseImporter
from indexer.adapters.store.disk import try_lock
from indexer.adapters.store.scratch import FolderScratch
from tests.integration.indexer.indexing import write_tree


class WatchedScratch:
    """Remembers the threads that enter and leave; entering waits until the test allows it."""

    def __init__(self, room: Path) -> None:
        self._room = room
        self.threads: list[int] = []
        self.entering = threading.Event()
        self.allowed = threading.Event()

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Yield always the same folder."""
        self.threads.append(threading.get_ident())
        self.entering.set()
        self.allowed.wait(timeout=60)
        yield self._room
        self.threads.append(threading.get_ident())


class BrokenOffError(Exception):
    """The one who sends an index has gone."""


async def broken_off() -> AsyncIterator[bytes]:
    """Yield a part of an index, and then no more."""
    yield b"\x0a"
    raise BrokenOffError


def test_a_folder_whose_lock_cannot_be_looked_at_stays(tmp_path: Path) -> None:
    """An error while asking for the lock does not say that its maker is dead; a missing lock does."""
    write_tree(tmp_path / "scratch", {"asked/work/a": "", "asked/.lock/cannot-be-opened": "", "dead/work/a": ""})
    FolderScratch(tmp_path / "scratch").sweep()

    assert [each.name for each in (tmp_path / "scratch").iterdir()] == ["asked"]


def test_leftovers_are_deleted_while_others_may_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of all is free while files go, and what a killed process had begun to delete goes, too."""
    root = tmp_path / "scratch"
    write_tree(root, {"dead/work/a": "", ".gone-before/work/a": ""})
    delete, free = shutil.rmtree, list[bool]()

    def observed(folder: Path, *, ignore_errors: bool) -> None:
        with root.with_suffix(".lock").open("w") as lock:
            free.append(try_lock(lock.fileno()))
        delete(folder, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", observed)
    FolderScratch(root).sweep()

    assert free == [True, True]
    assert list(root.iterdir()) == []


async def test_an_import_waits_for_its_folder_in_a_thread(tmp_path: Path) -> None:
    """The event loop goes on while a folder is made and while it is removed."""
    scratch = WatchedScratch(tmp_path)
    scratch.allowed.set()
    with pytest.raises(BrokenOffError):
        await ProcessPreciseImporter({}, scratch, seconds=1.0).run("shop", broken_off())

    assert len(scratch.threads) == 2
    assert threading.get_ident() not in scratch.threads


async def test_an_import_that_is_cancelled_while_its_folder_is_made_leaves_it(tmp_path: Path) -> None:
    """No folder stays behind with a lock that this process holds."""
    scratch = WatchedScratch(tmp_path)
    running = asyncio.create_task(ProcessPreciseImporter({}, scratch, seconds=1.0).run("shop", broken_off()))
    await asyncio.to_thread(scratch.entering.wait)
    running.cancel()
    asyncio.get_running_loop().call_soon(scratch.allowed.set)
    with pytest.raises(asyncio.CancelledError):
        await running

    assert len(scratch.threads) == 2
