"""Forgets the vectors of repositories where they are kept outside of the snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.settings import IndexerSettings


class ServerVectorEraser:
    """
    Implements `RepositoryData` over the vector server.

    Args:
        settings: Say where it is; it is spoken to only when something is to be forgotten.
    """

    def __init__(self, settings: IndexerSettings) -> None:
        self._settings = settings

    def remove(self, repository: str) -> None:
        """Remove the points of a repository from the collections of all models. Raises DependencyUnavailable."""
        # The client takes half a second to load, which the start of the service would pay.
        from indexer.adapters.vectors.qdrant_server import QdrantVectorEraser, open_target

        with open_target(self._settings) as target:
            QdrantVectorEraser(target).remove(repository)
