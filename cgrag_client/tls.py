"""Channels in the clear or over TLS, with the certificates that the settings name, which may change meanwhile."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import grpc

from cgrag_client.errors import UsageError
from cgrag_client.renewing import CertificateFiles, RenewedChannel, RenewedCredentials, UnfitCertificates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgrag_client.settings import ClientSettings


def channel_credentials(settings: ClientSettings) -> RenewedCredentials | None:
    """
    Return credentials for channels to the services; None talks in the clear.

    Raises:
        UsageError: if a file cannot be read or is not what it should be, or one is named without those that it needs.
    """
    if bool(settings.certificate_file) != bool(settings.key_file):
        raise UsageError("client.certificate_file and client.key_file go together; set both or none")
    if not settings.ca_file:
        if settings.certificate_file:
            raise UsageError("client.certificate_file is set without client.ca_file, which turns TLS on")
        return None
    names = (settings.ca_file, settings.certificate_file, settings.key_file)
    authority, certificate, key = (Path(name).expanduser() if name else None for name in names)
    try:
        # Changed files that do not fit are not used, and nobody is there to be told before a call fails.
        files = CertificateFiles(authority, certificate, key, lambda _: None)
    except UnfitCertificates as error:
        raise UsageError(f"{error}; check ca_file, certificate_file and key_file of [client]") from error
    return RenewedCredentials(files, time.monotonic)


def open_channel(
    target: str, credentials: RenewedCredentials | None, options: Sequence[tuple[str, str | int]] = ()
) -> grpc.aio.Channel:
    """
    Open a channel: over TLS with credentials, in the clear without.

    Where the files of the credentials change, calls that begin later go over connections made with the new ones.
    """
    if credentials is None:
        return grpc.aio.insecure_channel(target, options=options)
    return RenewedChannel(
        lambda current: grpc.aio.secure_channel(target, current, options=options), credentials.current
    )
