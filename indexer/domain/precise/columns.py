"""Cuts a line at columns that are counted in code units of UTF-8, UTF-16 or UTF-32."""

from __future__ import annotations

from enum import IntEnum


class Encoding(IntEnum):
    """Encoding in whose code units columns are counted; numbers are those of SCIP."""

    UTF8 = 1
    UTF16 = 2
    UTF32 = 3


_CODECS = {Encoding.UTF8: ("utf-8", 1), Encoding.UTF16: ("utf-16-le", 2)}


def cut(line: str, start: int, end: int, encoding: Encoding) -> tuple[str, str, str]:
    """Return the text before, in and after columns [start, end) of a line; three times "" if they are not within it."""
    if line.isascii() or encoding is Encoding.UTF32:
        fits = 0 <= start <= end <= len(line)
        return (line[:start], line[start:end], line[end:]) if fits else ("", "", "")
    codec, width = _CODECS[encoding]
    units = line.encode(codec)
    if not 0 <= start <= end <= len(units) // width:
        return "", "", ""
    parts = units[: start * width], units[start * width : end * width], units[end * width :]
    before, inside, behind = (part.decode(codec, "replace") for part in parts)
    return before, inside, behind
