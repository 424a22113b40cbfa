"""Server metrics of gRPC under the names of the ecosystem, so that public dashboards and alerts work as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.observability.metrics import Metrics
    from common.rpc.client.calls import Method

_CODES = tuple(code.name for code in grpc.StatusCode)


class ServerMetrics:
    """
    The metrics of one server.

    Args:
        metrics: Where they are defined.
        methods: All that is served; their series exist from the start.
    """

    def __init__(self, metrics: Metrics, methods: Sequence[Method]) -> None:
        names = {
            "grpc_type": tuple(dict.fromkeys(method.type for method in methods)),
            "grpc_service": tuple(dict.fromkeys(method.service for method in methods)),
            "grpc_method": tuple(dict.fromkeys(method.name for method in methods)),
        }
        self._started = metrics.counter("grpc_server_started", "Calls begun.", names, prefix="")
        self._handled = metrics.counter(
            "grpc_server_handled", "Calls ended.", {**names, "grpc_code": _CODES}, prefix=""
        )
        self._seconds = metrics.histogram("grpc_server_handling_seconds", "Time of calls.", names, prefix="")
        self._sent = metrics.counter("grpc_server_msg_sent", "Messages sent.", names, prefix="")
        self._streams = metrics.gauge("streams_in_flight", "Open streams.", names)
        self._shed = metrics.counter(
            "shed", "Calls refused to protect the rest.", {"reason": ("concurrency", "draining", "silence")}
        )
        for method in methods:
            self._initialise(method)

    def started(self, method: Method) -> None:
        """Count the start of a call."""
        self._started.add(**_labels(method))

    def handled(self, method: Method, code: str, seconds: float, messages_sent: int) -> None:
        """Count the end of a call; `code` is the name of a gRPC code."""
        labels = _labels(method)
        self._handled.add(**labels, grpc_code=code)
        self._seconds.observe(seconds, **labels)
        self._sent.add(messages_sent, **labels)

    def stream_changed(self, method: Method, change: int) -> None:
        """Count a stream that begins, 1, or that ended, -1."""
        self._streams.add(change, **_labels(method))

    def shed(self, reason: str) -> None:
        """Count a call that was refused: "concurrency", "draining", or "silence" of its caller."""
        self._shed.add(reason=reason)

    def _initialise(self, method: Method) -> None:
        labels = _labels(method)
        self._started.add(0, **labels)
        self._sent.add(0, **labels)
        self._seconds.begin(**labels)
        if method.type != "unary":
            self._streams.add(0, **labels)
        for code in _CODES:
            self._handled.add(0, **labels, grpc_code=code)


def _labels(method: Method) -> dict[str, str]:
    return {"grpc_type": method.type, "grpc_service": method.service, "grpc_method": method.name}
