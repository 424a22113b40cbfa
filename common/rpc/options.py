"""Options of gRPC: limits that apply before a call reaches our code."""

from __future__ import annotations

import math
import resource
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from common.rpc.settings import ServerSettings

    Options = list[tuple[str, int]]

_MAX_PENDING_CALLS = 10_000
_LEAST_PENDING_SECONDS = 30
_GREATEST = 2**31 - 1
"""Greatest integer of a gRPC option."""


def keepalive(seconds: float, timeout_seconds: float) -> Options:
    """
    Return the options that ping a silent peer, and close its connection if it does not answer.

    Args:
        seconds: Silence before the ping.
        timeout_seconds: Time for the answer. It is set twice: gRPC ignores a keepalive timeout that is shorter than its
            ping timeout, whose default is a minute.
    """
    timeout = int(timeout_seconds * 1000)
    return [
        ("grpc.keepalive_time_ms", int(seconds * 1000)),
        ("grpc.keepalive_timeout_ms", timeout),
        ("grpc.http2.ping_timeout_ms", timeout),
    ]


def of_server(settings: ServerSettings, most_of_one: int) -> Options:
    """
    Return the options of a server.

    Args:
        most_of_one: Calls that one connection may have open, far more than are admitted: the bound only stops callers
            that begin and cancel calls as fast as they can. gRPC refuses calls beyond it.
    """
    options = [
        # With SO_REUSEPORT two processes could share a port; the second one should fail instead.
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", settings.max_message_bytes),
        ("grpc.max_send_message_length", settings.max_message_bytes),
        ("grpc.max_concurrent_streams", min(most_of_one, _GREATEST)),
        *keepalive(60.0, 20.0),
        ("grpc.keepalive_permit_without_calls", 1),
        # Least interval between pings of a client. Without it gRPC closes the connection of a client that pings every
        # half minute, as ours does, in the middle of a long silent call.
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
        # Calls that a busy event loop has not started yet wait in gRPC's core. By default the core answers CANCELLED
        # after 30 s, and to some calls as soon as 1000 wait, while admission can refuse only calls that the loop has
        # started. So ten times the calls that a service admits by default may wait, each until its deadline, but no
        # longer than the default deadline of a unary call. The core answers CANCELLED beyond these bounds.
        ("grpc.server_max_unrequested_time_in_server", _pending_seconds(settings)),
        ("grpc.server.max_pending_requests", _MAX_PENDING_CALLS),
        ("grpc.server.max_pending_requests_hard_limit", _MAX_PENDING_CALLS),
        *of_connections(settings),
    ]
    if settings.max_connection_age_seconds:
        options.append(("grpc.max_connection_age_ms", int(settings.max_connection_age_seconds * 1000)))
        options.append(("grpc.max_connection_age_grace_ms", int(settings.default_stream_deadline_seconds * 1000)))
    return options


def of_connections(settings: ServerSettings) -> Options:
    """Return the options that limit a port's connections: each takes a file descriptor, of which a process has few."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = settings.max_connections if files == resource.RLIM_INFINITY else min(settings.max_connections, files // 3)
    bounds = [
        # Time limit of the HTTP/2 handshake, TLS included; gRPC's default is two minutes.
        ("grpc.server_handshake_timeout_ms", math.ceil(settings.handshake_seconds * 1000)),
        ("grpc.max_allowed_incoming_connections", max(1, most)),
    ]
    if settings.max_connection_idle_seconds:
        # gRPC clients close idle connections themselves after half an hour, so that this does not hit a new call.
        bounds.append(("grpc.max_connection_idle_ms", math.ceil(settings.max_connection_idle_seconds * 1000)))
    return bounds


def _pending_seconds(settings: ServerSettings) -> int:
    """Return how many seconds a call may wait until the event loop starts it; at least gRPC's default of 30."""
    return max(_LEAST_PENDING_SECONDS, math.ceil(settings.default_deadline_seconds))
