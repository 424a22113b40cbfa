"""Which RPCs the four services serve: as the README says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from cgrag.classifier.v1 import classifier_pb2
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from google.protobuf.message_factory import GetMessageClass

from tests.e2e.four_services import CALL_SECONDS, NAMES, ROOT, refusal_of

if TYPE_CHECKING:
    from google.protobuf.descriptor import MethodDescriptor

    from tests.e2e.four_services import FourServices

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
        return refusal_of(error).reason != "ERROR_REASON_UNIMPLEMENTED"
    return True


@pytest.mark.parametrize("name", NAMES)
def test_the_table_of_rpcs_is_true(suite: FourServices, name: str) -> None:
    """Each method of the contract is in its column; what is not served says so with the contract's reason."""
    service = CONTRACTS[name].services_by_name[f"{name.capitalize()}Service"]
    [row] = re.findall(rf"^\| `{service.name}` \|([^|]*)\|([^|]*)\|$", (ROOT / "README.md").read_text(), re.MULTILINE)
    served, missing = ({each.strip() for each in column.split(",") if each.strip()} for column in row)
    stub = getattr(suite, name)

    assert served == {method.name for method in service.methods if is_served(stub, method)}
    assert missing == {method.name for method in service.methods} - served
