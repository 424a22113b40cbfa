"""Text of a model, made fit for every wire and store: no half characters, and no NUL."""

from __future__ import annotations

import re
from typing import Any

_UNFIT = re.compile("[\0\ud800-\udfff]")
_FIRST_HALF = re.compile("[\ud800-\udbff]\\Z")
_INSTEAD = "\ufffd"


def fit(text: str) -> str:
    """Return a text with its halves joined to characters (surrogate pairs); what is none becomes U+FFFD."""
    if not _UNFIT.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", _INSTEAD)


def all_fit(value: Any) -> Any:
    """Return what JSON held with all its texts fit."""
    match value:
        case str():
            return fit(value)
        case list():
            return [all_fit(each) for each in value]
        case dict():
            return {fit(name): all_fit(each) for name, each in value.items()}
        case _:
            return value


class Pieces:
    """Makes text fit that comes in pieces: a character may have come as two halves in two of them."""

    __slots__ = ("_half",)

    def __init__(self) -> None:
        self._half = ""

    def take(self, piece: str) -> str:
        """Take the next piece, and return what is whole by now, maybe ""."""
        text = self._half + piece
        self._half = text[-1] if _FIRST_HALF.search(text) else ""
        return fit(text.removesuffix(self._half))

    def end(self) -> str:
        """Return what is left after the last piece, mostly ""."""
        return fit(self._half)
