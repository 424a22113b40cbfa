"""Certificate files that change, and channels that follow them."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
import structlog
from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc

from common.core.errors import StartupError
from common.rpc.client.renewing import (
    LOOK_SECONDS,
    CertificateFiles,
    RenewedChannel,
    RenewedCredentials,
    UnfitCertificates,
)
from common.rpc.settings import ServerSettings
from common.rpc.tls import peer_credentials, server_credentials
from tests.fakes.answering import ASK, GET, Answers, eventually, serving
from tests.fakes.authority import Authority, Pair
from tests.fakes.clock import FakeClock

SHUTDOWN = grpc.ChannelConnectivity.SHUTDOWN


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> tuple[Pair, Pair]:
    """Two certificates of one authority."""
    authority = Authority(tmp_path_factory.mktemp("renewing") / "authority")
    return authority.issue("first"), authority.issue("second")


@pytest.fixture
def pair(tmp_path: Path, issued: tuple[Pair, Pair]) -> Pair:
    """The first of them, where a test may change it."""
    placed = Pair(tmp_path / "ca.pem", tmp_path / "cert.pem", tmp_path / "key.pem")
    placed.replace(issued[0])
    return placed


def test_what_does_not_fit_together_leaves_the_old_in_force(pair: Pair, issued: tuple[Pair, Pair]) -> None:
    """Files that are replaced one by one are taken when the last is there; what is wrong till then is told once."""
    told: list[str] = []
    clock = FakeClock()
    credentials = RenewedCredentials(
        CertificateFiles(pair.authority, pair.certificate, pair.key, told.append), clock.monotonic
    )
    first = credentials.current()
    pair.certificate.write_bytes(issued[1].certificate.read_bytes())
    for _ in range(3):
        clock.advance(LOOK_SECONDS)
        assert credentials.current() is first
    pair.key.write_bytes(issued[1].key.read_bytes())
    assert credentials.current() is first, "within a second nobody looks"
    clock.advance(LOOK_SECONDS)
    second = credentials.current()

    assert second is not first
    assert told == [f"{pair.certificate} and its key {pair.key} do not belong together", ""]
    clock.advance(LOOK_SECONDS)
    assert credentials.current() is second


def test_files_that_are_away_for_a_while_leave_the_old_in_force(pair: Pair) -> None:
    """A Secret that is mounted anew is missing for a moment; each time is told."""
    told: list[str] = []
    files = CertificateFiles(pair.authority, pair.certificate, pair.key, told.append)
    before = files.read
    for _ in range(2):
        away = pair.key.rename(pair.key.with_suffix(".away"))
        assert not files.look()
        away.rename(pair.key)
        assert not files.look()

    assert files.read is before
    assert told == [f"{pair.key}: cannot be read (No such file or directory)"] * 2


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ("authority", r"ca\.pem: holds no certificate \(PEM\)"),
        ("certificate", r"cert\.pem and its key .*key\.pem are not both PEM"),
        ("key", r"cert\.pem and its key .*key\.pem are not both PEM"),
    ],
)
def test_what_is_no_certificate_is_refused_at_the_start(pair: Pair, broken: str, problem: str) -> None:
    """At both ends: gRPC itself takes anything, and then no connection comes about."""
    getattr(pair, broken).write_text("no PEM", encoding="utf-8")
    settings = ServerSettings(
        tls_certificate_file=pair.certificate, tls_key_file=pair.key, tls_client_ca_file=pair.authority
    )
    with pytest.raises(StartupError, match=rf"{problem}; check the tls_\* settings"):
        server_credentials(settings)
    with pytest.raises(StartupError, match=rf"{problem}; check the peer_\* settings"):
        peer_credentials(pair.authority, pair.certificate, pair.key)


def test_a_key_that_cannot_be_read_is_refused(pair: Pair) -> None:
    """With its name and the reason."""
    pair.key.unlink()
    pair.key.mkdir()
    with pytest.raises(UnfitCertificates, match=r"key\.pem: cannot be read \(Is a directory\)"):
        CertificateFiles(pair.authority, pair.certificate, pair.key, lambda _: None)


def test_how_strong_a_key_is_is_not_asked(tmp_path: Path) -> None:
    """What gRPC takes is taken: the check is for files that do not fit."""
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = f"openssl req -x509 -newkey rsa:1024 -nodes -days 2 -subj /CN=localhost -keyout {key} -out {certificate}"
    subprocess.run(command.split(), check=True, capture_output=True)

    assert CertificateFiles(None, certificate, key, lambda _: None).read.key == key.read_bytes()


async def test_a_server_tells_what_it_does_with_changed_files(pair: Pair, issued: tuple[Pair, Pair]) -> None:
    """One that does not fit is a warning, and connections go on; one that fits is noted down."""
    settings = ServerSettings(tls_certificate_file=pair.certificate, tls_key_file=pair.key)
    outcomes: list[grpc.StatusCode] = []
    with structlog.testing.capture_logs() as lines:
        async with serving(Answers(), settings=settings) as (server, _, _):
            for changed in ("certificate", "key"):
                getattr(pair, changed).write_bytes(getattr(issued[1], changed).read_bytes())
                credentials = grpc.ssl_channel_credentials(pair.authority.read_bytes())
                async with grpc.aio.secure_channel(f"localhost:{server.port}", credentials) as channel:
                    call = orchestrator_pb2_grpc.OrchestratorServiceStub(channel).GetAnswer(GET, timeout=10)
                    outcomes.append(await call.code())

    assert outcomes == [grpc.StatusCode.OK] * 2
    assert [each["event"] for each in lines if each["event"].startswith("tls.")] == [
        "tls.files_refused",
        "tls.files_read",
    ]


class Renewed:
    """A channel in the clear whose credentials a test changes, and the channels that were opened for it."""

    def __init__(self, port: int) -> None:
        self.opened: list[grpc.aio.Channel] = []
        self._port = port
        self.credentials = grpc.local_channel_credentials()
        self.channel = RenewedChannel(self._open, lambda: self.credentials)
        self.stub: Any = orchestrator_pb2_grpc.OrchestratorServiceStub(self.channel)

    def _open(self, credentials: grpc.ChannelCredentials) -> grpc.aio.Channel:
        self.opened.append(grpc.aio.insecure_channel(f"127.0.0.1:{self._port}"))
        return self.opened[-1]

    def change(self) -> None:
        self.credentials = grpc.local_channel_credentials()


async def test_a_call_that_runs_keeps_its_channel_until_it_ends() -> None:
    """However often the credentials change; then the channel is closed."""
    answers = Answers()
    async with serving(answers) as (server, _, _):
        renewed = Renewed(server.port)
        stream = renewed.stub.Ask(ASK, timeout=30)
        await stream.read()
        for _ in range(3):
            renewed.change()
            await renewed.stub.GetAnswer(GET, timeout=10)
        states = [each.get_state() for each in renewed.opened]
        answers.release.set()
        second = await stream.read()
        assert await stream.read() is grpc.aio.EOF
        await eventually(lambda: renewed.opened[0].get_state() is SHUTDOWN)
        await renewed.channel.close()

    assert second.sequence == 2
    assert [state is SHUTDOWN for state in states] == [False, True, True, False]
    assert renewed.opened[-1].get_state() is SHUTDOWN


async def test_a_call_that_has_only_begun_when_the_credentials_change_is_made() -> None:
    """Nothing has been sent of it yet, and its channel is already an old one."""
    async with serving(Answers()) as (server, _, _):
        renewed = Renewed(server.port)
        begun = renewed.stub.GetAnswer(GET, timeout=10)
        renewed.change()
        after = renewed.stub.GetAnswer(GET, timeout=10)

        assert [await begun.code(), await after.code()] == [grpc.StatusCode.OK] * 2
        await eventually(lambda: renewed.opened[0].get_state() is SHUTDOWN)
        await renewed.channel.close()


async def test_closing_ends_calls_of_old_channels_too() -> None:
    """Nobody is left waiting for a stream of a channel that is closed, however old it is."""
    answers = Answers()
    async with AsyncExitStack() as stack:
        server, _, _ = await stack.enter_async_context(serving(answers))
        renewed = Renewed(server.port)
        stream = renewed.stub.Ask(ASK, timeout=30)
        await stream.read()
        for _ in range(3):
            renewed.change()
            await renewed.stub.GetAnswer(GET, timeout=10)
        await renewed.channel.close()
        code = await stream.code()

    assert code is grpc.StatusCode.CANCELLED
    assert {each.get_state() for each in renewed.opened} == {SHUTDOWN}


async def test_every_shape_of_method_follows() -> None:
    """A stub of all four shapes is made once, and calls what is there now."""
    shapes = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")
    async with serving(Answers()) as (server, _, _):
        renewed = Renewed(server.port)
        request = orchestrator_pb2.GetAnswerRequest.SerializeToString
        methods = [getattr(renewed.channel, shape)("/a.B/C", request_serializer=request) for shape in shapes]
        renewed.change()
        codes, refused = [], asyncio.Event()

        async def nothing() -> AsyncIterator[object]:
            # A request that is sent while the refusal comes in may be told as an error of its own.
            await refused.wait()
            return
            yield

        for method, shape in zip(methods, shapes, strict=True):
            call = method(GET if shape.startswith("unary") else nothing(), timeout=10)
            codes.append(await call.code())
        refused.set()
        await renewed.channel.close()

    assert codes == [grpc.StatusCode.UNIMPLEMENTED] * 4
    assert len(renewed.opened) == 2
