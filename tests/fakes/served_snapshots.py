"""A store of snapshots over a folder, with what it told; and what damages its files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from retriever.adapters.core.database import Database, read_statements
from retriever.adapters.core.lexical import SqliteLexical
from retriever.adapters.snapshots.leases import Leases
from retriever.adapters.snapshots.opening import LayerOpeners
from retriever.adapters.snapshots.store import FolderSnapshots
from tests.fakes.clock import FakeClock
from tests.fakes.snapshot_builder import SnapshotBuilder

ONE = "def one():\n    return two()\n\n\ndef two():\n    raise KeyError\n"


def one_published(data: Path) -> Path:
    """Publish one snapshot of the repository "shop", whose only file is `one.py`, and return the data folder."""
    SnapshotBuilder().python("one.py", ONE).publish(data, "shop")
    return data


class Served:
    """A store over a folder, with what it told."""

    def __init__(
        self, data: Path, *, keep_open: int = 2, lexical: Callable[[Database], SqliteLexical] = SqliteLexical
    ) -> None:
        self.clock = FakeClock()
        self.failures: list[str] = []
        self.store = FolderSnapshots(
            data / "repositories",
            LayerOpeners(read_statements(), lexical),
            Leases(self.clock, "me", lease_seconds=600),
            keep_open=keep_open,
            on_failure=self.failures.append,
        )

    async def paths(self, repository: str = "shop", snapshot_id: str = "") -> tuple[str, ...]:
        """Open a snapshot and return the paths of its files."""
        async with self.store.open(repository, snapshot_id) as snapshot:
            return tuple(file.path for file in snapshot.files.all())


def flip(path: Path, at: int) -> None:
    """Turn one bit of a byte over."""
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def core_of(data: Path) -> Path:
    """Return the database of the only core."""
    return next((data / "repositories/shop/layers").glob("core-*/code.db"))
