"""Who may call which method of the classifier."""

from __future__ import annotations

from cgrag.classifier.v1 import classifier_pb2

from common.rpc.access.rights import Role, Rules, for_roles

_READS = for_roles(Role.READER, Role.ASKER, Role.ADMIN)

RULES = Rules(
    classifier_pb2.DESCRIPTOR.services_by_name["ClassifierService"],
    {"ClassifyQuestion": _READS, "AnalyzeTask": _READS},
)
