"""Opens the store of published snapshots: a data folder, or a bucket with a local cache of this process."""

from __future__ import annotations

import asyncio
import fcntl
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from common.core.errors import ShuttingDown, StartupError
from common.core.ids import RandomIds
from common.rpc.removals import Keeper
from common.rpc.serving.lifecycle import run_beside
from retriever.adapters.snapshots.leases import Leases
from retriever.adapters.snapshots.removal_notes import RemovalNotes
from retriever.adapters.snapshots.store import FolderSnapshots
from retriever.ports import SnapshotStore

if TYPE_CHECKING:
    from contextlib import AsyncExitStack
    from pathlib import Path

    from common.core.clock import Clock
    from retriever.adapters.metrics import RetrieverMetrics
    from retriever.adapters.snapshots.opening import LayerOpeners
    from retriever.ports import Removals
    from retriever.settings import RetrieverSettings

_WORKERS = 8
_TOLD_WORKERS = 1


class KeptSnapshots(SnapshotStore, Keeper, Protocol):
    """A store of snapshots that can also forget a repository."""


@dataclass(frozen=True, slots=True)
class Published:
    """The store of snapshots, and the record of removed repositories."""

    snapshots: KeptSnapshots
    removals: Removals


def open_published(
    settings: RetrieverSettings,
    state_dir: Path,
    openers: LayerOpeners,
    clock: Clock,
    meter: RetrieverMetrics,
    stack: AsyncExitStack,
) -> Published:
    """
    Return the store that the settings name, closed with the stack.

    Args:
        state_dir: Folder for the cache of a bucket.

    Raises StartupError if another process uses that cache, or the settings of the bucket are invalid.
    """
    if settings.object_store_url:
        return _open_bucket(settings, state_dir / "snapshots", openers, clock, meter, stack)
    root = settings.data_dir / "repositories"
    snapshots = FolderSnapshots(
        root,
        openers,
        Leases(clock, RandomIds().new("retriever"), lease_seconds=settings.lease_seconds),
        keep_open=settings.open_snapshots,
        on_failure=meter.load_failed,
    )
    stack.push_async_callback(asyncio.to_thread, snapshots.close)
    return Published(snapshots, RemovalNotes(root))


def _open_bucket(
    settings: RetrieverSettings,
    folder: Path,
    openers: LayerOpeners,
    clock: Clock,
    meter: RetrieverMetrics,
    stack: AsyncExitStack,
) -> Published:
    # Imported only here: they load a client that few deployments need.
    from common.objects.bucket import open_bucket
    from retriever.adapters.bucket.cache import SnapshotCache
    from retriever.adapters.bucket.cache_folder import CacheFolder
    from retriever.adapters.bucket.leases import BucketLeases
    from retriever.adapters.bucket.removal_notes import BucketRemovalNotes
    from retriever.adapters.bucket.serving import CachedSnapshots

    bucket = open_bucket(settings)
    _own(folder, stack)
    ending = threading.Event()
    workers, told = ThreadPoolExecutor(_WORKERS, "bucket"), ThreadPoolExecutor(_TOLD_WORKERS, "leases")
    served = FolderSnapshots(
        folder / "repositories",
        openers,
        BucketLeases(clock, RandomIds().new("retriever"), bucket, told, lease_seconds=settings.lease_seconds),
        keep_open=settings.open_snapshots,
        on_failure=meter.load_failed,
        renew=lambda repository, layer: cache.renew(repository, layer),
    )
    stack.push_async_callback(asyncio.to_thread, served.close)
    for each in (workers, told):
        stack.push_async_callback(asyncio.to_thread, each.shutdown, cancel_futures=True)
    kept = CacheFolder(folder / "repositories", clock, served.drop, lease_seconds=settings.lease_seconds)
    most = settings.snapshot_cache_mb << 20
    cache = SnapshotCache(kept, bucket, clock, meter, max_bytes=most, go_on=lambda: _go_on(ending))
    snapshots = CachedSnapshots(
        served,
        cache,
        clock,
        workers,
        poll_seconds=settings.snapshot_poll_seconds,
        follow_seconds=settings.lease_seconds,
        on_away=meter.object_store_failed,
    )
    stack.push_async_callback(asyncio.to_thread, bucket.close)
    stack.push_async_callback(snapshots.close)
    stack.callback(ending.set)
    run_beside(snapshots.run(), stack)
    return Published(snapshots, BucketRemovalNotes(bucket))


def _go_on(ending: threading.Event) -> None:
    if ending.is_set():
        raise ShuttingDown("the retriever is stopping; ask another one")


def _own(folder: Path, stack: AsyncExitStack) -> None:
    """Lock a cache folder for this process until the stack closes. Raises StartupError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = stack.enter_context((folder / ".lock").open("w"))
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        text = f"{folder}: another retriever has its cache there; give each a state_dir of its own ([retriever])"
        raise StartupError(text) from error
    except OSError as error:
        text = f"{folder}: cannot be written or locked ({error.strerror}); set state_dir in [retriever] to another"
        raise StartupError(text) from error
