"""Connects to a Valkey or Redis server that replicas share, and names the setting in errors."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from redis.asyncio import Redis
from redis.exceptions import RedisError

from common.core.errors import DependencyUnavailable, StartupError

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMEOUT_SECONDS = 2.0


def client_at(url: str, setting: str, *, timeout_seconds: float = TIMEOUT_SECONDS) -> Redis:
    """Return a client that decodes responses to text, without connecting. Raises StartupError for a malformed URL."""
    timeout = timeout_seconds
    try:
        return Redis.from_url(url, decode_responses=True, socket_timeout=timeout, socket_connect_timeout=timeout)
    except ValueError:
        text = f"{setting} is no address of a server; write redis://host:port/0, rediss:// or unix://"
        raise StartupError(text) from None


@contextmanager
def failures_of(kept: str, setting: str) -> Iterator[None]:
    """Translate errors of the server in the block to DependencyUnavailable; `kept` names what the server stores."""
    try:
        yield
    except (RedisError, OSError) as error:
        text = f"the store of {kept} does not answer; check the setting {setting} and the server there"
        raise DependencyUnavailable(text, metadata={"dependency": kept}) from error
