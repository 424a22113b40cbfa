"""The four services serve every call of their contracts."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from cgrag.classifier.v1 import classifier_pb2
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from tests.e2e.four_services import CALL_SECONDS, NAMES, FourServices, refusal_of

CONTRACTS = {
    "indexer": indexer_pb2.DESCRIPTOR,
    "classifier": classifier_pb2.DESCRIPTOR,
    "retriever": retriever_pb2.DESCRIPTOR,
    "orchestrator": orchestrator_pb2.DESCRIPTOR,
}


def is_served(stub: Any, method: MethodDescriptor) -> bool:
    """Call a method with an empty request; any answer or error but UNIMPLEMENTED will do."""
    request = GetMessageClass(method.input_type)()
    call = getattr(stub, method.name)
    try:
        answer = call(iter([request]) if method.client_streaming else request, timeout=CALL_SECONDS)
        if method.server_streaming:
            next(answer, None)
    except grpc.RpcError as error:
        return refusal_of(error).code is not grpc.StatusCode.UNIMPLEMENTED
    return True


@pytest.mark.parametrize("name", NAMES)
def test_every_call_of_the_contract_is_served(suite: FourServices, name: str) -> None:
    """No method is left to the generated servicer, which answers UNIMPLEMENTED."""
    service = CONTRACTS[name].services_by_name[f"{name.capitalize()}Service"]
    stub = getattr(suite, name)

    assert [method.name for method in service.methods if not is_served(stub, method)] == []
