"""Callers that are known by the certificate of their connection."""

from __future__ import annotations

import hashlib
import subprocess
from contextlib import suppress
from pathlib import Path

import grpc
import pytest
import structlog
from cgrag.orchestrator.v1 import orchestrator_pb2_grpc

from common.core.errors import StartupError
from common.observability.metrics import Metrics
from common.rpc.access.opening import open_access
from common.rpc.access.rights import Role, Rules, for_roles
from common.rpc.client.channels import open_channel
from common.rpc.settings import ServerSettings
from common.rpc.tls import peer_credentials
from tests.e2e.guarded import metadata_of, token_of
from tests.fakes.answering import GET, SERVICE, Answers, serving

RULES = Rules(SERVICE, {"GetAnswer": for_roles(Role.READER)})


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of `localhost` that is its own authority, for server and caller alike, and its key."""
    folder = tmp_path_factory.mktemp("certificates")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=ci.example"
    names = ("-addext", "subjectAltName=DNS:localhost,DNS:builds.example")
    where = ("-keyout", str(key), "-out", str(certificate))
    subprocess.run([*command.split(), *names, *where], check=True, capture_output=True)
    return certificate, key


async def answers(
    folder: Path, files: tuple[Path, Path], known_as: str, **metadata: str
) -> tuple[list[str], list[str]]:
    """Call with the certificate; return who was served, and the reasons of denials."""
    certificate, key = files
    (folder / "access.toml").write_text(
        f'[callers.ci]\ncertificates = ["{known_as}"]\nroles = ["reader"]\n'
        f'[callers.anna]\ntoken_sha256 = ["{_hash("anna")}"]\nroles = ["reader"]'
    )
    settings = ServerSettings(
        access_file=folder / "access.toml",
        tls_certificate_file=certificate,
        tls_key_file=key,
        tls_client_ca_file=certificate,
    )
    access = open_access(settings, Metrics("sample"), RULES)
    credentials = grpc.ssl_channel_credentials(certificate.read_bytes(), key.read_bytes(), certificate.read_bytes())
    servicer = Answers()
    with structlog.testing.capture_logs() as lines:
        async with (
            serving(servicer, settings=settings, access=access) as (server, _, _),
            grpc.aio.secure_channel(f"localhost:{server.port}", credentials) as channel,
        ):
            stub = orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
            # A refusal is seen by what was not served, and why it was denied.
            with suppress(grpc.aio.AioRpcError):
                await stub.GetAnswer(GET, metadata=tuple(metadata.items()), timeout=10)
    denied = [each["reason"] for each in lines if each["event"] == "audit.decision"]
    return [each.partition(" ")[0] for each in servicer.seen], denied


@pytest.mark.parametrize("name", ["ci.example", "builds.example"])
async def test_a_certificate_stands_for_its_caller(tmp_path: Path, files: tuple[Path, Path], name: str) -> None:
    """By its common name or any of its alternative names, without a token."""
    assert await answers(tmp_path, files, name) == (["ci"], [])


async def test_a_certificate_that_is_nobodys_lets_nobody_in(tmp_path: Path, files: tuple[Path, Path]) -> None:
    """Being signed by the right authority is not enough."""
    assert await answers(tmp_path, files, "other.example") == ([], ["bad_credential"])


async def test_a_token_goes_before_the_certificate(tmp_path: Path, files: tuple[Path, Path]) -> None:
    """Whoever sends a token is its caller; a wrong one is not made good by a certificate."""
    right = await answers(tmp_path, files, "ci.example", **dict(metadata_of("anna")))
    wrong = await answers(tmp_path, files, "ci.example", authorization="Bearer wrong")

    assert right == (["anna"], [])
    assert wrong == ([], ["bad_credential"])


async def test_a_service_shows_its_certificate_to_others(files: tuple[Path, Path]) -> None:
    """With the three files it gets through to one that asks for certificates; without its own it does not."""
    certificate, key = files
    settings = ServerSettings(tls_certificate_file=certificate, tls_key_file=key, tls_client_ca_file=certificate)
    codes: list[grpc.StatusCode] = []
    async with serving(Answers(), settings=settings) as (server, _, _):
        for own in ((certificate, key), (None, None)):
            async with open_channel(f"localhost:{server.port}", credentials=peer_credentials(certificate, *own)) as to:
                call = orchestrator_pb2_grpc.OrchestratorServiceStub(to).GetAnswer(GET, timeout=10)
                codes.append(await call.code())

    assert codes == [grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE]


def test_half_of_a_peers_files_is_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    """Each mistake is told at the start, with the setting to mend."""
    certificate, key = files
    with pytest.raises(StartupError, match="go together"):
        peer_credentials(certificate, certificate, None)
    with pytest.raises(StartupError, match="without peer_ca_file"):
        peer_credentials(None, certificate, key)
    with pytest.raises(StartupError, match="cannot be read"):
        peer_credentials(tmp_path / "missing.pem")

    assert peer_credentials(None) is None


def _hash(name: str) -> str:
    return hashlib.sha256(token_of(name).encode()).hexdigest()
