"""What the server does around every call, over real connections in one process."""

from __future__ import annotations

import asyncio
import gc
import random
import weakref
from typing import Any

import grpc
import pytest
import structlog
from cgrag.indexer.v1 import indexer_pb2, indexer_pb2_grpc
from cgrag.orchestrator.v1 import orchestrator_pb2

from common.core.errors import InvalidArgument, Overloaded, Violation
from common.observability.metrics import Metrics
from common.rpc import callers
from common.rpc.client.channels import open_channel
from common.rpc.serving.server import ServiceRegistration, build_server
from common.rpc.settings import ServerSettings
from common.rpc.status import errors_from_status
from tests.fakes.answering import (
    ASK,
    GET,
    SERVICE,
    Answers,
    details,
    eventually,
    handled,
    labels_of,
    refusal,
    sample,
    serving,
)


async def test_request_id_is_taken_over_and_given_back() -> None:
    """A caller's id serves as it is; without one, or with a malformed one, the server makes its own."""
    servicer = Answers()
    async with serving(servicer) as (_, stub, _):
        ids = []
        for given in ("abc-1", None, "two words"):
            metadata = (("x-request-id", given),) if given else ()
            call = stub.GetAnswer(GET, metadata=metadata)
            await call
            ids.append(dict(await call.trailing_metadata())["x-request-id"])

    assert ids == ["abc-1", "req_1", "req_2"]
    assert servicer.seen == ["local abc-1", "local req_1", "local req_2"]


async def test_app_errors_become_statuses_with_one_error_info() -> None:
    """Kind gives the code; reason, metadata, violations and the wait travel as details; the id as metadata."""
    servicer = Answers()
    async with serving(servicer) as (_, stub, metrics):
        servicer.error = InvalidArgument("bad", metadata={"k": "v"}, violations=[Violation("question", "is empty")])
        raised = await refusal(stub.GetAnswer(GET, metadata=(("x-request-id", "abc"),)))
        servicer.error = Overloaded("busy", retry_after_seconds=1.5)
        busy = await refusal(stub.GetAnswer(GET))

    found = details(raised)
    assert raised.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert dict(raised.trailing_metadata())["x-request-id"] == "abc"
    assert (found["ErrorInfo"].reason, found["ErrorInfo"].domain) == ("ERROR_REASON_INVALID_ARGUMENT", "cgrag")
    assert dict(found["ErrorInfo"].metadata) == {"k": "v"}
    assert found["BadRequest"].field_violations[0].field == "question"
    assert details(busy)["RetryInfo"].retry_delay.ToMilliseconds() == 1500
    assert handled(metrics, "GetAnswer", "INVALID_ARGUMENT") == 1
    assert handled(metrics, "GetAnswer", "RESOURCE_EXHAUSTED") == 1


@pytest.mark.parametrize("method", ["GetAnswer", "Ask"])
async def test_unknown_errors_do_not_leak_their_text(method: str) -> None:
    """A defect becomes INTERNAL with the request id; the log has the rest. In the middle of a stream too."""
    servicer = Answers()
    servicer.error = KeyError("the secret")
    async with serving(servicer) as (_, stub, metrics):
        with structlog.testing.capture_logs() as logs:
            raised = await refusal(_call(stub, method, GET))
            await eventually(lambda: "rpc.finished" in [log["event"] for log in logs])

    assert raised.code() is grpc.StatusCode.INTERNAL
    assert "req_1" in (raised.details() or "")
    assert "secret" not in f"{raised.details()} {details(raised)}"
    assert [log["event"] for log in logs if log["log_level"] in ("error", "warning")] == ["rpc.defect", "rpc.finished"]
    assert handled(metrics, method, "INTERNAL") == 1


class _Holding(Answers):
    """Fails deep down, with something large in hand."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error
        self.held: weakref.ref[_Large] | None = None

    async def GetAnswer(self, request: Any, context: Any) -> Any:
        """Fail in a thread."""
        await asyncio.to_thread(self._fail)

    def _fail(self) -> None:
        large = _Large()
        self.held = weakref.ref(large)
        error, self.error = self.error, None
        try:
            raise ValueError(large)
        except ValueError as cause:
            assert error is not None
            raise error from cause


class _Large:
    """Something that takes memory."""


@pytest.mark.parametrize("error", [InvalidArgument("it is too large"), KeyError("nobody foresaw it")])
async def test_an_error_keeps_nothing_of_what_led_to_it(error: Exception) -> None:
    """Neither until the next call comes nor until garbage is collected: a process would hold each refused upload."""
    servicer = _Holding(error)
    async with serving(servicer) as (_, stub, _):
        gc.disable()
        try:
            await refusal(stub.GetAnswer(GET))

            await eventually(lambda: servicer.held is not None and servicer.held() is None)
        finally:
            gc.enable()


async def test_methods_that_nobody_wrote_say_so() -> None:
    """A method left to the generated base is UNIMPLEMENTED, with its reason."""
    async with serving(Answers()) as (_, stub, _):
        raised = await refusal(stub.ListSessions(orchestrator_pb2.ListSessionsRequest()))

    assert raised.code() is grpc.StatusCode.UNIMPLEMENTED
    assert details(raised)["ErrorInfo"].reason == "ERROR_REASON_UNIMPLEMENTED"


async def test_a_cancelled_stream_closes_its_handler_at_once() -> None:
    """Cancel reaches the generator in its own task, and counts as CANCELLED."""
    servicer = Answers()
    async with serving(servicer) as (_, stub, metrics):
        call = stub.Ask(ASK)
        await call.read()
        call.cancel()
        await eventually(lambda: "closed" in servicer.seen)
        await eventually(lambda: handled(metrics, "Ask", "CANCELLED") == 1)

    assert servicer.seen == ["started", "closed"]
    assert sample(metrics, "cgrag_streams_in_flight", **labels_of("Ask")) == 0


async def test_a_callers_deadline_ends_the_handler() -> None:
    """The handler is cancelled at the deadline, and counts as DEADLINE_EXCEEDED; remaining() tells what is left."""
    servicer = Answers()
    async with serving(servicer) as (_, stub, metrics):
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            [event async for event in stub.Ask(ASK, timeout=0.2)]
        await eventually(lambda: handled(metrics, "Ask", "DEADLINE_EXCEEDED") == 1)
        await stub.GetAnswer(GET, timeout=60)

    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert servicer.seen[:2] == ["started", "closed"]
    assert servicer.left is not None
    assert 40 < servicer.left < 60.1


@pytest.mark.parametrize("method", ["GetAnswer", "Ask"])
async def test_calls_without_a_deadline_get_the_servers(method: str) -> None:
    """The default deadline cancels the handler and is answered as DEADLINE_EXCEEDED with its reason."""
    servicer = Answers()
    settings = ServerSettings(default_deadline_seconds=0.1, default_stream_deadline_seconds=0.1)
    async with serving(servicer, settings=settings) as (_, stub, _):
        raised = await refusal(_call(stub, method, orchestrator_pb2.GetAnswerRequest(answer_id="wait")))

    assert raised.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert details(raised)["ErrorInfo"].reason == "ERROR_REASON_DEADLINE_EXCEEDED"


async def test_metrics_exist_for_every_method_before_the_first_call() -> None:
    """Series of all methods and codes are there with 0, and few enough."""
    async with serving(Answers()) as (_, stub, metrics):
        before = handled(metrics, "Explain", "OK")
        await stub.GetAnswer(GET)

    lines = [line for line in metrics.text().splitlines() if not line.startswith("#")]
    assert before == 0
    assert handled(metrics, "GetAnswer", "OK") == 1
    assert sample(metrics, "grpc_server_msg_sent_total", **labels_of("GetAnswer")) == 1
    assert sample(metrics, "grpc_server_handling_seconds_count", **labels_of("GetAnswer")) == 1
    assert sample(metrics, "cgrag_build_info", service="orchestrator", version="1.2.3") == 1
    assert len(lines) < 700


async def test_each_call_is_one_log_event() -> None:
    """The event has service, method, code, time, count of messages; nothing of the request."""
    servicer = Answers()
    servicer.release.set()
    async with serving(servicer) as (_, stub, _):
        with structlog.testing.capture_logs() as logs:
            [event async for event in stub.Ask(ASK)]

    finished = [log for log in logs if log["event"] == "rpc.finished"]
    assert len(finished) == 1
    assert (finished[0]["method"], finished[0]["code"], finished[0]["messages_sent"]) == ("Ask", "OK", 2)


async def test_a_caller_whose_name_is_malformed_is_refused() -> None:
    """It is told why; the handler does not run."""
    servicer = Answers()
    async with serving(servicer) as (_, stub, _):
        raised = await refusal(stub.GetAnswer(GET, metadata=((callers.CALLER_KEY, "two words"),)))

    assert raised.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert servicer.seen == []


async def test_client_streams_pass_the_same_layers() -> None:
    """A method that takes a stream gets its messages, and its errors become statuses."""

    base: Any = indexer_pb2_grpc.IndexerServiceServicer

    class Findings(base):  # type: ignore[misc]  # abstract for mypy
        async def ImportFindings(self, request_iterator: Any, context: Any) -> Any:
            count = len([request async for request in request_iterator])
            raise InvalidArgument(f"{count} messages")

    metrics = Metrics("indexer")
    service = indexer_pb2.DESCRIPTOR.services_by_name["IndexerService"]
    registration = ServiceRegistration(service, indexer_pb2_grpc.add_IndexerServiceServicer_to_server, Findings())
    server = build_server(ServerSettings(), [registration], metrics=metrics)
    async with server, open_channel(f"127.0.0.1:{server.port}") as channel:
        stub: Any = indexer_pb2_grpc.IndexerServiceStub(channel)
        raised = await refusal(stub.ImportFindings(indexer_pb2.ImportFindingsRequest() for _ in range(3)))

    assert isinstance(errors_from_status(raised, dependency="indexer"), InvalidArgument)
    assert raised.details() == "3 messages"


async def test_any_bytes_get_an_answer() -> None:
    """Random bytes are a message or INVALID_ARGUMENT, and the server goes on serving."""
    dice = random.Random(7)
    async with (
        serving(Answers()) as (server, stub, _),
        grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel,
    ):
        send: Any = channel.unary_unary(f"/{SERVICE.full_name}/GetAnswer")
        codes = {await send(dice.randbytes(dice.randrange(200)), timeout=2).code() for _ in range(300)}
        call = stub.GetAnswer(GET)
        await call

    assert codes <= {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT}
    assert await call.code() is grpc.StatusCode.OK


async def test_unreadable_messages_are_counted_and_named() -> None:
    """A request too deep or broken is INVALID_ARGUMENT with its reason; one too large is RESOURCE_EXHAUSTED."""
    deep = b""
    for _ in range(200):
        deep = b"\x0b" + deep + b"\x0c"
    async with (
        serving(Answers(), settings=ServerSettings(max_message_bytes=1024)) as (server, _, metrics),
        grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel,
    ):
        send: Any = channel.unary_unary(f"/{SERVICE.full_name}/GetAnswer")
        errors = []
        for data in (b"\xff", deep, b"\x0a" * 2000):
            raised = await refusal(send(data))
            errors.append(raised)

    invalid, exhausted = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED
    assert [error.code() for error in errors] == [invalid, invalid, exhausted]
    assert details(errors[0])["ErrorInfo"].reason == "ERROR_REASON_INVALID_ARGUMENT"
    assert handled(metrics, "GetAnswer", "INVALID_ARGUMENT") == 2


async def _call(stub: Any, method: str, request: Any) -> None:
    if method == "Ask":
        [event async for event in stub.Ask(ASK)]
    else:
        await stub.GetAnswer(request)
