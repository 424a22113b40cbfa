"""The HTTP endpoint that Prometheus reads, with a bound on the number of connections."""

from __future__ import annotations

import socket
import sys
import threading
from contextlib import suppress
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import make_wsgi_app

from common.core.errors import StartupError

if TYPE_CHECKING:
    from common.observability.metrics import Metrics

_MAX_CONNECTIONS = 16


class MetricsEndpoint:
    """A running HTTP endpoint for Prometheus; made by `start_metrics_endpoint`."""

    def __init__(self, server: WSGIServer) -> None:
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Return the port that it listens on."""
        return self._server.server_port

    def close(self) -> None:
        """Stop answering; returns when the thread has ended."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def start_metrics_endpoint(metrics: Metrics, port: int, host: str = "127.0.0.1") -> MetricsEndpoint:
    """
    Serve the metrics over HTTP in a thread of their own, so that a busy event loop can still be seen.

    Args:
        metrics: What to serve.
        port: Port to listen on; 0 takes any free one.
        host: Address to listen on.

    Raises:
        StartupError: if the port is taken.
    """
    try:
        server = _Server(host, port)
    except OSError as error:
        name = f"CGRAG_{metrics.service}_METRICS_PORT".upper()
        raise StartupError(
            f"cannot listen on {host}:{port} for metrics ({error.strerror}): stop what uses it,"
            f" or set {name} (metrics_port in [{metrics.service}]) to another port, 0 for none"
        ) from error
    server.set_app(make_wsgi_app(metrics.registry))
    return MetricsEndpoint(server)


class _Server(ThreadingMixIn, WSGIServer):
    """
    Serves each connection in a thread, with a limit on their number.

    Beyond the limit the oldest connection is closed: idle ones may never send a request.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, host: str, port: int) -> None:
        self._lock = threading.Lock()
        self._connected: dict[Any, None] = {}
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        self.address_family, *_, address = found[0]
        super().__init__((str(address[0]), port), _SilentHandler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection; close the oldest one if there are too many."""
        with self._lock:
            self._connected[request] = None
            longest = next(iter(self._connected)) if len(self._connected) > _MAX_CONNECTIONS else None
            if longest is not None:
                del self._connected[longest]
        if longest is not None:
            with suppress(OSError):  # it has just gone
                longest.shutdown(socket.SHUT_RDWR)  # its thread reads the end, and closes it
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        with self._lock:
            self._connected.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log defects; a client that disconnected is not one."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _SilentHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (name of the base class)
        """Log nothing."""
