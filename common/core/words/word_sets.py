"""
The words of a text as a small set: what the index knows of a file whose text it leaves out.

Writer and reader must use this file alike. A set holds the CRC-32 of each identifier of ASCII letters, digits and
underscores. So a word that is not in the text is found in a set of n words with a probability of n in 4 billion.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

_WORD = re.compile(rb"[A-Za-z_][0-9A-Za-z_]+")
_PIECE = 1 << 20
_FOREIGN = zlib.crc32(b"\xff")
"""Placeholder for any letter outside ASCII; no identifier contains this byte."""


def pack_words(data: bytes) -> bytes:
    """Return the set of the words of a text in any encoding that has ASCII as a part; b"" for none."""
    found: set[bytes] = set()
    for start in _pieces(data):
        found.update(_WORD.findall(data, *start))
    hashes = set(map(zlib.crc32, found))
    if not data.isascii():
        hashes.add(_FOREIGN)
    if not hashes:
        return b""
    ordered = np.array(sorted(hashes), dtype="<u4")
    return zlib.compress(np.diff(ordered, prepend=np.uint32(0)).astype("<u4").tobytes(), 6)


def unpack_words(packed: bytes) -> NDArray[np.uint32]:
    """Return the hashes of a set, ascending."""
    if not packed:
        return np.empty(0, dtype=np.uint32)
    return np.cumsum(np.frombuffer(zlib.decompress(packed), dtype="<u4"), dtype=np.uint32)


def hashes_of(text: str) -> NDArray[np.uint32]:
    """Return the hashes of the words of a text: every text with the same words has them in its set; may be empty."""
    data = text.encode("utf-8", "surrogatepass")
    hashes = set(map(zlib.crc32, _WORD.findall(data)))
    if not text.isascii():
        hashes.add(_FOREIGN)
    return np.array(sorted(hashes), dtype=np.uint32)


def _pieces(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of pieces of a long text, cut between words, so that not all words are in memory at once."""
    start = 0
    while start < len(data):
        end = min(start + _PIECE, len(data))
        while end < len(data) and data[end - 1 : end].isalnum() and end - start < 2 * _PIECE:
            end += 1
        yield start, end
        start = end


def concatenated(sets: Iterable[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """Return the hashes of several sets in one array, one set after the other."""
    listed = list(sets)
    return np.concatenate(listed) if listed else np.empty(0, dtype=np.uint32)
