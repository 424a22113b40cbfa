"""A proxy on loopback before an HTTP server, that lets requests go wrong as networks and overloaded servers do."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self, cast
from urllib.parse import urlsplit

_DRIP_SECONDS = 0.2
_HOP = frozenset({"connection", "transfer-encoding", "content-length"})
SLOW_DOWN = b"""<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"""


class Fault(Enum):
    """How a request goes wrong."""

    CUT = auto()
    """The head and half of the body come, then the connection breaks."""
    DRIP = auto()
    """The body comes byte by byte, and slowly."""
    HANG = auto()
    """Nothing comes until the other side leaves."""
    RESET = auto()
    """The connection breaks before an answer."""
    LOST_ANSWER = auto()
    """The request is carried out, and the connection breaks before that is told."""


@dataclass(frozen=True, slots=True)
class Says:
    """An answer in place of the server's."""

    status: int
    body: bytes = b""
    location: str = ""


class FaultyProxy:
    """
    Passes requests on, or lets them go wrong; remembers them as method and path.

    `fault` is asked about each request and gives None, a `Fault` or `Says`.
    """

    def __init__(self, target: str) -> None:
        self.target = urlsplit(target).netloc
        self.asked: list[tuple[str, str]] = []
        self.fault: Callable[[str, str], Fault | Says | None] = lambda method, path: None
        self.ended = threading.Event()
        self._server = _Server(self)

    @property
    def url(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        """Start to listen."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, and let go of who still waits."""
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, proxy: FaultyProxy) -> None:
        self.proxy = proxy
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: connections break here by intent."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Pass it on, or let it go wrong, as all the others."""
        proxy, path = self._proxy, self.path.partition("?")[0]
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        proxy.asked.append((self.command, path))
        fault = proxy.fault(self.command, path)
        if fault is Fault.HANG:
            proxy.ended.wait()
        if fault in (Fault.HANG, Fault.RESET):
            self.close_connection = True
        elif isinstance(fault, Says):
            self._answer(fault.status, {"location": fault.location} if fault.location else {}, fault.body)
        else:
            answer = self._passed_on(body)
            if fault is Fault.LOST_ANSWER:
                self.close_connection = True
            else:
                self._answer(*answer, fault)

    do_PUT = do_POST = do_DELETE = do_HEAD = do_GET  # noqa: N815 (the base class's names)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    @property
    def _proxy(self) -> FaultyProxy:
        return cast("_Server", self.server).proxy

    def _passed_on(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection(self._proxy.target, timeout=30)
        try:
            connection.request(self.command, self.path, body, dict(self.headers))
            response = connection.getresponse()
            headers = {name: value for name, value in response.getheaders() if name.lower() not in _HOP}
            data = response.read()
            if self.command == "HEAD":
                headers["content-length"] = response.getheader("content-length") or "0"
            return response.status, headers, data
        finally:
            connection.close()

    def _answer(self, status: int, headers: dict[str, str], body: bytes, fault: Fault | None = None) -> None:
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if fault is Fault.CUT:
            body = body[: len(body) // 2]
            self.close_connection = True
        step = 1 if fault is Fault.DRIP else max(1, len(body))
        for place in range(0, len(body), step):
            self.wfile.write(body[place : place + step])
            if fault is Fault.DRIP and self._proxy.ended.wait(_DRIP_SECONDS):
                return
