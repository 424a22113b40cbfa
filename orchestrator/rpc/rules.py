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
        # A started answer may be read to its end, even if the quota is used up meanwhile.
        "WatchAnswer": _READS,
        "CancelAnswer": _CHANGES,
        "GetAnswer": _READS,
        "Explain": _READS,
        # Whoever is an operator as well may replay answers of others.
        "ReplayAnswer": _READS,
        # Answers of all callers, whole.
        "GetShadow": for_roles(Role.ADMIN),
        "RateAnswer": _CHANGES,
        "CheckText": _READS,
        "CreateSession": _CHANGES,
        "GetSession": _READS,
        "ListSessions": _READS,
        "DeleteSession": _CHANGES,
        # Comments of all callers.
        "ListRatings": for_roles(Role.OPERATOR, Role.ADMIN),
        # What gaps wanted comes from questions of all callers.
        "ListIndexDebt": for_roles(Role.OPERATOR, Role.ADMIN),
    },
)
