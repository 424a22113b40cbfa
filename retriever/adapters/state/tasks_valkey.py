"""States of tasks in a Valkey or Redis server, which all replicas share: kept for some days by the server's clock."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Protocol

from common.stores.valkey import client_at, failures_of
from retriever.adapters.state.plain_values import from_plain, to_plain
from retriever.adapters.state.tasks_sqlite import replaced_meanwhile
from retriever.domain.tasks.task import TaskState

if TYPE_CHECKING:
    from datetime import datetime

    from redis.asyncio import Redis

_SETTING = "task_store_url"
_SCANNED = 1000


class _Script(Protocol):
    async def __call__(self, keys: list[str], args: list[str | int | float]) -> int: ...


class ValkeyTaskStore:
    """
    Implements `TaskStore`. Raises DependencyUnavailable if the server does not answer.

    Args:
        client: Must decode responses to text.
        days: Age at which a task is forgotten.
    """

    def __init__(self, client: Redis, *, days: float) -> None:
        self._client = client
        self._seconds = max(1, round(days * 86400))
        self._replace: _Script = client.register_script(_text("keep_task"))
        self._forget: _Script = client.register_script(_text("forget_task"))

    @classmethod
    def at(cls, url: str, *, days: float) -> ValkeyTaskStore:
        """Return the store at a URL, without connecting to it yet. Raises StartupError if the URL is invalid."""
        return cls(client_at(url, _SETTING), days=days)

    async def load(self, repository: str, task_id: str) -> TaskState | None:
        """Return the last stored state; None if there is none."""
        with failures_of("tasks", _SETTING):
            content = await self._client.hget(_key(repository, task_id), "content")
        return from_plain(TaskState, json.loads(content)) if content else None

    async def keep(self, state: TaskState) -> TaskState:
        """Store a state in place of the stored one of the same version. Raises Overloaded if that has been replaced."""
        kept = replace(state, version=state.version + 1)
        key = _key(state.request.repository, state.request.task_id)
        with failures_of("tasks", _SETTING):
            done = await self._replace([key], [state.version, kept.version, json.dumps(to_plain(kept)), self._seconds])
        if not done:
            raise replaced_meanwhile(state.request.task_id)
        return kept

    async def forget_repository(self, repository: str, before: datetime) -> None:
        """Forget the tasks of a repository that were last kept before a moment, by the server's clock."""
        own = _key(repository, "")[: -len('""]')]
        with failures_of("tasks", _SETTING):
            async for key in self._client.scan_iter(match=f"{_escaped(own)}*", count=_SCANNED):
                await self._forget([key], [before.timestamp()])

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def _text(script: str) -> str:
    return files("retriever").joinpath(f"queries/{script}.lua").read_text(encoding="utf-8")


def _escaped(text: str) -> str:
    """Escape a text so that the server's patterns match it literally."""
    return "".join(f"\\{each}" if each in "\\[]*?^-" else each for each in text)


def _key(repository: str, task_id: str) -> str:
    return "cgrag:task:" + json.dumps([repository, task_id], ensure_ascii=False)
