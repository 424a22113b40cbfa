"""Certificates that are replaced while servers and channels run: watches their files, and renews channels."""

from __future__ import annotations

import asyncio
import ssl
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    Open = Callable[[grpc.ChannelCredentials], grpc.aio.Channel]

LOOK_SECONDS = 1.0
_READS = 3

_State = tuple[tuple[int, ...], ...]


class UnfitCertificates(Exception):
    """Certificate files cannot be read, or do not match; the message names them and the reason."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """Authority, chain and key in PEM, as far as files are named."""

    authority: bytes | None
    chain: bytes | None
    key: bytes | None


class CertificateFiles:
    """
    Certificate files that belong together; `read` is their last valid content.

    Args:
        authority: File of the authority whose certificates are accepted; None accepts no certificates.
        certificate: File of the certificate chain to present, which belongs to `key`; None presents none.
        on_change: Called with "" when changed files are in use, or once with what is wrong with them.

    Raises:
        UnfitCertificates: if they cannot be read now or do not fit.
    """

    def __init__(
        self, authority: Path | None, certificate: Path | None, key: Path | None, on_change: Callable[[str], None]
    ) -> None:
        self._authority = authority
        self._certificate = certificate
        self._key = key
        self._on_change = on_change
        self._lock = threading.Lock()
        self._is_refused = False
        self._seen, self.read = self._read()

    def look(self) -> bool:
        """
        Read the files if they changed; return whether `read` is new.

        The files may be replaced one by one: until all of them match, the previous content stays in use.
        """
        with self._lock:
            try:
                if self._has_not_changed():
                    self._is_refused = False  # the files are again those in use
                    return False
                seen, read = self._read()
            except UnfitCertificates as error:
                if not self._is_refused:
                    self._on_change(str(error))
                self._is_refused = True
                return False
            self._seen, self.read, self._is_refused = seen, read, False
            self._on_change("")
            return True

    def _has_not_changed(self) -> bool:
        try:
            return self._state() == self._seen
        except OSError:
            return False

    def _read(self) -> tuple[_State, Certificates]:
        try:
            for _ in range(_READS):
                state = self._state()
                authority, chain, key = (
                    path.read_bytes() if path is not None else None
                    for path in (self._authority, self._certificate, self._key)
                )
                self._check()
                if self._state() == state:
                    return state, Certificates(authority, chain, key)
        except OSError as error:
            raise UnfitCertificates(f"{error.filename}: cannot be read ({error.strerror})") from error
        raise UnfitCertificates(f"{self._certificate or self._authority}: changes while it is read")

    def _check(self) -> None:
        """Check the files: gRPC accepts any content and then fails to connect."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.set_ciphers("DEFAULT:@SECLEVEL=0")  # the strength of the keys is not checked here
        if self._authority is not None:
            try:
                context.load_verify_locations(self._authority)
            except ssl.SSLError:
                raise UnfitCertificates(f"{self._authority}: holds no certificate (PEM)") from None
        if self._certificate is not None:
            try:
                # Without the empty password, one would be asked for at the terminal.
                context.load_cert_chain(self._certificate, self._key, password="")
            except ssl.SSLError as error:
                wrong = "do not belong together" if error.reason == "KEY_VALUES_MISMATCH" else "are not both PEM"
                raise UnfitCertificates(f"{self._certificate} and its key {self._key} {wrong}") from None

    def _state(self) -> _State:
        found = [path.stat() for path in self._paths()]
        return tuple((each.st_mtime_ns, each.st_size, each.st_ino) for each in found)

    def _paths(self) -> tuple[Path, ...]:
        return tuple(path for path in (self._authority, self._certificate, self._key) if path is not None)


class RenewedCredentials:
    """
    Credentials for channels. Those of gRPC are immutable, so new ones are made when the files change.

    Args:
        files: The certificate files; checked at most once a second.
        monotonic: Seconds of a clock that never goes back.
    """

    def __init__(self, files: CertificateFiles, monotonic: Callable[[], float]) -> None:
        self._files = files
        self._monotonic = monotonic
        self._current = _credentials(files.read)
        self._next_look = monotonic() + LOOK_SECONDS

    def current(self) -> grpc.ChannelCredentials:
        """Return credentials from the current files; the same object until the files change."""
        if self._monotonic() >= self._next_look:
            self._next_look = self._monotonic() + LOOK_SECONDS
            if self._files.look():
                self._current = _credentials(self._files.read)
        return self._current


class RenewedChannel(grpc.aio.Channel):
    """
    A channel on which each call uses the credentials that are current when it begins.

    The credentials of a gRPC channel are fixed. So after a change the next call opens a new channel; running calls stay
    on the one that they began on, which is closed after the last of them.

    Args:
        open_channel: Opens a channel with credentials.
        current: Returns the current credentials, the same object until they change. It is called for each call.
    """

    def __init__(self, open_channel: Open, current: Callable[[], grpc.ChannelCredentials]) -> None:
        self._open = open_channel
        self._current = current
        self._latest = _CountedChannel(open_channel, current())
        self._retired: set[_CountedChannel] = set()
        self._is_closed = False

    def latest(self) -> _CountedChannel:
        """Return the channel for a call that begins now."""
        credentials = self._current()
        if credentials is not self._latest.credentials and not self._is_closed:
            self._retired = {each for each in self._retired if not each.is_closed}
            self._retired.add(self._latest)
            self._latest.retire()
            self._latest = _CountedChannel(self._open, credentials)
        return self._latest

    async def close(self, grace: float | None = None) -> None:
        """Close all that is open; calls that still run after the grace are cancelled."""
        self._is_closed = True
        await asyncio.gather(*(each.close(grace) for each in (self._latest, *self._retired)))

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.close()

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        """Return the state of the channel that the next call goes over."""
        return self.latest().channel.get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """Wait until that channel is in another state."""
        await self.latest().channel.wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        """Wait until that channel is connected."""
        await self.latest().channel.channel_ready()

    def unary_unary(self, *arguments: Any, **options: Any) -> Any:
        """Return a method of one request and one response."""
        return _Method(self, "unary_unary", arguments, options)

    def unary_stream(self, *arguments: Any, **options: Any) -> Any:
        """Return a method of one request and a stream of responses."""
        return _Method(self, "unary_stream", arguments, options)

    def stream_unary(self, *arguments: Any, **options: Any) -> Any:
        """Return a method of a stream of requests and one response."""
        return _Method(self, "stream_unary", arguments, options)

    def stream_stream(self, *arguments: Any, **options: Any) -> Any:
        """Return a method of streams both ways."""
        return _Method(self, "stream_stream", arguments, options)


class _CountedChannel:
    """One gRPC channel with its credentials, and the number of calls that run over it."""

    def __init__(self, open_channel: Open, credentials: grpc.ChannelCredentials) -> None:
        self.credentials = credentials
        self.channel = open_channel(credentials)
        self._running = 0
        self._is_retired = False
        self._closing: asyncio.Task[None] | None = None

    def began(self, call: Any) -> None:
        """Count a call until it is done."""
        self._running += 1
        call.add_done_callback(self._ended)

    def retire(self) -> None:
        """Close the channel as soon as no call runs."""
        self._is_retired = True
        self._close_if_idle()

    async def close(self, grace: float | None = None) -> None:
        """Close now; calls that still run after the grace are cancelled."""
        self._begin_to_close(grace)
        assert self._closing is not None, "it has begun"
        await self._closing

    @property
    def is_closed(self) -> bool:
        """Return whether the channel and its calls are closed."""
        return self._closing is not None and self._closing.done()

    def _ended(self, _: Any) -> None:
        self._running -= 1
        self._close_if_idle()

    def _close_if_idle(self) -> None:
        if self._is_retired and not self._running:
            self._begin_to_close(None)

    def _begin_to_close(self, grace: float | None) -> None:
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self.channel.close(grace))


class _Method:
    """A method of a contract. A stub is made once, so this makes the method anew for each channel."""

    def __init__(self, owner: RenewedChannel, shape: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        self._owner = owner
        self._shape = shape
        self._arguments = arguments
        self._options = options
        self._latest: _CountedChannel | None = None
        self._made: Any = None

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Begin a call over the current channel."""
        latest = self._owner.latest()
        if latest is not self._latest:
            self._latest = latest
            self._made = getattr(latest.channel, self._shape)(*self._arguments, **self._options)
        call = self._made(*arguments, **options)
        latest.began(call)
        return call


def _credentials(read: Certificates) -> grpc.ChannelCredentials:
    return grpc.ssl_channel_credentials(read.authority, read.key, read.chain)
