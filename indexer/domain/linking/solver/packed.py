"""Programs as bytes: those of a large tree would take twenty times the memory as tuples, all at once."""

from __future__ import annotations

import marshal
import zlib
from typing import Any


def pack(program: Any) -> bytes:
    """Return a program, or part of one, as bytes: anything that `marshal` can keep. None is no program and b""."""
    return b"" if program is None else zlib.compress(marshal.dumps(program), 1)


def unpack(packed: bytes) -> Any:
    """Unpack a program; equal names are interned."""
    return marshal.loads(zlib.decompress(packed))  # noqa: S302 - packed by us
