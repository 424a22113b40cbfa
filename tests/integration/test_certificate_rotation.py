"""Certificates that are replaced while calls run: both ends take up the new ones, and no call fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2, orchestrator_pb2_grpc

from cgrag_client import Client, ClientSettings
from common.rpc.client.channels import open_channel, service_config
from common.rpc.settings import ServerSettings
from common.rpc.tls import peer_credentials
from tests.fakes.answering import ASK, GET, SERVICE, Answers, serving
from tests.fakes.authority import Authority, Pair

LIFETIME = timedelta(seconds=5.5)

Steps = list[tuple[float, Callable[[], None]]]
"""What is done to the files, and how many seconds after the first call."""


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
    """A server and callers that show certificates which expire soon, and what is put in their place meanwhile."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._authority = Authority(folder / "authority")
        self.expires = datetime.now(UTC) + LIFETIME
        self.server, self.caller = (
            self._place(folder / name, self._authority.issue(f"old-{name}", LIFETIME)) for name in ("server", "caller")
        )

    def _place(self, folder: Path, pair: Pair) -> Pair:
        folder.mkdir()
        placed = Pair(folder / "ca.pem", folder / "cert.pem", folder / "key.pem")
        placed.replace(pair)
        return placed

    def renewed(self) -> Steps:
        """Put certificates of the same authority in their place, at both ends at once."""
        fresh = self._authority.issue("fresh")
        return [(0.2, lambda: self._replace(fresh))]

    def moved(self) -> Steps:
        """Go over to another authority: accept both, show certificates of the new one, accept that one alone."""
        fresh = Authority(self._folder / "other").issue("fresh")
        both = self._folder / "both.pem"
        both.write_bytes(self._authority.certificate.read_bytes() + fresh.authority.read_bytes())
        return [
            (0.2, lambda: self._replace(None, authority=both)),
            (1.7, lambda: self._replace(replace(fresh, authority=both))),
            (3.2, lambda: self._replace(fresh)),
        ]

    def _replace(self, pair: Pair | None, authority: Path | None = None) -> None:
        for place in (self.server, self.caller):
            place.replace(pair or replace(place, authority=authority or place.authority))

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

    async def survived_by(self, call: Any, answers: Asked, steps: Steps) -> set[str]:
        """Go through the steps while calls are made, until the old ones have expired; return who called after that."""
        begun = datetime.now(UTC)
        left = list(steps)
        calls = before = 0
        while (now := datetime.now(UTC)) < self.expires + timedelta(seconds=1.5):
            if left and now >= begun + timedelta(seconds=left[0][0]):
                left.pop(0)[1]()
            before = calls if now < self.expires else before
            await call()
            calls += 1
            await asyncio.sleep(0.01)
        assert (left, len(answers.shown)) == ([], calls)
        return set(answers.shown[before + 1 :])


@pytest.fixture
def rotation(tmp_path: Path) -> Rotation:
    return Rotation(tmp_path)


@pytest.mark.parametrize("change", [Rotation.renewed, Rotation.moved], ids=["renewed", "another-authority"])
async def test_services_go_on_over_new_certificates(rotation: Rotation, change: Callable[[Rotation], Steps]) -> None:
    """Each call is answered, a stream that runs is not broken, and those that follow show the new certificate."""
    answers = Asked()
    pair = rotation.caller
    steps = change(rotation)
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
        after = await rotation.survived_by(lambda: stub.GetAnswer(GET, timeout=5), answers, steps)
        answers.release.set()
        second = await stream.read()

    assert (first.sequence, second.sequence) == (1, 2)
    assert (answers.shown[0], after) == ("old-caller", {"fresh"})


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
        after = await rotation.survived_by(lambda: client.answers.get("any"), answers, rotation.renewed())

    assert (answers.shown[0], after) == ("old-caller", {"fresh"})
