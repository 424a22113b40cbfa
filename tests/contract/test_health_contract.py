"""Health, by one suite over the servicer alone, the health port and the main port."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import grpc
import grpc_testing
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from common.rpc.serving.health import POLL_SECONDS, STALE_AFTER_SECONDS, HealthServer, HealthServicer, HealthState
from tests.fakes.answering import SERVICE, Answers, refusal, sample, serving
from tests.fakes.clock import FakeClock

HEALTH = health_pb2.DESCRIPTOR.services_by_name["Health"]
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
SERVICE_UNKNOWN = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN


class CountingClock(FakeClock):
    """Remembers how often it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    def monotonic(self) -> float:
        self.looks += 1
        return super().monotonic()


class Probe:
    """What decides readiness in these tests."""

    def __init__(self) -> None:
        self.is_ready = True
        self.error: Exception | None = None

    async def __call__(self) -> bool:
        if self.error is not None:
            raise self.error
        return self.is_ready


class TestServicer:
    """The servicer itself, without a connection, with time that is told."""

    def _check(self, state: HealthState, service: str) -> tuple[int, grpc.StatusCode]:
        server = grpc_testing.server_from_dictionary({HEALTH: HealthServicer(state)}, grpc_testing.strict_real_time())
        method = HEALTH.methods_by_name["Check"]
        call = server.invoke_unary_unary(method, (), health_pb2.HealthCheckRequest(service=service), None)
        response, _, code, _ = call.termination()
        return (response.status if response is not None else 0), code

    def test_alive_is_not_ready(self) -> None:
        """ "" is alive at once; the service is ready only when it says so; others are not found."""
        state = HealthState(["a.B"], FakeClock())
        before = [self._check(state, name)[0] for name in ("", "a.B")]
        state.set_ready(ready=True)
        after = [self._check(state, name)[0] for name in ("", "a.B")]

        assert before == [SERVING, NOT_SERVING]
        assert after == [SERVING, SERVING]
        assert self._check(state, "a.C")[1] is grpc.StatusCode.NOT_FOUND

    def test_a_stuck_event_loop_is_not_alive(self) -> None:
        """Without a heartbeat nothing is SERVING; with the next one all is again."""
        clock = FakeClock()
        state = HealthState(["a.B"], clock)
        state.set_ready(ready=True)
        clock.advance(STALE_AFTER_SECONDS + 0.1)
        stuck = [self._check(state, name)[0] for name in ("", "a.B")]
        state.beat()

        assert stuck == [NOT_SERVING, NOT_SERVING]
        assert self._check(state, "a.B")[0] == SERVING

    def test_a_stopping_process_is_alive_and_not_ready(self) -> None:
        """Draining takes readiness away for good, and leaves the process alive."""
        state = HealthState(["a.B"], FakeClock())
        state.stop()
        state.set_ready(ready=True)

        assert [self._check(state, name)[0] for name in ("", "a.B")] == [SERVING, NOT_SERVING]


@pytest.mark.parametrize("port_name", ["port", "health_port"])
class TestServers:
    """A whole server, asked on either port."""

    async def test_check(self, port_name: str) -> None:
        """Alive, ready and unknown are told apart."""
        async with health_of(port_name) as (stub, _):
            await until(stub, SERVICE.full_name, SERVING)
            alive = await stub.Check(health_pb2.HealthCheckRequest())
            with pytest.raises(grpc.aio.AioRpcError) as raised:
                await stub.Check(health_pb2.HealthCheckRequest(service="no.Such"))

        assert alive.status == SERVING
        assert raised.value.code() is grpc.StatusCode.NOT_FOUND

    async def test_readiness_follows_the_probe(self, port_name: str) -> None:
        """A service that cannot serve is NOT_SERVING while its process is alive."""
        async with health_of(port_name) as (stub, probe):
            await until(stub, SERVICE.full_name, SERVING)
            probe.is_ready = False
            await until(stub, SERVICE.full_name, NOT_SERVING)
            alive = await stub.Check(health_pb2.HealthCheckRequest())

        assert alive.status == SERVING

    async def test_a_probe_that_fails_is_not_ready(self, port_name: str) -> None:
        """Whatever a probe raises means no, for as long as it does; the process stays alive."""
        async with health_of(port_name) as (stub, probe):
            await until(stub, SERVICE.full_name, SERVING)
            probe.error = KeyError("gone")
            await until(stub, SERVICE.full_name, NOT_SERVING)
            alive = await stub.Check(health_pb2.HealthCheckRequest())
            probe.error = None
            await until(stub, SERVICE.full_name, SERVING)

        assert alive.status == SERVING

    async def test_metrics_say_so_too(self, port_name: str) -> None:
        """Nobody has to ask for health to learn of a service that cannot serve."""
        probe = Probe()
        async with (
            serving(Answers(), ready=probe) as (server, _, metrics),
            grpc.aio.insecure_channel(f"127.0.0.1:{getattr(server, port_name)}") as channel,
        ):
            stub = health_pb2_grpc.HealthStub(channel)
            await until(stub, SERVICE.full_name, SERVING)
            before = sample(metrics, "cgrag_ready")
            probe.is_ready = False
            await until(stub, SERVICE.full_name, NOT_SERVING)

        assert (before, sample(metrics, "cgrag_ready")) == (1, 0)

    async def test_watch_tells_each_change(self, port_name: str) -> None:
        """The stream begins with the present and goes on with what changes; unknown services are told as such."""
        async with health_of(port_name) as (stub, probe):
            await until(stub, SERVICE.full_name, SERVING)
            watching = stub.Watch(health_pb2.HealthCheckRequest(service=SERVICE.full_name))
            seen = [(await watching.read()).status]
            probe.is_ready = False
            seen.append((await watching.read()).status)
            watching.cancel()
            unknown = stub.Watch(health_pb2.HealthCheckRequest(service="no.Such"))
            seen.append((await unknown.read()).status)
            unknown.cancel()

        assert seen == [SERVING, NOT_SERVING, SERVICE_UNKNOWN]


async def test_watchers_cannot_starve_checks() -> None:
    """More watchers than threads: some are refused, and a check is still answered."""
    async with health_of("health_port") as (stub, _):
        watching = [stub.Watch(health_pb2.HealthCheckRequest()) for _ in range(12)]
        answers = await asyncio.gather(*(call.read() for call in watching), return_exceptions=True)
        alive = await stub.Check(health_pb2.HealthCheckRequest(), timeout=2)
        for call in watching:
            call.cancel()

    refused = [answer for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]
    assert alive.status == SERVING
    assert refused
    assert {error.code() for error in refused} == {grpc.StatusCode.RESOURCE_EXHAUSTED}


async def test_calls_that_say_nothing_cannot_starve_checks() -> None:
    """More heads of calls than threads, and no request behind them: a check is still answered, on the same port."""
    server = HealthServer(HealthState(["a.B"], FakeClock()), "127.0.0.1:0")
    server.start()
    async with heads_alone(server.port) as heads, grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        gave_way = asyncio.Event()
        for head in heads:
            head.add_done_callback(lambda _: gave_way.set())
        async with asyncio.timeout(30):
            await gave_way.wait()  # so all threads were taken
        alive = [await stub.Check(health_pb2.HealthCheckRequest(), timeout=30) for _ in range(3)]
        waiting = sum(not head.done() for head in heads)
    await asyncio.to_thread(server.stop)

    assert [each.status for each in alive] == [SERVING] * 3
    assert waiting > 0


async def test_who_watches_a_draining_process_takes_no_time_from_it() -> None:
    """It is alive until running calls are done; who watches that has a look now and then, as before."""
    clock = CountingClock()
    state = HealthState(["a.B"], clock)
    server = HealthServer(state, "127.0.0.1:0")
    server.start()
    state.stop()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        watching = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        seen = (await watching.read()).status
        began, before = time.monotonic(), clock.looks
        async with asyncio.timeout(30):
            while clock.looks < before + 3:  # noqa: ASYNC110 (they are another thread's)
                await asyncio.sleep(0.02)
        took = time.monotonic() - began
        watching.cancel()
    await asyncio.to_thread(server.stop)

    assert seen == SERVING
    assert took > POLL_SECONDS


async def test_watchers_of_the_main_port_are_bounded() -> None:
    """Beyond a thousand they are refused, and when one leaves there is room again."""
    request = health_pb2.HealthCheckRequest()
    async with health_of("port") as (stub, _):
        watching = [stub.Watch(request) for _ in range(1000)]
        seen = [(await call.read()).status for call in watching]
        refused = await refusal(stub.Watch(request).read())
        watching.pop().cancel()
        later = await until_watched(stub)
        for call in watching:
            call.cancel()

    assert seen == [SERVING] * 1000
    assert refused.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert later == SERVING


async def test_health_answers_while_the_event_loop_hangs() -> None:
    """The health port has threads of its own: it answers, and tells that the loop does not turn."""
    clock = FakeClock()
    state = HealthState(["a.B"], clock)
    server = HealthServer(state, "127.0.0.1:0")
    server.start()
    seen: list[int] = []

    def ask() -> None:
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            seen.append(stub.Check(health_pb2.HealthCheckRequest()).status)
            clock.advance(STALE_AFTER_SECONDS + 1)
            seen.append(stub.Check(health_pb2.HealthCheckRequest()).status)

    asking = threading.Thread(target=ask)
    asking.start()
    asking.join()  # this blocks the event loop, on purpose
    server.stop()

    assert seen == [SERVING, NOT_SERVING]


@asynccontextmanager
async def health_of(port_name: str) -> AsyncIterator[tuple[health_pb2_grpc.HealthStub, Probe]]:
    probe = Probe()
    ready: Callable[[], Awaitable[bool]] = probe
    async with (
        serving(Answers(), ready=ready) as (server, _, _),
        grpc.aio.insecure_channel(f"127.0.0.1:{getattr(server, port_name)}") as channel,
    ):
        yield health_pb2_grpc.HealthStub(channel), probe


@asynccontextmanager
async def heads_alone(port: int) -> AsyncIterator[list[grpc.aio.StreamUnaryCall[bytes, bytes]]]:
    """Begin many checks and watches, and leave them at that."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        heads: list[grpc.aio.StreamUnaryCall[bytes, bytes]] = [
            channel.stream_unary(f"/grpc.health.v1.Health/{method}")()  # its head goes out, and nothing is written
            for method in ("Check", "Watch")
            for _ in range(100)
        ]
        yield heads
        for head in heads:
            head.cancel()


async def until_watched(stub: health_pb2_grpc.HealthStub) -> int:
    """Watch until there is room; fails after 30 s."""
    async with asyncio.timeout(30):
        while True:
            watching = stub.Watch(health_pb2.HealthCheckRequest())
            try:
                return int((await watching.read()).status)
            except grpc.aio.AioRpcError:
                continue  # the one that left is still there
            finally:
                watching.cancel()


async def until(stub: health_pb2_grpc.HealthStub, service: str, status: int) -> None:
    """Wait until a service has this status; fails after 30 s."""
    async with asyncio.timeout(30):
        while (await stub.Check(health_pb2.HealthCheckRequest(service=service))).status != status:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
