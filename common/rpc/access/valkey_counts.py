"""Counts of callers' calls in a Valkey or Redis server, which all replicas of a service share."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from common.rpc.access.quotas import too_many, too_often
from common.stores.valkey import client_at, failures_of

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.commands.core import AsyncScript

    from common.core.ids import IdSource
    from common.rpc.access.file import Quotas

TIMEOUT_SECONDS = 0.5
"""Time limit of a request: every call of a caller with quotas waits for the server before it runs."""


class ValkeyCounts:
    """
    Implements `Counts` in a server. A call whose process died counts as running until its time limit.

    Args:
        client: Client that decodes responses to text.
        setting: Name of the setting with the server's URL, for messages.
        service: The service whose calls are counted; each service has counts of its own.
        ids: Makes tickets.
    """

    def __init__(self, client: Redis, setting: str, service: str, ids: IdSource) -> None:
        self._client = client
        self._setting = setting
        self._service = service
        self._ids = ids
        text = files("common.rpc.access").joinpath("queries/count_call.lua").read_text(encoding="utf-8")
        self._count: AsyncScript = client.register_script(text)

    @classmethod
    def at(cls, url: str, setting: str, service: str, ids: IdSource) -> ValkeyCounts:
        """Return the counts at a URL, without connecting. Raises StartupError if the URL is malformed."""
        return cls(client_at(url, setting, timeout_seconds=TIMEOUT_SECONDS), setting, service, ids)

    async def begin(self, name: str, quotas: Quotas, seconds: float) -> str:
        """Count a call, and return its ticket. Raises QuotaExceeded, DependencyUnavailable."""
        ticket = self._ids.new("call")
        bounds = (quotas.requests_per_minute, quotas.calls_at_once)
        with failures_of("quotas", self._setting):
            keys = [self._key("minute", name), self._key("running", name)]
            quota, amount = await self._count(keys, [*bounds, ticket, seconds])
        if quota == "calls_at_once":
            raise too_many(name, int(amount))
        if quota:
            raise too_often(name, quotas.requests_per_minute, float(amount))
        return ticket

    async def end(self, name: str, ticket: str) -> None:
        """End a call; without this it counts as running until its time limit. Raises DependencyUnavailable."""
        with failures_of("quotas", self._setting):
            await self._client.zrem(self._key("running", name), ticket)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _key(self, kind: str, name: str) -> str:
        return f"cgrag:quota:{self._service}:{kind}:{name}"
