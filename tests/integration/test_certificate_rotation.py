"""Certificates that are replaced while calls run: both ends take up the new ones, and no call fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc

from cgrag_client import Client, ClientSettings
from common.rpc.channels import open_channel, service_config
from common.rpc.settings import ServerSettings
from common.rpc.tls import peer_credentials
from tests.fakes.answering import ASK, GET, SERVICE, Answers, serving
from tests.fakes.authority import Authority, Pair

LIFETIME = timedelta(seconds=4)


class Asked(Answers):
    """Remembers by which certificates it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    async def GetAnswer(self, request: Any, context: Any) -> Any:
        """Answer at once."""
        self.shown.append(context.auth_context()["x509_common_name"][0].decode())
        return orchestrator_pb2.Answer()


class Rotation:
    """A server and callers that show certificates which expire soon, and others to put in their place."""

    def __init__(self, folder: Path) -> None:
        authority = Authority(folder / "authority")
        self.expires = datetime.now(UTC) + LIFETIME
        self._fresh = authority.issue("fresh")
        self.server, self.caller = (
            self._place(folder / name, authority.issue(f"old-{name}", LIFETIME)) for name in "sc"
        )

    def _place(self, folder: Path, pair: Pair) -> Pair:
        folder.mkdir()
        placed = Pair(folder / "ca.pem", folder / "cert.pem", folder / "key.pem")
        placed.replace(pair)
        return placed

    @asynccontextmanager
    async def served(self, answers: Answers) -> AsyncIterator[int]:
        """Serve, with connections that do not live long: those that follow are made with what is there by then."""
        settings = ServerSettings(
            tls_certificate_file=self.server.certificate,
            tls_key_file=self.server.key,
            tls_client_ca_file=self.server.authority,
            max_connection_age_seconds=0.3,
        )
        async with serving(answers, settings=settings) as (server, _, _):
            yield server.port

    async def survived_by(self, call: Any, answers: Asked) -> set[str]:
        """Replace all files while calls are made, and go on until the old ones have expired; return who called then."""
        calls = 0
        before = 0
        while datetime.now(UTC) < self.expires + timedelta(seconds=1.5):
            if datetime.now(UTC) < self.expires:
                before = calls
            await call()
            calls += 1
            if calls == 5:
                self.server.replace(self._fresh)
                self.caller.replace(self._fresh)
            await asyncio.sleep(0.01)
        assert len(answers.shown) == calls
        return set(answers.shown[before + 1 :])


@pytest.fixture
def rotation(tmp_path: Path) -> Rotation:
    return Rotation(tmp_path)


async def test_services_go_on_over_new_certificates(rotation: Rotation) -> None:
    """Each call is answered, a stream that runs is not broken, and those that follow show the new certificate."""
    answers = Asked()
    pair = rotation.caller
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(rotation.served(answers))
        channel = open_channel(
            f"localhost:{port}",
            config=service_config(SERVICE.full_name, ["GetAnswer"]),
            credentials=peer_credentials(pair.authority, pair.certificate, pair.key),
        )
        stub: Any = orchestrator_pb2_grpc.OrchestratorServiceStub(await stack.enter_async_context(channel))
        stream = stub.Ask(ASK, timeout=60)
        first = await stream.read()
        after = await rotation.survived_by(lambda: stub.GetAnswer(GET, timeout=5), answers)
        answers.release.set()
        second = await stream.read()

    assert (first.sequence, second.sequence) == (1, 2)
    assert (answers.shown[0], after) == ("old-c", {"fresh"})


async def test_a_client_that_lives_long_goes_on_over_new_certificates(rotation: Rotation) -> None:
    """What a library or an MCP server holds for days shows what is there now, and knows the services by it."""
    answers = Asked()
    pair = rotation.caller
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(rotation.served(answers))
        settings = ClientSettings(
            orchestrator=f"localhost:{port}",
            ca_file=str(pair.authority),
            certificate_file=str(pair.certificate),
            key_file=str(pair.key),
        )
        client = await stack.enter_async_context(Client(settings))
        after = await rotation.survived_by(lambda: client.answers.get("any"), answers)

    assert (answers.shown[0], after) == ("old-c", {"fresh"})
