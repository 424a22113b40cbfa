"""TLS from certificate files, which may be replaced while servers and channels run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import grpc
import structlog

from common.core.errors import StartupError
from common.rpc.client.renewing import CertificateFiles, RenewedCredentials, UnfitCertificates

if TYPE_CHECKING:
    from pathlib import Path

    from common.rpc.client.renewing import Certificates
    from common.rpc.settings import ServerSettings

_log = structlog.get_logger(__name__)


def server_credentials(settings: ServerSettings) -> grpc.ServerCredentials | None:
    """
    Return credentials of the settings' files, None if they name none.

    The files are checked at each handshake and read again when they have changed; if they cannot be read, or do not
    match, the previous ones stay in use.

    Raises:
        StartupError: if a file is missing or invalid, or only one of certificate and key is named.
    """
    certificate, key, authority = settings.tls_certificate_file, settings.tls_key_file, settings.tls_client_ca_file
    if certificate is None and key is None:
        if authority is not None:
            raise StartupError(
                "tls_client_ca_file is set without a certificate; set tls_certificate_file and tls_key_file"
            )
        return None
    if certificate is None or key is None:
        raise StartupError("tls_certificate_file and tls_key_file go together; set both or none")
    files = _files(authority, certificate, key, "tls_*")

    def changed() -> grpc.ServerCertificateConfiguration | None:
        return _configuration(files.read) if files.look() else None

    return grpc.dynamic_ssl_server_credentials(
        _configuration(files.read),
        changed,  # type: ignore[arg-type]  # the stubs lack None, which says "not changed"
        require_client_authentication=authority is not None,
    )


def peer_credentials(
    authority: Path | None, certificate: Path | None = None, key: Path | None = None
) -> RenewedCredentials | None:
    """
    Return credentials for channels to other services; None without an authority: then there is no TLS.

    Args:
        authority: File of the authority that must have signed the services' certificates (PEM).
        certificate: File of the certificate chain to present to services that ask for one (PEM); needs `key`.

    Raises:
        StartupError: if a file cannot be read or is invalid, or is named without another that it needs.
    """
    if (certificate is None) != (key is None):
        raise StartupError("peer_certificate_file and peer_key_file go together; set both or none")
    if authority is None:
        if certificate is not None:
            raise StartupError("peer_certificate_file is set without peer_ca_file, which turns TLS on; set it, too")
        return None
    return RenewedCredentials(_files(authority, certificate, key, "peer_*"), time.monotonic)


def _files(authority: Path | None, certificate: Path | None, key: Path | None, settings: str) -> CertificateFiles:
    def changed(problem: str) -> None:
        if problem:
            _log.warning("tls.files_refused", settings=settings, error=problem)
        else:
            _log.info("tls.files_read", settings=settings)

    try:
        return CertificateFiles(authority, certificate, key, changed)
    except UnfitCertificates as error:
        raise StartupError(f"{error}; check the {settings} settings") from error


def _configuration(read: Certificates) -> grpc.ServerCertificateConfiguration:
    assert read.key is not None, "a server names both"
    assert read.chain is not None, "a server names both"
    return grpc.ssl_server_certificate_configuration([(read.key, read.chain)], root_certificates=read.authority)
