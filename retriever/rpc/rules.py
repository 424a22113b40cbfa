"""Who may call which method of the retriever."""

from __future__ import annotations

from cgrag.retriever.v1 import retriever_pb2

from common.rpc.access.rights import Role, Rules, for_roles

_READS = for_roles(Role.READER, Role.ASKER, Role.ADMIN)

RULES = Rules(
    retriever_pb2.DESCRIPTOR.services_by_name["RetrieverService"],
    {
        "Retrieve": _READS,
        "ResolveGaps": _READS,
        "Search": _READS,
        "LookupSymbols": _READS,
        "ListUsers": _READS,
        "ExpandGraph": _READS,
        "ReadSpans": _READS,
        "BuildContext": _READS,
        "RefineContext": _READS,
        "CheckClaims": _READS,
        "ResolveCitation": _READS,
        "ListDecisions": _READS,
        "ListRemovals": _READS,
        "ListLayerProblems": _READS,
    },
)
