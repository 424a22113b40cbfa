"""
Asks one question with generated stubs and grpcio alone: stream, deadline, cancel, resume, rich errors.

python -m pip install grpcio grpcio-tools googleapis-common-protos
python -m grpc_tools.protoc -I protos --python_out=stubs --grpc_python_out=stubs $(find protos/cgrag -name '*.proto')
PYTHONPATH=stubs python ask.py 127.0.0.1:50054 shop "What is a cart?"
"""

import sys
import time

import grpc
from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc
from google.rpc import error_details_pb2, status_pb2

DEADLINE_SECONDS = 120
MOST_CUTS = 5


def ask(target: str, repository: str, question: str) -> orchestrator_pb2.Answer:
    """Return the answer; a stream that is cut is taken up where it was cut, within one deadline."""
    ends = time.monotonic() + DEADLINE_SECONDS
    with grpc.insecure_channel(target) as channel:
        stub = orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
        answer_id, seen, found = "", 0, None
        for _ in range(MOST_CUTS):
            if answer_id:
                call = stub.WatchAnswer(
                    orchestrator_pb2.WatchAnswerRequest(answer_id=answer_id, after_sequence=seen),
                    timeout=ends - time.monotonic(),
                )
            else:
                request = orchestrator_pb2.AskRequest(repository=repository, question=question)
                call = stub.Ask(request, timeout=ends - time.monotonic(), metadata=[("x-request-id", "example-1")])
            try:
                for event in call:
                    answer_id, seen = event.answer_id or answer_id, max(seen, event.sequence)
                    if event.WhichOneof("event") == "text_delta":
                        print(event.text_delta.text, end="", file=sys.stderr)
                    if event.WhichOneof("event") == "completed":
                        found = event.completed.answer
                if found is not None:
                    return found
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE or not answer_id:
                    raise
                time.sleep(0.2)  # cut: what was answered so far is kept, and nothing is paid for twice
            finally:
                call.cancel()  # also when the reader leaves early: the service stops at once
    raise TimeoutError("cut too often")


def reason_of(error: grpc.RpcError) -> str:
    """Return the reason that the contract gives an error, such as ERROR_REASON_REPOSITORY_NOT_FOUND; "" for none."""
    packed = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")
    for detail in status_pb2.Status.FromString(packed).details if packed else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            return info.reason
    return ""


if __name__ == "__main__":
    try:
        found = ask(*sys.argv[1:4])
    except grpc.RpcError as failure:
        sys.exit(f"{reason_of(failure)}: {failure.details()}")
    print(found.text)
    for citation in found.citations:
        print(f"[{citation.number}] {citation.span.path}:{citation.span.start_line}")
