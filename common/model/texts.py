"""Sanitizes text of models for transport and storage: no lone surrogates, no NUL."""

from __future__ import annotations

import re
from typing import Any

_INVALID = re.compile("[\0\ud800-\udfff]")
_HIGH_SURROGATE = re.compile("[\ud800-\udbff]\\Z")
_REPLACEMENT = "\ufffd"


def sanitize(text: str) -> str:
    """Return a text with surrogate pairs joined to characters; lone surrogates and NUL become U+FFFD."""
    if not _INVALID.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", _REPLACEMENT)


def sanitize_json(value: Any) -> Any:
    """Return a decoded JSON value with all its strings sanitized."""
    match value:
        case str():
            return sanitize(value)
        case list():
            return [sanitize_json(each) for each in value]
        case dict():
            return {sanitize(name): sanitize_json(each) for name, each in value.items()}
        case _:
            return value


class StreamSanitizer:
    """Sanitizes text that arrives in pieces: a surrogate pair may be split between two of them."""

    __slots__ = ("_high",)

    def __init__(self) -> None:
        self._high = ""

    def take(self, piece: str) -> str:
        """Take the next piece; return the text that is complete by now, maybe ""."""
        text = self._high + piece
        self._high = text[-1] if _HIGH_SURROGATE.search(text) else ""
        return sanitize(text.removesuffix(self._high))

    def end(self) -> str:
        """Return the rest after the last piece, usually ""."""
        return sanitize(self._high)
