"""Runs the real indexer in this process over folders that tests write."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indexer.adapters.store.core.opening import open_store
from indexer.domain.jobs import GitSource, JobSpec, LocalSource, WorkEvent
from indexer.domain.snapshots.snapshot import SnapshotSet
from indexer.settings import IndexerSettings
from indexer.usecases.indexing.index_repository import IndexingResult, IndexRepository
from indexer.worker.bootstrap import index_repository
from tests.fakes.parsing import index_inline


@dataclass
class Listener:
    """Remembers what a run says."""

    events: list[WorkEvent] = field(default_factory=list)

    def tell(self, event: WorkEvent) -> None:
        """Remember an event."""
        self.events.append(event)


@dataclass
class Indexing:
    """
    One data folder with its settings.

    Args:
        more: Settings over the defaults.
        children: Parse in processes of their own, as the product does; else in this one, in a tenth of the time.
    """

    data: Path
    more: dict[str, Any] = field(default_factory=dict)
    children: bool = False

    @property
    def settings(self) -> IndexerSettings:
        """Return the settings: one parsing process, temporary files allowed."""
        defaults: dict[str, Any] = {"data_dir": self.data, "parse_processes": 1}
        return IndexerSettings(**(defaults | self.more))

    def run(self, source: Path | GitSource, *, exclude: tuple[str, ...] = (), name: str = "shop") -> IndexingResult:
        """Index a folder or git source."""
        place = LocalSource(str(source)) if isinstance(source, Path) else source
        with self.indexer() as indexer:
            return indexer.run(JobSpec(name, place, exclude), Listener())

    def indexer(self) -> AbstractContextManager[IndexRepository]:
        """Return the use case that makes snapshots."""
        return (index_repository if self.children else index_inline)(self.settings)

    def current(self, name: str = "shop") -> SnapshotSet:
        """Return the set that is served."""
        found = open_store(self.settings).current(name)
        assert found is not None
        return found

    def core(self, name: str = "shop") -> Path:
        """Return code.db of the current set."""
        return self.data / "repositories" / name / "layers" / self.current(name).core.folder / "code.db"

    def rows(self, query: str, name: str = "shop") -> list[tuple[Any, ...]]:
        """Return rows of the current code.db."""
        with closing(sqlite3.connect(f"file:{self.core(name)}?mode=ro&immutable=1", uri=True)) as database:
            return database.execute(query).fetchall()


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder and return it."""
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


SHOP: dict[str, str | bytes] = {
    "README.md": "# Shop\n\nSells things.\n\n## Money\n\nTakes cash.\n",
    "shop/__init__.py": '"""A shop."""\n',
    "shop/cart.py": (
        '"""Carts."""\n\n\nclass Cart:\n    """Holds items."""\n\n    def __init__(self):\n        self.items = []\n\n'
        '    def add(self, item):\n        """Put an item in."""\n        if item is None:\n'
        '            raise ValueError("an item is needed")\n        self.items.append(item)\n'
    ),
    "shop/till.py": (
        '"""Pays."""\n\nfrom shop.cart import Cart\n\n\ndef pay(cart: Cart):\n    cart.add("receipt")\n'
        "    return total(cart)\n\n\n"
        "def total(cart):\n    return len(cart.items)\n"
    ),
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_add():\n    Cart().add(1)\n",
    "config.toml": "[shop]\nopen = true\n",
}
