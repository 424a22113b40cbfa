"""TLS from certificate files, which may be replaced while the server runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc

from common.core.errors import StartupError

if TYPE_CHECKING:
    from pathlib import Path

    from common.rpc.settings import ServerSettings


def server_credentials(settings: ServerSettings) -> grpc.ServerCredentials | None:
    """
    Return credentials of the settings' files, None if they name none.

    The files are looked at on each handshake and read again when they changed; a pair that cannot be read then leaves
    the old one in force.

    Raises:
        StartupError: if a file is missing or only one of certificate and key is named.
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
    files = _CertificateFiles(certificate, key, authority)
    try:
        first = files.read()
    except OSError as error:
        raise StartupError(f"{error.filename}: cannot be read ({error.strerror}); check the tls_* settings") from error
    return grpc.dynamic_ssl_server_credentials(
        first,
        files.changed,  # type: ignore[arg-type]  # the stubs lack None, which says "not changed"
        require_client_authentication=authority is not None,
    )


def peer_credentials(
    authority: Path | None, certificate: Path | None = None, key: Path | None = None
) -> grpc.ChannelCredentials | None:
    """
    Return credentials for channels to other services; None, without an authority, talks in the clear.

    Args:
        authority: Whose certificates the others must show (PEM).
        certificate: Chain to show to those that ask for one (PEM), with its key.

    Raises:
        StartupError: if a file cannot be read, or one is named without those that it needs.
    """
    if (certificate is None) != (key is None):
        raise StartupError("peer_certificate_file and peer_key_file go together; set both or none")
    if authority is None:
        if certificate is not None:
            raise StartupError("peer_certificate_file is set without peer_ca_file, which turns TLS on; set it, too")
        return None
    try:
        chain = (key.read_bytes(), certificate.read_bytes()) if certificate and key else (None, None)
        return grpc.ssl_channel_credentials(authority.read_bytes(), *chain)
    except OSError as error:
        raise StartupError(f"{error.filename}: cannot be read ({error.strerror}); check the peer_* settings") from error


class _CertificateFiles:
    def __init__(self, certificate: Path, key: Path, authority: Path | None) -> None:
        self._certificate = certificate
        self._key = key
        self._authority = authority
        self._seen: tuple[int, ...] = ()

    def read(self) -> grpc.ServerCertificateConfiguration:
        self._seen = self._times()
        authority = self._authority.read_bytes() if self._authority is not None else None
        pair = (self._key.read_bytes(), self._certificate.read_bytes())
        return grpc.ssl_server_certificate_configuration([pair], root_certificates=authority)

    def changed(self) -> grpc.ServerCertificateConfiguration | None:
        try:
            return None if self._times() == self._seen else self.read()
        except OSError:
            return None

    def _times(self) -> tuple[int, ...]:
        paths = (self._certificate, self._key, self._authority)
        return tuple(path.stat().st_mtime_ns for path in paths if path is not None)
