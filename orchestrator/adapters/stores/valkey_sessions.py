"""Sessions and their memories in a Valkey or Redis server, which all replicas share; its clock measures lifetimes."""

from __future__ import annotations

import bisect
from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from common.core.clock import SystemClock
from common.core.runtime.breaker import BreakerPolicy, Dependency
from common.stores.valkey import client_at, failures_of
from orchestrator.adapters.stores.codec import decode, encode
from orchestrator.domain.answers.errors import SessionNotFound
from orchestrator.domain.evidence.gaps import gap_key
from orchestrator.domain.evidence.piece import Evidence, GapResult
from orchestrator.domain.questions.sessions import (
    MAX_ABSENCES,
    MAX_SHOWN,
    TOMBSTONE_SECONDS,
    Session,
    SessionMemory,
    Shown,
    place_of,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from redis.asyncio import Redis
    from redis.commands.core import AsyncScript

    from common.core.clock import Clock
    from common.core.ids import IdSource
    from common.core.runtime.breaker import BreakerState

_SETTING = "session_store_url"
_PREFIX = "cgrag:"
_MICROSECONDS = 1_000_000
# Short, since without the server, follow-up questions are answered without their session.
_POLICY = BreakerPolicy(failures=3, open_seconds=5.0)


class ValkeySessions:
    """
    Implements `SessionStore` and `SessionMemories` on one server, not a cluster. All raise DependencyUnavailable.

    Args:
        client: Client of the server, which decodes responses to text.
        ids: Makes session ids.
        lifetime_seconds: Time without use after which a session is expired.
        max_evidence: Most pieces of evidence that a session keeps.
        evicted: Called with the number of pieces that were dropped to make room.
        counted: Called with the number of sessions on the server whenever one is opened.
        clock: Clock of the circuit breaker; the system's if None.
        shown: Called with the state of the circuit breaker.
    """

    def __init__(
        self,
        client: Redis,
        ids: IdSource,
        *,
        lifetime_seconds: float = 1800.0,
        max_evidence: int = 50,
        evicted: Callable[[int], None] = lambda _: None,
        counted: Callable[[int], None] = lambda _: None,
        clock: Clock | None = None,
        shown: Callable[[BreakerState], None] = lambda _: None,
    ) -> None:
        self._client = client
        self._ids = ids
        self._breaker = Dependency("the store of sessions", _POLICY, clock or SystemClock(), shown)
        self._lifetime = lifetime_seconds
        self._max_evidence = max_evidence
        self._evicted = evicted
        self._counted = counted
        self._scripts: dict[str, AsyncScript] = {
            name: client.register_script(
                files("orchestrator").joinpath(f"queries/session_{name}.lua").read_text(encoding="utf-8")
            )
            for name in ("open", "find", "delete", "forget", "load", "remember")
        }

    @classmethod
    def at(cls, url: str, ids: IdSource, **limits: Any) -> ValkeySessions:
        """Return the store at a URL, without connecting yet. Raises StartupError if the URL is invalid."""
        return cls(client_at(url, _SETTING), ids, **limits)

    async def create(self, owner: str, repository: str) -> Session:
        """Open a session."""
        session_id = self._ids.new("ses")
        now, alive = await self._run("open", session_id, owner, repository, self._lifetime, TOMBSTONE_SECONDS)
        self._counted(int(alive))
        return self._session(session_id, (repository, now, now, 0, 0))

    async def find(self, session_id: str, owner: str) -> tuple[Session, bool]:
        """Return the owner's session and whether it is expired. Raises SessionNotFound, also for another owner's."""
        found = await self._run("find", session_id, owner, self._lifetime)
        if not found:
            raise SessionNotFound.of(session_id)
        return self._session(session_id, found), float(found[2]) + self._lifetime <= float(found[5])

    async def list(self, owner: str, after: str, limit: int) -> tuple[Session, ...]:
        """Return the owner's sessions that are not expired, last used first, after a cursor."""
        uses = await self._ask(lambda: self._client.zrange(f"{_PREFIX}sessions:{owner}", 0, -1, withscores=True))
        ordered = sorted((-round(used * _MICROSECONDS), session_id) for session_id, used in uses)
        used, at_once = place_of(after) if after else (0, "")
        behind = ordered[bisect.bisect_right(ordered, (-used, at_once)) if after else 0 :]
        sessions: list[Session] = []
        for _, session_id in behind:
            found = await self._run("find", session_id, owner, self._lifetime)
            if found and float(found[2]) + self._lifetime > float(found[5]):
                sessions.append(self._session(session_id, found))
            if len(sessions) == limit:
                break
        return tuple(sessions)

    async def delete(self, session_id: str, owner: str) -> None:
        """Delete a session and its memory. Raises SessionNotFound."""
        if not await self._run("delete", session_id, owner):
            raise SessionNotFound.of(session_id)

    async def forget_repository(self, repository: str, before: datetime) -> None:
        """Delete the sessions about a repository that were opened before a moment, and their memories."""
        await self._run("forget", repository, before.timestamp())

    async def load(self, session_id: str, snapshot_id: str) -> SessionMemory:
        """Return a session's memory of a snapshot, and renew the session; empty if it is unknown or expired."""
        found = await self._run("load", session_id, snapshot_id, self._lifetime, TOMBSTONE_SECONDS)
        if not found:
            return SessionMemory()
        nodes, gone, shown = (_pairs(each) for each in found)
        return SessionMemory(
            tuple(decode(body, Evidence) for _, body in reversed(nodes)),
            tuple(decode(body, GapResult) for _, body in gone),
            {key: tuple(ids.split()) for key, ids in shown},
        )

    async def remember(
        self,
        session_id: str,
        snapshot_id: str,
        evidence: Sequence[Evidence],
        absences: Sequence[GapResult],
        shown: Shown | None = None,
    ) -> None:
        """
        Store evidence, in order of use, absences and what was shown; delete absences of other snapshots.

        For a session that expired meanwhile, nothing is stored.
        """
        entries = [
            *(("nodes", each.evidence_id, encode(each)) for each in evidence),
            *(("absences", gap_key(each.gap), encode(each)) for each in absences),
            *([("shown", shown.key, " ".join(shown.evidence_ids))] if shown else ()),
        ]
        limits = (self._max_evidence, MAX_ABSENCES, MAX_SHOWN)
        flat = [part for entry in entries for part in entry]
        evicted = int(await self._run("remember", session_id, snapshot_id, self._lifetime, *limits, *flat))
        if evicted:
            self._evicted(evicted)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _run(self, name: str, *arguments: str | int | float) -> Any:
        return await self._ask(lambda: self._scripts[name]([_PREFIX], list(arguments)))

    async def _ask(self, work: Callable[[], Awaitable[Any]]) -> Any:
        async def asked() -> Any:
            with failures_of("sessions", _SETTING):
                return await work()

        return await self._breaker.ask(asked)

    def _session(self, session_id: str, found: Sequence[Any]) -> Session:
        repository, created, used, nodes, gone = found[:5]
        expires = float(used) + self._lifetime
        return Session(session_id, repository, _date(created), _date(used), _date(expires), int(nodes), int(gone))


def _pairs(flat: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(flat[::2], flat[1::2], strict=True))


def _date(seconds: str | float) -> datetime:
    return datetime.fromtimestamp(float(seconds), UTC)
