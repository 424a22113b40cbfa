"""Injected sources of ids, so that tests can predict them."""

from __future__ import annotations

import secrets
from typing import Protocol


class IdSource(Protocol):
    """Makes identities."""

    def new(self, prefix: str) -> str:
        """Return an identity that was never returned before, starting with `prefix` and "_"."""
        ...


class RandomIds:
    """Identities of 128 random bits: they cannot be guessed."""

    def new(self, prefix: str) -> str:
        """Return `prefix`, "_" and 32 lower-case hexadecimal digits."""
        return f"{prefix}_{secrets.token_hex(16)}"
