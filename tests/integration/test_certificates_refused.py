"""Who shows no certificate, or one that is not good, is not served; and nobody is asked who shows one that is not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2_grpc

from cgrag_client import Client, ClientSettings, ServiceUnreachable
from common.rpc.client.channels import open_channel
from common.rpc.settings import ServerSettings
from common.rpc.tls import peer_credentials
from tests.fakes.answering import GET, Answers, serving
from tests.fakes.authority import Authority, Pair

SERVED = grpc.StatusCode.OK
REFUSED = grpc.StatusCode.UNAVAILABLE


@dataclass(frozen=True)
class Certificates:
    """All of them say `localhost`; `good` and `expired` are of the authority that is trusted, `foreign` is not."""

    good: Pair
    expired: Pair
    foreign: Pair


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    folder = tmp_path_factory.mktemp("refused")
    authority = Authority(folder / "authority")
    other = Authority(folder / "other")
    return Certificates(
        authority.issue("good"), authority.issue("expired", timedelta(seconds=-30)), other.issue("foreign")
    )


def settings_of(pair: Pair, authority: Path) -> ServerSettings:
    return ServerSettings(
        host="0.0.0.0",  # so that all names of this machine lead to it
        tls_certificate_file=pair.certificate,
        tls_key_file=pair.key,
        tls_client_ca_file=authority,
    )


async def outcome(server: Pair, caller: Pair | None, trusted: Path, name: str = "localhost") -> grpc.StatusCode:
    """Call a server by its name, each showing a certificate; the call is served if, and only if, it ends well."""
    answers = Answers()
    own = (caller.certificate, caller.key) if caller else (None, None)
    async with (
        serving(answers, settings=settings_of(server, trusted)) as (listening, _, _),
        open_channel(f"{name}:{listening.port}", credentials=peer_credentials(trusted, *own)) as channel,
    ):
        call = orchestrator_pb2_grpc.OrchestratorServiceStub(channel).GetAnswer(GET, timeout=10)
        code = await call.code()
    assert bool(answers.seen) == (code is SERVED)
    return code


@pytest.mark.parametrize(
    ("shown", "expected"), [("good", SERVED), (None, REFUSED), ("expired", REFUSED), ("foreign", REFUSED)]
)
async def test_a_caller_without_a_good_certificate_is_not_served(
    certificates: Certificates, shown: str | None, expected: grpc.StatusCode
) -> None:
    """None, one that has expired, one of an authority that nobody here knows."""
    caller = getattr(certificates, shown) if shown else None

    assert await outcome(certificates.good, caller, certificates.good.authority) is expected


@pytest.mark.parametrize("shown", ["expired", "foreign"])
async def test_a_server_without_a_good_certificate_is_not_asked(certificates: Certificates, shown: str) -> None:
    """A service sends nothing to who only says that it is another."""
    server: Pair = getattr(certificates, shown)

    assert await outcome(server, certificates.good, certificates.good.authority) is REFUSED


@pytest.mark.parametrize(("name", "expected"), [("127.0.0.1", SERVED), ("127.0.0.2", REFUSED)])
async def test_a_server_by_another_name_is_not_asked(
    certificates: Certificates, name: str, expected: grpc.StatusCode
) -> None:
    """A certificate is good for the names that stand in it, of which the second address is none."""
    good = certificates.good

    assert await outcome(good, good, good.authority, name) is expected


@pytest.mark.parametrize("shown", [None, "expired", "foreign"])
async def test_a_client_is_told_that_nobody_answers(certificates: Certificates, shown: str | None) -> None:
    """What refuses a handshake says nothing to who is refused; its token, too, stays with the client."""
    good = certificates.good
    pair: Pair | None = getattr(certificates, shown) if shown else None
    answers = Answers()
    async with serving(answers, settings=settings_of(good, good.authority)) as (server, _, _):
        settings = ClientSettings(
            orchestrator=f"localhost:{server.port}",
            token="cgt_secret",
            ca_file=str(good.authority),
            certificate_file=str(pair.certificate) if pair else "",
            key_file=str(pair.key) if pair else "",
        )
        async with Client(settings) as client:
            with pytest.raises(ServiceUnreachable):
                await client.answers.get("any")

    assert answers.seen == []
