"""The client over TLS: it checks whom it talks to, and shows who it is where that is asked."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2

from cgrag_client import Client, ClientSettings, ServiceUnreachable
from cgrag_client.connecting.health import Health, check
from cgrag_client.connecting.tls import channel_credentials
from cgrag_client.errors import UsageError
from tests.fakes.suite_server import Script, SuiteServer

SHOP = Script(repositories=[indexer_pb2.Repository(repository="shop")])


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> ClientSettings:
    """One certificate that is its own authority, for server and caller alike."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return ClientSettings(ca_file=str(certificate), certificate_file=str(certificate), key_file=str(key))


def server_of(settings: ClientSettings) -> SuiteServer:
    """Serve over TLS, and ask callers for a certificate."""
    certificate, key = (Path(name).read_bytes() for name in (settings.certificate_file, settings.key_file))
    credentials = grpc.ssl_server_credentials([(key, certificate)], certificate, require_client_auth=True)
    return SuiteServer(SHOP, credentials)


async def repositories(settings: ClientSettings) -> list[str]:
    async with Client(replace(settings, call_timeout_seconds=5)) as client:
        return [each.repository for each in await client.indexes.repositories()]


async def test_both_sides_show_who_they_are(settings: ClientSettings) -> None:
    """With the three files, calls and health checks get through."""
    with server_of(settings) as server:
        found = await repositories(replace(settings, indexer=server.address))
        health = await check("indexer", server.address, credentials=channel_credentials(settings))

    assert found == ["shop"]
    assert health.health is not Health.UNREACHABLE


@pytest.mark.parametrize("lacks", [("ca_file", "certificate_file", "key_file"), ("certificate_file", "key_file")])
async def test_who_shows_nothing_gets_nothing(settings: ClientSettings, lacks: tuple[str, ...]) -> None:
    """Neither in the clear nor without a certificate is anybody served."""
    with server_of(settings) as server:
        changed = replace(settings, indexer=server.address, **dict.fromkeys(lacks, ""))  # type: ignore[arg-type]
        with pytest.raises(ServiceUnreachable):
            await repositories(changed)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"ca_file": "/no/ca.pem"}, r"^/no/ca\.pem: cannot be read \(No such file or directory\); check ca_file,"),
        ({"key_file": ""}, r"client\.certificate_file and client\.key_file go together"),
        ({"ca_file": ""}, r"without client\.ca_file, which turns TLS on"),
    ],
)
def test_files_that_do_not_fit_are_refused(settings: ClientSettings, changed: dict[str, str], text: str) -> None:
    """Each mistake is named with the setting, before anything is called."""
    with pytest.raises(UsageError, match=text):
        Client(replace(settings, **changed))  # type: ignore[arg-type]
