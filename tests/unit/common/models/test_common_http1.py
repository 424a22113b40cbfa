"""The transport to models over real connections: kept ones, broken ones, large ones, another event loop, a proxy."""

from __future__ import annotations

import asyncio
import ssl
import threading
from pathlib import Path

import httpx2
import pytest
import uvloop

from common.core.clock import SystemClock
from common.model.config import ModelConfig, RoleModel
from common.model.endpoint import open_endpoint
from common.model.http1 import Http1Transport
from common.model.values import Finished, ModelRequest, ModelRole, TextDelta, Turn
from tests.fakes.anthropic_replies import Message
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.http_peer import WHOLE, Peer, talking

QUESTION = ModelRequest(ModelRole.ANSWER, (Turn.user("What is it?"),))
LARGE = 3_000_000
HALF = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok"


async def test_sends_the_next_request_over_the_same_connection() -> None:
    """A response that was read to its end leaves its connection to the next request."""
    async with talking(WHOLE, WHOLE) as (peer, client):
        texts = [(await client.get("/")).text for _ in range(2)]

    assert texts == ["ok", "ok"]
    assert peer.opened == 1


async def test_closes_the_connection_of_a_response_that_is_left() -> None:
    """Whoever closes a response before its end closes the connection, so that the other side stops."""
    async with talking(HALF) as (peer, client):
        async with client.stream("GET", "/") as response:
            async for chunk in response.aiter_raw():
                assert chunk == b"ok"
                break
        await asyncio.wait_for(peer.closed.wait(), 5)

    assert peer.closed.is_set()


async def test_a_server_may_want_no_more_requests() -> None:
    """After a response that says that its connection is closed, a new one is made."""
    closing = WHOLE.replace(b"OK\r\n", b"OK\r\nconnection: close\r\n")
    async with talking(closing, WHOLE) as (peer, client):
        texts = [(await client.get("/")).text for _ in range(2)]

    assert texts == ["ok", "ok"]
    assert peer.opened == 2


@pytest.mark.parametrize("reply", [b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\n", HALF, b""])
async def test_names_what_is_not_http(reply: bytes) -> None:
    """Bytes that are no response, and connections that end within one, are faults of the other side."""
    async with talking(reply, stays=False) as (_, client):
        with pytest.raises(httpx2.RemoteProtocolError):
            await client.get("/")


async def test_reads_what_is_larger_than_may_wait() -> None:
    """Reading stops while too much waits for a slow reader, and goes on when it comes back: nothing is lost."""
    large = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % LARGE + b"x" * LARGE
    read = 0
    async with talking(large) as (_, client), client.stream("GET", "/") as response:
        async for chunk in response.aiter_raw():
            read += len(chunk)
            for _ in range(20):
                await asyncio.sleep(0)

    assert read == LARGE


async def test_nobody_there_is_a_fault_of_the_connection() -> None:
    """A refused connection is told as such."""
    async with talking() as (peer, _):
        port = peer.port
    async with httpx2.AsyncClient(transport=Http1Transport(1.0)) as client:
        with pytest.raises(httpx2.ConnectError):
            await client.get(f"http://127.0.0.1:{port}/")


async def test_checks_the_certificate_of_the_other_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TLS is spoken with those whose authority is trusted, and with nobody else."""
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    files = ("-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate))
    process = await asyncio.create_subprocess_exec(*command.split(), *files, stderr=asyncio.subprocess.DEVNULL)
    assert await process.wait() == 0
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    peer = Peer(WHOLE)
    async with peer.listening(context):
        url = f"https://localhost:{peer.port}/"
        async with httpx2.AsyncClient(transport=Http1Transport(5.0)) as stranger:
            with pytest.raises(httpx2.ConnectError):
                await stranger.get(url)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        async with httpx2.AsyncClient(transport=Http1Transport(5.0)) as client:
            text = (await client.get(url)).text

    assert text == "ok"


async def test_tls_is_made_ready_once_and_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading the authorities, which takes a while, happens in a thread, once for all requests."""
    made: list[int] = []
    make = httpx2.create_ssl_context

    def noted() -> ssl.SSLContext:
        made.append(threading.get_ident())
        return make()

    monkeypatch.setattr(httpx2, "create_ssl_context", noted)
    async with talking() as (peer, _):
        url = f"https://127.0.0.1:{peer.port}/"
    async with httpx2.AsyncClient(transport=Http1Transport(5.0)) as client:
        ends = await asyncio.gather(*(client.get(url) for _ in range(3)), return_exceptions=True)

    assert {type(end) for end in ends} == {httpx2.ConnectError}
    assert len(made) == 1
    assert made[0] != threading.get_ident()


async def _answer(base_url: str) -> str:
    config = ModelConfig({}, base_url=base_url, api_key="key")
    endpoint = open_endpoint(config, SystemClock())
    try:
        events = [event async for event in endpoint.ask(QUESTION, RoleModel("big"), seconds=30)]
    finally:
        await endpoint.close()
    assert isinstance(events[-1], Finished)
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def test_runs_on_the_event_loop_of_the_services() -> None:
    """Services run on uvloop, whose transports are of other classes."""
    with AnthropicServer() as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        server.enqueue(Message("Paris."))
        text = runner.run(_answer(server.base_url))

    assert text == "Paris."


async def test_goes_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a proxy in the environment, the request for an endpoint elsewhere goes to the proxy."""
    with AnthropicServer() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.base_url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        proxy.enqueue(Message("Paris."))
        text = await _answer("http://model.invalid")

    assert text == "Paris."
    assert proxy.requests[0].path == "http://model.invalid/v1/messages"
