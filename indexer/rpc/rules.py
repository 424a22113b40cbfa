"""Who may call which method of the indexer."""

from __future__ import annotations

from cgrag.indexer.v1 import indexer_pb2

from common.rpc.access.rights import Role, Rules, changing_for_roles, for_roles

_LOOKS = for_roles(Role.READER, Role.ASKER, Role.OPERATOR, Role.ADMIN)
_RUNS = changing_for_roles(Role.OPERATOR, Role.ADMIN)

RULES = Rules(
    indexer_pb2.DESCRIPTOR.services_by_name["IndexerService"],
    {
        "StartIndexing": _RUNS,
        "GetIndexJob": _LOOKS,
        "ListIndexJobs": _LOOKS,
        "WatchIndexJob": _LOOKS,
        "CancelIndexJob": _RUNS,
        "ListSnapshots": _LOOKS,
        "GetSnapshot": _LOOKS,
        "RollbackSnapshot": _RUNS,
        "DeleteRepository": changing_for_roles(Role.ADMIN),
        "ListRepositories": _LOOKS,
        "ImportFindings": _RUNS,
        "ImportPreciseEdges": _RUNS,
        "ListPreciseImports": _LOOKS,
        "DeletePreciseImports": _RUNS,
        "ListFindings": _LOOKS,
        "ListChangedFiles": for_roles(Role.READER, Role.ASKER, Role.ADMIN),
        "CheckSnapshot": _LOOKS,
    },
)
