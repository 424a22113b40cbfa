"""Channels in the clear or over TLS, with the certificates that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import grpc

from cgrag_client.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgrag_client.settings import ClientSettings


def channel_credentials(settings: ClientSettings) -> grpc.ChannelCredentials | None:
    """
    Return credentials for channels to the services; None talks in the clear.

    Raises:
        UsageError: if a file cannot be read, or a certificate is named without what belongs to it.
    """
    if bool(settings.certificate_file) != bool(settings.key_file):
        raise UsageError("client.certificate_file and client.key_file go together; set both or none")
    if not settings.ca_file:
        if settings.certificate_file:
            raise UsageError("client.certificate_file is set without client.ca_file, which turns TLS on")
        return None
    return grpc.ssl_channel_credentials(
        _read("ca_file", settings.ca_file),
        private_key=_read("key_file", settings.key_file) if settings.key_file else None,
        certificate_chain=_read("certificate_file", settings.certificate_file) if settings.certificate_file else None,
    )


def open_channel(
    target: str, credentials: grpc.ChannelCredentials | None, options: Sequence[tuple[str, str | int]] = ()
) -> grpc.aio.Channel:
    """Open a channel: over TLS with credentials, in the clear without."""
    if credentials is None:
        return grpc.aio.insecure_channel(target, options=options)
    return grpc.aio.secure_channel(target, credentials, options=options)


def _read(setting: str, name: str) -> bytes:
    try:
        return Path(name).expanduser().read_bytes()
    except OSError as error:
        raise UsageError(f"client.{setting} {name}: cannot be read ({error.strerror})") from error
