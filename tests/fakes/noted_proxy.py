"""A proxy on loopback that refuses everything and remembers what it was asked for."""

from __future__ import annotations

import socketserver
import threading
from typing import Self

VARIABLES = ("http_proxy", "https_proxy", "grpc_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


class NotedProxy:
    """Notes the first line of each request, such as `CONNECT host:443 HTTP/1.1`, and answers 503."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _handler(self.asked))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(asked: list[str]) -> type[socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            asked.append(self.rfile.readline().decode("latin-1").strip())
            self.wfile.write(b"HTTP/1.1 503 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")

    return Handler
