"""Lists the findings of the served snapshot."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import TYPE_CHECKING

from indexer.domain.errors import IndexNotReady

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.findings.finding import Finding, FindingsQuery
    from indexer.usecases.findings.publish import FindingsPublisher
    from indexer.usecases.snapshots import Snapshots


class ListFindings:
    """Reads findings of current snapshots."""

    def __init__(self, snapshots: Snapshots, publisher: FindingsPublisher) -> None:
        self._snapshots = snapshots
        self._publisher = publisher

    async def run(
        self, repository: str, query: FindingsQuery, *, limit: int, after: tuple[object, ...] = ()
    ) -> Sequence[Finding]:
        """
        Return at most `limit` findings, worst first, then by path and line.

        Args:
            after: Only findings that sort behind this `order`, so that a page continues where the last one ended, even
                if findings were added or removed meanwhile.

        Raises RepositoryNotFound, and IndexNotReady while the findings layer is not there.
        """
        snapshot = (await self._snapshots.get(repository, "")).snapshot
        analysis = await asyncio.to_thread(self._publisher.analysis, snapshot)
        if analysis is None:
            raise IndexNotReady(
                f"the findings of {repository!r} are not there yet; watch its job, or index it again.",
                metadata={"repository": repository},
            )
        fitting = (each for each in analysis.findings if query.fits(each) and each.order > after)
        return tuple(islice(fitting, limit))
