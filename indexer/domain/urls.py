"""URLs of git repositories as they may be shown."""

from __future__ import annotations


def without_credentials(url: str) -> str:
    """Return a URL without user and password; user@host:path, which has no password, stays as it is."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        return url
    authority, slash, path = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"
