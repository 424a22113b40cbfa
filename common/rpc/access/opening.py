"""Builds the access control of one service; it is off without an access file and without keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from common.core.clock import SystemClock
from common.core.errors import StartupError
from common.core.ids import RandomIds
from common.rpc.access.file import read_callers
from common.rpc.access.identity import Identities
from common.rpc.access.layer import AccessLayer
from common.rpc.access.proofs import read_keys
from common.rpc.access.quotas import Meter
from common.rpc.access.trail import Trail, Why
from common.rpc.access.watching import WatchedFile
from common.rpc.callers import Caller, current_caller

if TYPE_CHECKING:
    from contextlib import AsyncExitStack
    from pathlib import Path

    from common.core.clock import Clock
    from common.observability.metrics import Metrics
    from common.rpc.access.quotas import Counts, Spending
    from common.rpc.access.rights import Rules
    from common.rpc.settings import ServerSettings

_log = structlog.get_logger(__name__)
_OUTCOMES = ("read", "refused")


@dataclass(frozen=True, slots=True)
class Access:
    """
    Who may do what in one service.

    Args:
        layer: Runs around every call; None without access control.
        trail: Where decisions are written down.
        identities: Authenticates callers.
    """

    layer: AccessLayer | None = None
    trail: Trail | None = None
    identities: Identities | None = None

    @property
    def is_on(self) -> bool:
        """Return whether access control is on."""
        return self.layer is not None

    async def look(self) -> None:
        """Reload the files if they changed, at most once a second; the server's heartbeat calls this."""
        if self.identities is not None:
            await self.identities.look()

    def service(self, name: str) -> Caller:
        """Return the caller for calls of the service on its own behalf."""
        return self.identities.service(name) if self.identities is not None else Caller(name)

    def sees(self, repository: str) -> bool:
        """Return whether the caller of the running call may see a repository; outside of calls everything is seen."""
        rights = current_caller().rights
        return rights is None or rights.repositories.match(repository)

    def admits(self, repository: str) -> bool:
        """Return the same for a repository that the caller named, and log a denial."""
        seen = self.sees(repository)
        if self.trail is not None:
            if seen:
                self.trail.allowed(repository)
            else:
                self.trail.denied(Why.REPOSITORY, repository)
        return seen


def share_counts(
    settings: ServerSettings, url: str, setting: str, service: str, stack: AsyncExitStack
) -> Counts | None:
    """
    Return counts that the replicas of a service share, closed with the stack; None without a server or an access file.

    Args:
        url: URL of the server; the value of the setting `setting`.

    Raises:
        StartupError: if the URL is malformed.
    """
    if not url or settings.access_file is None:
        return None
    from common.rpc.access.valkey_counts import ValkeyCounts  # its client is slow to load, few have one

    counts = ValkeyCounts.at(url, setting, service, RandomIds())
    stack.push_async_callback(counts.close)
    return counts


def open_access(
    settings: ServerSettings,
    metrics: Metrics,
    rules: Rules,
    *,
    calls_others: bool = False,
    spending: Spending | None = None,
    shared: Counts | None = None,
    clock: Clock | None = None,
) -> Access:
    """
    Read the access and key files that the settings name; if they name none, callers are not authenticated.

    Args:
        rules: Access rules of the contract that is served.
        calls_others: The service calls other services on behalf of its callers, so it needs keys.
        spending: Sums what each caller's model calls have cost; None if no models are paid for.
        shared: Counts each caller's calls over all replicas; None if each replica counts for itself.
        clock: The machine's clock if None.

    Raises:
        StartupError: with all faults of the files, or if keys are needed and no file of them is set.
    """
    if settings.access_file is None and settings.identity_key_file is None:
        return Access()
    if calls_others and settings.identity_key_file is None:
        raise StartupError(
            "access_file is set without identity_key_file: the services behind this one would not know its callers;"
            " make a key with `cgrag token --key`, and name its file in all services"
        )
    clock = clock or SystemClock()
    reads = metrics.counter("access_file_reads", "Access and key files that changed.", {"outcome": _OUTCOMES})

    def changed(path: Path, problem: str) -> None:
        reads.add(outcome="refused" if problem else "read")
        if problem:
            _log.error("access.file_refused", file=path.name, problem=problem, in_force="the content before")
        else:
            _log.info("access.file_read", file=path.name)

    known = keys = None
    if settings.access_file is not None:
        known = WatchedFile(settings.access_file, "access_file", read_callers, clock, changed)
    if settings.identity_key_file is not None:
        keys = WatchedFile(settings.identity_key_file, "identity_key_file", read_keys, clock, changed)
    trail = Trail(metrics, rules.of, reads=settings.audit_reads)
    identities = Identities(known, keys, (rules.contract.full_name,), clock)
    return Access(AccessLayer(identities, rules.by_path(), Meter(clock, spending, shared), trail), trail, identities)
