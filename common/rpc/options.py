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
"""Of gRPC's numbers."""


def keepalive(seconds: float, timeout_seconds: float) -> Options:
    """
    Return the options that ask a silent peer whether it is there, and give its connection up if it does not say so.

    Args:
        seconds: Silence before it is asked.
        timeout_seconds: Time that it has. What gRPC calls the timeout of keepalive is heeded only where it is longer
            than the one of pings, which is a minute by itself.
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
        most_of_one: Calls that one connection may have open, far more than are admitted. Of callers that begin calls
            and take them back as fast as their line allows, gRPC refuses what is beyond.
    """
    options = [
        # Two processes on one port would share its connections, where the second should be told.
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", settings.max_message_bytes),
        ("grpc.max_send_message_length", settings.max_message_bytes),
        ("grpc.max_concurrent_streams", min(most_of_one, _GREATEST)),
        *keepalive(60.0, 20.0),
        ("grpc.keepalive_permit_without_calls", 1),
        # gRPC's name for what its documents call the least interval of pings received. Without it a client that pings
        # every half minute, as ours does, is sent away in the middle of a long silent call.
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
        # Calls that a busy event loop has not taken up wait in gRPC's core, which by itself answers CANCELLED after
        # 30 s, and to some as soon as 1000 wait. Admission refuses by name only what the loop takes up; so ten times
        # the calls that a service admits by default may wait, each until its deadline, but no longer than a unary call
        # without one. What is beyond these bounds is CANCELLED by the core.
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
    """Return what bounds the connections of a port: each holds a file, and a process without files cannot work."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = settings.max_connections if files == resource.RLIM_INFINITY else min(settings.max_connections, files // 3)
    bounds = [
        # From the first byte to the end of what HTTP/2 begins with, TLS included; gRPC's own is two minutes.
        ("grpc.server_handshake_timeout_ms", math.ceil(settings.handshake_seconds * 1000)),
        ("grpc.max_allowed_incoming_connections", max(1, most)),
    ]
    if settings.max_connection_idle_seconds:
        # Clients of gRPC leave by themselves after half an hour, so that this does not meet a call of theirs.
        bounds.append(("grpc.max_connection_idle_ms", math.ceil(settings.max_connection_idle_seconds * 1000)))
    return bounds


def _pending_seconds(settings: ServerSettings) -> int:
    """Return how long a call may wait to be taken up: never less than gRPC itself would let it."""
    return max(_LEAST_PENDING_SECONDS, math.ceil(settings.default_deadline_seconds))
