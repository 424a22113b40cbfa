"""Stores of a repository that the caller may not see look as if they had nothing of it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from retriever.adapters.visible import VisibleDecisions, VisibleSnapshots, VisibleTasks
from retriever.domain.errors import RepositoryNotFound

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class OnlyShop:
    """Implements `Visibility`: one repository can be seen."""

    def sees(self, repository: str) -> bool:
        """Return whether it is the shop."""
        return repository == "shop"

    admits = sees


class Everything:
    """A store of all kinds that has something of each repository."""

    @asynccontextmanager
    async def open(self, repository: str, snapshot_id: str) -> AsyncIterator[str]:
        """Open a snapshot."""
        yield f"{repository}@{snapshot_id}"

    async def at_revision(self, repository: str, revision: str) -> str:
        """Return the snapshot of a commit."""
        return f"{repository}@{revision}"

    async def load(self, repository: str, task_id: str) -> str:
        """Return the state of a task."""
        return f"{repository}/{task_id}"

    async def read(self, repository: str, retrieval_id: str, *_: int) -> tuple[str, ...]:
        """Return decisions."""
        return (f"{repository}/{retrieval_id}",)


async def test_snapshots_of_a_hidden_repository_are_not_found() -> None:
    """Neither by id nor by commit; those of others are opened."""
    store: Any = Everything()
    visible: Any = VisibleSnapshots(store, OnlyShop())
    async with visible.open("shop", "1") as snapshot:
        assert snapshot == "shop@1"

    assert await visible.at_revision("shop", "main") == "shop@main"
    with pytest.raises(RepositoryNotFound):
        async with visible.open("vault", "1"):
            pass
    with pytest.raises(RepositoryNotFound):
        await visible.at_revision("vault", "main")


async def test_tasks_and_decisions_of_a_hidden_repository_are_none() -> None:
    """What was kept of it is not read; that of others is."""
    store: Any = Everything()
    tasks: Any = VisibleTasks(store, OnlyShop())
    decisions: Any = VisibleDecisions(store, OnlyShop())

    assert await tasks.load("shop", "t") == "shop/t"
    assert await tasks.load("vault", "t") is None
    assert await decisions.read("shop", "r", 0, 10) == ("shop/r",)
    assert await decisions.read("vault", "r", 0, 10) == ()
