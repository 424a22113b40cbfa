"""Who may call which method of the orchestrator."""

from __future__ import annotations

from cgrag.orchestrator.v1 import orchestrator_pb2

from common.rpc.access.rights import Role, Rules, changing_for_roles, for_roles, spending_for_roles

_READS = for_roles(Role.ASKER, Role.ADMIN)
_SPENDS = spending_for_roles(Role.ASKER, Role.ADMIN)
_CHANGES = changing_for_roles(Role.ASKER, Role.ADMIN)

RULES = Rules(
    orchestrator_pb2.DESCRIPTOR.services_by_name["OrchestratorService"],
    {
        "Ask": _SPENDS,
        # Not counted as spending: a started answer may be read to its end after the quota is used up.
        "WatchAnswer": _READS,
        "CancelAnswer": _CHANGES,
        "GetAnswer": _READS,
        "Explain": _READS,
        # Operators and administrators may also replay answers of other callers.
        "ReplayAnswer": _READS,
        # Returns complete answers of all callers.
        "GetShadow": for_roles(Role.ADMIN),
        "RateAnswer": _CHANGES,
        "CheckText": _READS,
        "CreateSession": _CHANGES,
        "GetSession": _READS,
        "ListSessions": _READS,
        "DeleteSession": _CHANGES,
        # Returns comments of all callers.
        "ListRatings": for_roles(Role.OPERATOR, Role.ADMIN),
        # Returns what gaps asked for, which comes from the questions of all callers.
        "ListIndexDebt": for_roles(Role.OPERATOR, Role.ADMIN),
    },
)
