"""Callers that begin calls and connections and say no more: they cost little, and others are served."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from common.rpc.client.channels import open_channel
from common.rpc.settings import ServerSettings
from tests.fakes.answering import ASK, GET, SERVICE, Answers, refusal, sample, serving
from tests.fakes.authority import Authority
from tests.fakes.http2_peer import MAX_CONCURRENT_STREAMS, PREFACE, SETTINGS, Frame, connected, is_end

MOST_WAITING = 128
GET_PATH = f"/{SERVICE.full_name}/GetAnswer"
ASK_PATH = f"/{SERVICE.full_name}/Ask"
CHECK_PATH = "/grpc.health.v1.Health/Check"
SHED = "cgrag_shed_total"


@pytest.mark.parametrize("path", [GET_PATH, ASK_PATH, CHECK_PATH])
async def test_of_calls_without_a_request_the_longest_give_way(path: str) -> None:
    """So many are waited for, those of health apart; the server may take a few up in another order than they began."""
    async with serving(Answers()) as (server, stub, metrics), connected(server.port) as hostile:
        hostile.greet()
        calls = [hostile.begin(path) for _ in range(MOST_WAITING + 20)]
        ended: list[Frame] = []
        is_one = [is_end(call) for call in calls]

        def is_last(frame: Frame) -> bool:
            ended.extend([frame] if any(is_it(frame) for is_it in is_one) else [])
            return len(ended) == 20

        await hostile.until(is_last)
        await stub.GetAnswer(GET)

        assert b"grpc-status\x018" in ended[0].body
        assert len({each.stream for each in ended} & set(calls[:20])) > 10
        assert sample(metrics, SHED, reason="silence") == (0 if path == CHECK_PATH else 21)


@pytest.mark.parametrize("path", [GET_PATH, ASK_PATH, CHECK_PATH])
async def test_a_call_that_ends_without_a_request_is_told_so(path: str) -> None:
    """Its caller would wait until its deadline."""
    async with serving(Answers()) as (server, _, _), connected(server.port) as hostile:
        hostile.greet()
        end = await hostile.until(is_end(hostile.begin(path, ends=True)))

        assert b"grpc-status\x013" in end.body


async def test_open_streams_of_reflection_have_a_limit() -> None:
    """They count apart from those of the service."""
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    settings = ServerSettings(max_concurrent_calls=2)
    async with (
        serving(Answers(), settings=settings) as (server, stub, _),
        open_channel(f"127.0.0.1:{server.port}") as channel,
    ):
        begin = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo
        held: list[Any] = [begin() for _ in range(2)]
        for each in held:
            await each.write(request)
            assert {service.name for service in (await each.read()).list_services_response.service} >= {
                SERVICE.full_name
            }
        refused = begin(iter([request]))
        raised = await refusal(refused.read())
        await stub.GetAnswer(GET)
        for each in held:
            await each.done_writing()

    assert raised.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_one_connection_may_have_far_more_calls_open_than_are_admitted() -> None:
    """And no more: what is beyond is refused before it costs anything."""
    settings = ServerSettings(max_concurrent_calls=30, reflection=False)
    async with serving(Answers(), settings=settings) as (server, _, _), connected(server.port) as peer:
        peer.greet()
        told = (await peer.until(lambda frame: frame.kind == SETTINGS)).body
        pairs = {int.from_bytes(told[at : at + 2], "big"): told[at + 2 : at + 6] for at in range(0, len(told), 6)}

        assert int.from_bytes(pairs[MAX_CONCURRENT_STREAMS], "big") == 3 * 2 * 30 + 1000


@pytest.mark.parametrize("port", ["port", "health_port"])
@pytest.mark.parametrize("said", [b"", PREFACE])
async def test_a_connection_that_does_not_begin_is_closed(said: bytes, port: str) -> None:
    """It has so long to greet."""
    settings = ServerSettings(handshake_seconds=0.2)
    async with serving(Answers(), settings=settings) as (server, _, _), connected(getattr(server, port)) as silent:
        silent.say(said)
        await silent.closed()


@pytest.mark.parametrize("said", [b"", b"\x16\x03\x01\x02\x00\x01\x00"])
async def test_tls_that_does_not_begin_is_closed(tmp_path: Path, said: bytes) -> None:
    """The same where certificates are shown: with nothing said, or half of the first message."""
    pair = Authority(tmp_path / "ca").issue("localhost")
    settings = ServerSettings(handshake_seconds=0.2, tls_certificate_file=pair.certificate, tls_key_file=pair.key)
    async with serving(Answers(), settings=settings) as (server, _, _), connected(server.port) as silent:
        silent.say(said)
        await silent.closed()


@pytest.mark.parametrize("port", ["port", "health_port"])
async def test_connections_have_a_bound(port: str) -> None:
    """What comes beyond is closed; there is room again when one goes."""
    settings = ServerSettings(max_connections=3)
    async with serving(Answers(), settings=settings) as (server, _, _), AsyncExitStack() as stack:
        number = getattr(server, port)
        held = []
        for _ in range(3):
            held.append(await stack.enter_async_context(connected(number)))
            held[-1].greet()
            await held[-1].until(lambda frame: frame.kind == SETTINGS)
        async with connected(number) as late:
            await late.closed()
        await stack.aclose()

        await eventually_greeted(number)


@pytest.mark.parametrize("port", ["port", "health_port"])
async def test_a_connection_without_calls_is_closed(port: str) -> None:
    """It would keep its place from others for good; one with a call that runs stays, however silent that is."""
    settings = ServerSettings(max_connection_idle_seconds=0.2)
    answers = Answers()
    async with serving(answers, settings=settings) as (server, stub, _):
        call = stub.Ask(ASK)
        first = await call.read()
        for _ in range(2):
            async with connected(getattr(server, port)) as idle:
                idle.greet()
                await idle.closed()
        answers.release.set()
        second = await call.read()

    assert (first.sequence, second.sequence) == (1, 2)


async def eventually_greeted(port: int) -> None:
    """Return when a new connection is answered."""
    async with asyncio.timeout(30):
        while True:
            async with connected(port) as peer:
                peer.greet()
                try:
                    await peer.until(lambda frame: frame.kind == SETTINGS)
                except (asyncio.IncompleteReadError, ConnectionError):
                    continue
                return
