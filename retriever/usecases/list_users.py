"""Lists the users of a symbol."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retriever.domain.questions.names import parse
from retriever.usecases.locating.naming import find_symbols
from retriever.usecases.locating.suggesting import similar_names
from retriever.usecases.stages.relations.users import Asked, find_users

if TYPE_CHECKING:
    from retriever.domain.views.listing import UserList
    from retriever.ports import Snapshot, SnapshotStore
    from retriever.usecases.using.found import Using


@dataclass(frozen=True, slots=True)
class UsersPage:
    """
    Users of the definitions of one name.

    Attributes:
        snapshot_id: The snapshot that was read.
        lists: One for each definition, the most used first.
        more: Whether a further page follows.
        similar: If no definition has the name, similar qualified names, the likeliest first.
    """

    snapshot_id: str
    lists: tuple[UserList, ...]
    more: bool
    similar: tuple[str, ...] = ()


class ListUsers:
    """Lists the users of a symbol."""

    def __init__(self, snapshots: SnapshotStore) -> None:
        self._snapshots = snapshots

    async def run(self, repository: str, snapshot_id: str, asked: Asked, first: int, size: int) -> UsersPage:
        """Return the page of at most `size` users of each definition, from position `first` on."""
        async with self._snapshots.open(repository, snapshot_id) as snapshot:
            found = await asyncio.to_thread(_found, snapshot, asked)
            kept = [each for each in found if first < len(each.uses) or not first]
            lists = tuple(each.listing(size, first=first) for each in kept)
            more = any(first + size < len(each.uses) for each in found)
            similar = () if found else await asyncio.to_thread(similar_names, snapshot, asked.names[0])
            return UsersPage(snapshot.info.snapshot_id, lists, more, similar)


def _found(snapshot: Snapshot, asked: Asked) -> list[Using]:
    """Find the users of each definition; of several, the most used comes first."""
    name = parse(asked.names[0])
    ids = [each.id for each in find_symbols(snapshot, name)] if name else []
    fan_in = snapshot.graph.fan_in(ids)
    rank = {each: place for place, each in enumerate(sorted(ids, key=lambda each: -fan_in.get(each, 0)))}
    found = [each.with_tests() for each in find_users(snapshot, asked, rank)]
    return [each for each in found if each.uses or each.in_tests] or found[:1]
