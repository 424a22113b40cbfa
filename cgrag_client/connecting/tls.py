"""gRPC channels, unencrypted or over TLS; certificate files that change are read again without a restart."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc

from cgrag_client.connecting.tokens import is_local
from cgrag_client.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Self

    from cgrag_client.connecting.settings import ClientSettings

_UNPROXIED = ("grpc.enable_http_proxy", 0)


class RenewedCredentials:
    """
    TLS credentials from certificate files, read again when the files change.

    Args:
        authority: File with the certificate authorities to trust (PEM).
        pair: Files with the client's certificate chain and its private key (PEM); None sends no certificate.

    Raises:
        UsageError: if a file cannot be read or is not PEM, or the key does not belong to the certificate.
    """

    def __init__(self, authority: Path, pair: tuple[Path, Path] | None = None) -> None:
        self._authority = authority
        self._pair = pair
        self._seen, self._credentials = self._read()

    def current(self) -> grpc.ChannelCredentials:
        """
        Return the credentials in force: the same object until the files change.

        The files may be replaced one after the other: until they are valid together, the earlier credentials stay.
        """
        try:
            if self._state() != self._seen:
                self._seen, self._credentials = self._read()
        except (OSError, UsageError):
            pass  # keep the earlier credentials; if they are rejected, the call reports it
        return self._credentials

    def _state(self) -> list[tuple[int, ...]]:
        found = [path.stat() for path in (self._authority, *(self._pair or ()))]
        return [(each.st_mtime_ns, each.st_size, each.st_ino) for each in found]

    def _read(self) -> tuple[list[tuple[int, ...]], grpc.ChannelCredentials]:
        try:
            seen = self._state()  # before the files are read: a change while reading is then noticed
            authority = self._authority.read_bytes()
            chain, key = (path.read_bytes() for path in self._pair) if self._pair else (None, None)
            problem = self._problem()
        except OSError as error:
            problem = f"{error.filename}: cannot be read ({error.strerror})"
        if problem:
            raise UsageError(f"{problem}; check ca_file, certificate_file and key_file of [client]")
        return seen, grpc.ssl_channel_credentials(authority, key, chain)

    def _problem(self) -> str:
        """Return what is wrong with the files: gRPC accepts any content and then fails to connect."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.set_ciphers("DEFAULT:@SECLEVEL=0")  # the strength of the keys is not checked here
        try:
            context.load_verify_locations(self._authority)
        except ssl.SSLError:
            return f"{self._authority}: holds no certificate (PEM)"
        if self._pair:
            try:
                # With password=None, OpenSSL would prompt at the terminal for the password of an encrypted key.
                context.load_cert_chain(*self._pair, password="")
            except ssl.SSLError as error:
                wrong = "do not belong together" if error.reason == "KEY_VALUES_MISMATCH" else "are not both PEM"
                return f"{self._pair[0]} and its key {self._pair[1]} {wrong}"
        return ""


def channel_credentials(settings: ClientSettings) -> RenewedCredentials | None:
    """
    Return credentials for channels to the services; None for channels without TLS.

    Raises:
        UsageError: if a file cannot be read or is not PEM, or if certificate and key are not both set, or are set
            without a certificate authority.
    """
    if bool(settings.certificate_file) != bool(settings.key_file):
        raise UsageError("client.certificate_file and client.key_file go together; set both or none")
    if not settings.ca_file:
        if settings.certificate_file:
            raise UsageError("client.certificate_file is set without client.ca_file, which turns TLS on")
        return None
    names = (settings.ca_file, settings.certificate_file, settings.key_file)
    authority, certificate, key = (Path(name).expanduser() for name in names)
    return RenewedCredentials(authority, (certificate, key) if settings.certificate_file else None)


def open_channel(
    target: str, credentials: RenewedCredentials | None, options: Sequence[tuple[str, str | int]] = ()
) -> grpc.aio.Channel:
    """
    Open a channel: over TLS with credentials, unencrypted without.

    Connections to this machine ignore the proxies that the environment sets; connections to other machines use them.

    After the credentials' files changed, new calls use connections with the new certificates.
    """
    if is_local(target):
        options = (*options, _UNPROXIED)
    if credentials is None:
        return grpc.aio.insecure_channel(target, options=options)
    return _RenewedChannel(
        lambda current: grpc.aio.secure_channel(target, current, options=options), credentials.current
    )


class _RenewedChannel(grpc.aio.Channel):
    """
    A channel whose calls use the credentials current at their start; the credentials of a plain gRPC channel are fixed.

    It opens one gRPC channel for each new credentials object. Running calls stay on their channel. Earlier channels are
    closed only together with this one: gRPC drops the connection of an idle channel after half an hour, and the rest of
    a channel is small.

    Args:
        open_channel: Opens a channel with credentials.
        current: Returns the credentials in force: the same object until they change. Called for each call.
    """

    def __init__(
        self,
        open_channel: Callable[[grpc.ChannelCredentials], grpc.aio.Channel],
        current: Callable[[], grpc.ChannelCredentials],
    ) -> None:
        self._open = open_channel
        self._current = current
        self._opened: dict[grpc.ChannelCredentials, grpc.aio.Channel] = {}
        self._now()

    def _now(self) -> grpc.aio.Channel:
        credentials = self._current()
        if credentials not in self._opened:
            self._opened[credentials] = self._open(credentials)
        return self._opened[credentials]

    def _method(self, shape: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        # The method of the current channel is created at each call: stubs live long, and creating it is cheap.
        return lambda *of_call, **more: getattr(self._now(), shape)(*arguments, **options)(*of_call, **more)

    async def close(self, grace: float | None = None) -> None:
        """Close all opened channels; calls that still run after `grace` seconds are cancelled."""
        await asyncio.gather(*(each.close(grace) for each in self._opened.values()))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        """Return the state of the current channel, which the next call will use."""
        return self._now().get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """Wait until the current channel is in another state than the given one."""
        await self._now().wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        """Wait until the current channel is connected."""
        await self._now().channel_ready()

    def unary_unary(self, *arguments: Any, **options: Any) -> Any:
        """Return a method of one request and one response."""
        return self._method("unary_unary", arguments, options)

    def unary_stream(self, *arguments: Any, **options: Any) -> Any:
        """Return a method of one request and a stream of responses."""
        return self._method("unary_stream", arguments, options)

    def stream_unary(self, *arguments: Any, **options: Any) -> Any:
        """Return a method of a stream of requests and one response."""
        return self._method("stream_unary", arguments, options)

    def stream_stream(self, *arguments: Any, **options: Any) -> Any:
        """Return a method of streams both ways."""
        return self._method("stream_stream", arguments, options)
