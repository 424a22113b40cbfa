"""Deletes the vectors of removed repositories from the vector server, which is outside of the snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.settings import IndexerSettings


class ServerVectorEraser:
    """
    Implements `RepositoryData` over the vector server.

    Args:
        settings: With the address of the server; it is connected to only by `remove`.
    """

    def __init__(self, settings: IndexerSettings) -> None:
        self._settings = settings

    def remove(self, repository: str) -> None:
        """Remove the points of a repository from the collections of all models. Raises DependencyUnavailable."""
        # Imported here, as loading the client takes half a second and would delay the start of the service.
        from indexer.adapters.vectors.qdrant_server import open_target, remove_repository

        with open_target(self._settings) as target:
            remove_repository(target, repository)
