"""What may stand before a Postgres server, on loopback: one that refuses, one that ends TLS, a transaction pooler."""

from __future__ import annotations

import contextlib
import select
import socket
import socketserver
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from queue import Queue
from typing import Any
from urllib.parse import parse_qs, urlsplit

Serve = Callable[[socket.socket, dict[str, str]], None]

_TLS_REQUEST = 80877103
_CANCEL_REQUEST = 80877102
_PROTOCOL = 196608
# What a pooler keeps track of for each of its clients, and what all of them have in common.
_TRACKED = frozenset({"user", "database", "application_name", "client_encoding"})
_TOLD = {"server_version": "16.2", "client_encoding": "UTF8", "standard_conforming_strings": "on"}


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    # Connections that a test left open are not waited for.
    block_on_close = False


@contextlib.contextmanager
def serving(serve: Serve, tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """Answer connections, given what their clients begin with, and give the port; TLS where a client wants it."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError, EOFError):
                _begin(self.request, serve, tls)

    with _Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


def refusing(text: str, code: str = "57P03") -> Serve:
    """Return who lets nobody in, and says why."""

    def serve(client: socket.socket, _: dict[str, str]) -> None:
        fields = (f"S{'FATAL'}", f"V{'FATAL'}", f"C{code}", f"M{text}")
        client.sendall(_message(b"E", b"".join(each.encode() + b"\0" for each in fields) + b"\0"))

    return serve


def relaying(url: str) -> Serve:
    """Return who hands everything on to a server's socket."""

    def serve(client: socket.socket, parameters: dict[str, str]) -> None:
        with _connected(url) as server:
            server.sendall(_startup(parameters))
            while True:
                waiting = isinstance(client, ssl.SSLSocket) and client.pending()
                ready = [client] if waiting else select.select([client, server], [], [])[0]
                for each in ready:
                    if not (data := each.recv(65536)):
                        return
                    (server if each is client else client).sendall(data)

    return serve


def admit(client: socket.socket) -> None:
    """Let a client in, whoever it is."""
    told = b"".join(_message(b"S", f"{name}\0{value}\0".encode()) for name, value in _TOLD.items())
    client.sendall(_message(b"R", bytes(4)) + told + _message(b"K", bytes(8)) + _message(b"Z", b"I"))


class Pooler:
    """
    Gives each transaction another of a few connections to a server, and knows no other parameter than poolers do.

    Args:
        url: Of the server's socket, with user and database.
        connections: To it.
    """

    def __init__(self, url: str, connections: int = 3) -> None:
        self._free: Queue[socket.socket] = Queue()
        self.transactions: list[int] = []
        address = urlsplit(url)
        for _ in range(connections):
            server = _connected(url)
            database = address.path.strip("/")
            server.sendall(_startup({"user": str(address.username), "database": database}))
            while _read(server)[0] != b"Z":
                pass
            self._free.put(server)

    def serve(self, client: socket.socket, parameters: dict[str, str]) -> None:
        """Serve a client to its end."""
        if strange := parameters.keys() - _TRACKED:
            refusing(f"unsupported startup parameter: {min(strange)}", "08P01")(client, parameters)
            return
        admit(client)
        while (first := _read(client))[0] != b"X":
            server = self._free.get()
            self.transactions.append(server.fileno())
            try:
                _one_transaction(client, server, first)
            finally:
                self._free.put(server)

    def close(self) -> None:
        """Let go of the server."""
        while not self._free.empty():
            self._free.get().close()


def _one_transaction(client: socket.socket, server: socket.socket, first: tuple[bytes, bytes]) -> None:
    kind, body = first
    while True:
        server.sendall(_message(kind, body))
        if kind in {b"S", b"Q"}:
            answers, answer, status = b"", b"", b""
            while answer != b"Z":
                answer, status = _read(server)
                answers += _message(answer, status)
            client.sendall(answers)
            if status == b"I":
                return
        kind, body = _read(client)


def _begin(client: socket.socket, serve: Serve, tls: ssl.SSLContext | None) -> None:
    while True:
        length, kind = struct.unpack("!ii", _exactly(client, 8))
        rest = _exactly(client, length - 8)
        if kind == _PROTOCOL:
            words = rest.rstrip(b"\0").decode().split("\0")
            serve(client, dict(zip(words[::2], words[1::2], strict=True)))
            return
        if kind == _CANCEL_REQUEST:
            return
        if tls and kind == _TLS_REQUEST:
            client.sendall(b"S")
            with tls.wrap_socket(client, server_side=True) as secured:
                _begin(secured, serve, None)
            return
        client.sendall(b"N")


def _connected(url: str) -> socket.socket:
    folder = parse_qs(urlsplit(url).query)["host"][0]
    server = socket.socket(socket.AF_UNIX)
    server.connect(f"{folder}/.s.PGSQL.5432")
    return server


def _startup(parameters: dict[str, str]) -> bytes:
    words = b"".join(f"{name}\0{value}\0".encode() for name, value in parameters.items()) + b"\0"
    return struct.pack("!ii", len(words) + 8, _PROTOCOL) + words


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!i", len(body) + 4) + body


def _read(connection: Any) -> tuple[bytes, bytes]:
    kind = _exactly(connection, 1)
    (length,) = struct.unpack("!i", _exactly(connection, 4))
    return kind, _exactly(connection, length - 4)


def _exactly(connection: Any, size: int) -> bytes:
    found = b""
    while len(found) < size:
        if not (piece := connection.recv(size - len(found))):
            raise EOFError
        found += piece
    return found
