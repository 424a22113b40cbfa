"""Admits only authenticated and authorized calls."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from common.core.errors import PermissionDenied, QuotaExceeded, Unauthenticated
from common.rpc import callers
from common.rpc.access.identity import NoCredential
from common.rpc.access.rights import Rights
from common.rpc.access.trail import Why
from common.rpc.callers import Caller

if TYPE_CHECKING:
    from collections.abc import Mapping

    from common.rpc.access.file import Entry
    from common.rpc.access.identity import Identities
    from common.rpc.access.quotas import Meter
    from common.rpc.access.rights import Rule
    from common.rpc.access.trail import Trail
    from common.rpc.client.calls import Call

_NOBODY = Caller("", Rights())


class AccessLayer:
    """
    Authenticates callers, refuses methods that their roles may not call, and counts usage against quotas.

    Args:
        identities: Authenticates the caller.
        rules: Rules by the method's path, `/contract/Method`; a method without a rule is refused.
        meter: Counts usage, except of calls with another service's proof: that service has counted them.
        trail: The audit log.
    """

    def __init__(self, identities: Identities, rules: Mapping[str, Rule], meter: Meter, trail: Trail) -> None:
        self._identities = identities
        self._rules = rules
        self._meter = meter
        self._trail = trail

    async def around(self, call: Call) -> None:
        """Run the call as its caller."""
        callers.set_caller(_NOBODY)
        rule = self._rules.get(call.method.path)
        self._trail.begin(call.method.name, changes=rule is not None and rule.changes)
        try:
            caller, entry = self._identities.of(call)
        except Unauthenticated as error:
            self._trail.denied(Why.NO_CREDENTIAL if isinstance(error, NoCredential) else Why.BAD_CREDENTIAL)
            raise
        callers.set_caller(caller)
        self._require_role(call.method.name, rule, caller)
        async with AsyncExitStack() as counted:
            if entry is not None:
                await self._count(entry, counted, spends=rule is not None and rule.spends)
            try:
                await call.proceed()
            finally:
                self._trail.allowed()

    def _require_role(self, method: str, rule: Rule | None, caller: Caller) -> None:
        """Decide whether a role of the caller may call the method; raise PermissionDenied if not."""
        if rule is not None and caller.rights is not None and not rule.roles.isdisjoint(caller.rights.roles):
            return
        self._trail.denied(Why.ROLE)
        wanted = ", ".join(sorted(role.value for role in rule.roles)) if rule is not None else ""
        who = f"it takes one of the roles {wanted}" if wanted else "nobody may"
        raise PermissionDenied(f"{caller.name} may not call {method}: {who}", metadata={"method": method})

    async def _count(self, entry: Entry, counted: AsyncExitStack, *, spends: bool) -> None:
        try:
            await counted.enter_async_context(self._meter.call(entry))
            if spends:
                await self._meter.afford(entry)
        except QuotaExceeded:
            self._trail.denied(Why.QUOTA)
            raise
