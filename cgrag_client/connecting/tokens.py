"""The caller's token: where it comes from, over which connections it may go, and how a new one is made."""

from __future__ import annotations

import hashlib
import ipaddress
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from cgrag_client.errors import UsageError

if TYPE_CHECKING:
    from cgrag_client.connecting.settings import ClientSettings

_PREFIX = "cgt_"
_LOCAL_SCHEMES = ("unix:", "unix-abstract:")


def token_of(settings: ClientSettings) -> str:
    """Return the token to send, "" for none. Raises UsageError if its file cannot be read, or both are set."""
    if not settings.token_file:
        return _checked(settings.token, "token")
    if settings.token:
        raise UsageError("[client] token and token_file are both set; keep one of them")
    try:
        text = Path(settings.token_file).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"[client] token_file {settings.token_file}: cannot be read ({error})") from None
    if not text.strip():
        raise UsageError(f"[client] token_file {settings.token_file}: it is empty")
    return _checked(text.strip(), f"token_file {settings.token_file}")


def is_local(target: str) -> bool:
    """Return whether a gRPC target is on this machine."""
    if target.startswith(_LOCAL_SCHEMES):
        return True
    host = target.rpartition("/")[2].removeprefix("ipv4:").removeprefix("ipv6:").rpartition(":")[0].strip("[]")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """Make a token of 256 random bits; its prefix lets secret scanners recognise it."""
    return _PREFIX + secrets.token_urlsafe(32)


def new_key() -> str:
    """Make a key of 256 random bits for the services' `identity_key_file`."""
    return secrets.token_hex(32)


def hash_of(token: str) -> str:
    """Return the hash of a token for an access file; 256 random bits need no salt or slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def _checked(token: str, where: str) -> str:
    if token and not (token.isascii() and token.isprintable() and " " not in token):
        raise UsageError(f"[client] {where}: a token is visible ASCII characters without blanks")
    return token
