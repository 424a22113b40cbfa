"""The client whose certificates are replaced while it lives: what fits is taken, and calls go over what is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc

from cgrag_client.connecting.tls import RenewedCredentials, open_channel
from cgrag_client.errors import UsageError
from common.rpc.settings import ServerSettings
from tests.fakes.answering import ASK, GET, Answers, serving
from tests.fakes.authority import Authority, Pair


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> tuple[Pair, Pair]:
    """Two certificates of one authority."""
    authority = Authority(tmp_path_factory.mktemp("certificates") / "authority")
    return authority.issue("first"), authority.issue("second")


@pytest.fixture
def pair(tmp_path: Path, issued: tuple[Pair, Pair]) -> Pair:
    """The first of them, where a test may change it."""
    placed = Pair(tmp_path / "ca.pem", tmp_path / "cert.pem", tmp_path / "key.pem")
    placed.replace(issued[0])
    return placed


def credentials_of(pair: Pair) -> RenewedCredentials:
    return RenewedCredentials(pair.authority, (pair.certificate, pair.key))


def test_what_does_not_fit_together_leaves_the_old_in_force(pair: Pair, issued: tuple[Pair, Pair]) -> None:
    """Files that are replaced one by one are taken when the last is there, and once."""
    credentials = credentials_of(pair)
    first = credentials.current()
    pair.certificate.write_bytes(issued[1].certificate.read_bytes())
    between = credentials.current()
    pair.key.write_bytes(issued[1].key.read_bytes())
    second = credentials.current()

    assert between is first
    assert second is not first
    assert credentials.current() is second


def test_files_that_are_away_for_a_while_leave_the_old_in_force(pair: Pair) -> None:
    """A Secret that is mounted anew is missing for a moment."""
    credentials = credentials_of(pair)
    first = credentials.current()
    away = pair.key.rename(pair.key.with_suffix(".away"))
    between = credentials.current()
    away.rename(pair.key)

    assert between is first
    assert credentials.current() is first


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ("authority", r"ca\.pem: holds no certificate \(PEM\); check ca_file,"),
        ("certificate", r"cert\.pem and its key .*key\.pem are not both PEM; check"),
        ("key", r"cert\.pem and its key .*key\.pem are not both PEM; check"),
    ],
)
def test_what_is_no_certificate_is_refused_at_the_start(pair: Pair, broken: str, problem: str) -> None:
    """Before a call fails, which would not say why."""
    getattr(pair, broken).write_text("no PEM", encoding="utf-8")
    with pytest.raises(UsageError, match=problem):
        credentials_of(pair)


def test_a_certificate_with_the_key_of_another_is_refused_at_the_start(pair: Pair, issued: tuple[Pair, Pair]) -> None:
    """With the names of both."""
    pair.key.write_bytes(issued[1].key.read_bytes())
    with pytest.raises(UsageError, match=r"cert\.pem and its key .*key\.pem do not belong together"):
        credentials_of(pair)


class Shown(Answers):
    """Remembers by which certificates it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    async def GetAnswer(self, request: Any, context: Any) -> Any:
        """Answer at once."""
        self.names.append(context.auth_context()["x509_common_name"][0].decode())
        return orchestrator_pb2.Answer()


class Calling:
    """A server over TLS that asks for certificates, and a channel of the client to it."""

    def __init__(self, pair: Pair, own: Pair) -> None:
        self.answers = Shown()
        self._pair = pair
        self._settings = ServerSettings(
            tls_certificate_file=own.certificate, tls_key_file=own.key, tls_client_ca_file=own.authority
        )
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Calling:
        server, _, _ = await self._stack.enter_async_context(serving(self.answers, settings=self._settings))
        self.channel = open_channel(f"localhost:{server.port}", credentials_of(self._pair))
        self.stub: Any = orchestrator_pb2_grpc.OrchestratorServiceStub(self.channel)
        self._stack.push_async_callback(self.channel.close)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()


async def test_a_stream_goes_on_and_calls_that_follow_show_the_new(pair: Pair, issued: tuple[Pair, Pair]) -> None:
    """Nobody loses what runs, and nobody asks with what was replaced."""
    async with Calling(pair, issued[0]) as calling:
        stream = calling.stub.Ask(ASK, timeout=30)
        first = await stream.read()
        await calling.stub.GetAnswer(GET, timeout=10)
        pair.replace(issued[1])
        await calling.stub.GetAnswer(GET, timeout=10)
        calling.answers.release.set()
        second = await stream.read()

    assert (first.sequence, second.sequence) == (1, 2)
    assert calling.answers.names == ["first", "second"]


async def test_closing_ends_streams_that_began_before_the_change(pair: Pair, issued: tuple[Pair, Pair]) -> None:
    """Nobody is left waiting for a stream of a channel that is closed."""
    async with Calling(pair, issued[0]) as calling:
        stream = calling.stub.Ask(ASK, timeout=30)
        await stream.read()
        pair.replace(issued[1])
        await calling.stub.GetAnswer(GET, timeout=10)
        await calling.channel.close()
        code = await stream.code()

    assert code is grpc.StatusCode.CANCELLED


async def test_all_four_shapes_of_methods_are_there(pair: Pair, issued: tuple[Pair, Pair]) -> None:
    """A contract may gain one of each."""
    shapes = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")
    async with Calling(pair, issued[0]) as calling:
        request = orchestrator_pb2.GetAnswerRequest.SerializeToString
        methods = [getattr(calling.channel, shape)("/a.B/C", request_serializer=request) for shape in shapes]
        codes, answered = [], asyncio.Event()

        async def silence() -> AsyncIterator[object]:
            # What is sent while the refusal comes in may be told as an error of its own.
            await answered.wait()
            for request in list[object]():
                yield request

        for method, shape in zip(methods, shapes, strict=True):
            call = method(GET if shape.startswith("unary") else silence(), timeout=10)
            codes.append(await call.code())
        answered.set()

    assert codes == [grpc.StatusCode.UNIMPLEMENTED] * 4
