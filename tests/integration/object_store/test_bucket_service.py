"""The retriever's bootstrap with a bucket: who owns a cache, what hangs, and what ends."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from common.core.errors import ShuttingDown, StartupError
from retriever.adapters.bucket.layer_download import LayerDownload
from retriever.bootstrap import build
from retriever.settings import RetrieverSettings
from tests.integration.object_store.world import LEASE_SECONDS, World


def settings(data_dir: Path) -> RetrieverSettings:
    """Return settings with a bucket that nobody will ask."""
    return RetrieverSettings(
        port=0,
        metrics_port=0,
        data_dir=data_dir,
        embedding_provider="none",
        object_store_url="s3://bucket/x",
        object_store_endpoint="http://127.0.0.1:9",
    )


async def test_a_cache_belongs_to_one_process(tmp_path: Path) -> None:
    """Two would remove from each other what they read; the second is told what to set, and may have it afterwards."""
    async with AsyncExitStack() as stack:
        build(settings(tmp_path), stack)
        async with AsyncExitStack() as other:
            with pytest.raises(StartupError, match="state_dir of its own"):
                build(settings(tmp_path), other)
    async with AsyncExitStack() as stack:
        build(settings(tmp_path), stack)


async def test_the_cache_is_never_the_folder_that_an_indexer_publishes_in(tmp_path: Path) -> None:
    """On one machine both have the same data folder, and a cache removes what it does not need."""
    async with AsyncExitStack() as stack:
        build(settings(tmp_path), stack)

    assert (tmp_path / "retriever/snapshots/repositories").is_dir()
    assert not (tmp_path / "repositories").exists()


def hung(world: World) -> threading.Event:
    """Let the bucket answer nobody until the event that is returned is set."""
    let_go = threading.Event()

    def hang(name: str, key: str) -> None:
        let_go.wait(30)

    world.bucket.before = hang
    return let_go


async def test_a_bucket_that_hangs_holds_up_nobody_who_has_what_he_asks_for(world: World) -> None:
    """It takes threads of its own; who asks for what is not here waits for it, and can be cancelled."""
    world.publish("one.py")
    world.publish("one.py", repository="other")
    replica = world.replica()
    await replica.paths()
    let_go = hung(world)
    look = asyncio.create_task(replica.snapshots.look())
    waiting = asyncio.create_task(replica.paths("other"))
    answers = [await asyncio.wait_for(replica.paths(), 5) for _ in range(20)]
    waiting.cancel()
    await asyncio.wait([waiting])

    assert answers == [("one.py",)] * 20
    assert waiting.cancelled()
    let_go.set()
    await look
    assert await replica.paths("other") == ("one.py",)


async def test_a_caller_waits_a_moment_only_for_news_that_do_not_come(world: World) -> None:
    """Of a repository that nobody has read for long, whose last set is here."""
    world.publish("one.py")
    replica = world.replica(poll_seconds=0.05)
    await replica.paths()
    world.clock.advance(LEASE_SECONDS + 1)
    await replica.snapshots.look()
    let_go = hung(world)

    assert await asyncio.wait_for(replica.paths(), 10) == ("one.py",)
    let_go.set()


def test_a_download_ends_with_its_process(world: World) -> None:
    """Between two pieces, and nothing stays of it."""
    world.publish("one.py")
    (key,) = (each for each in world.bucket.listed() if each.endswith("code.db"))

    def ending() -> None:
        raise ShuttingDown("the retriever is stopping")

    download = LayerDownload(world.bucket, world.folder / "staging", ending, lambda _: None)
    with pytest.raises(ShuttingDown):
        download.run(key.rpartition("/")[0], world.folder / "shop/layers/core-0")
    assert list((world.folder / "staging").iterdir()) == []
    assert not (world.folder / "shop").exists()
