"""Server-sent events, cut out of bytes as they come (WHATWG, HTML, 9.2: names and data; the rest is passed over)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event; its data are the lines of it."""

    name: str
    data: str


class ServerEvents:
    """
    Reads events one by one.

    Not a generator: what stands between an endpoint and its reader is kept for as long as an answer takes.

    Args:
        chunks: Bytes, cut anywhere.
    """

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""
        self._name = ""
        self._data: tuple[str, ...] = ()
        self._ready: tuple[ServerEvent, ...] = ()

    async def next(self) -> ServerEvent | None:
        """Return the next event, None at the end; what no blank line ended is dropped. Raises UnicodeDecodeError."""
        while not self._ready:
            try:
                chunk = await anext(self._chunks)
            except StopAsyncIteration:
                self._rest.decode()
                return None
            self._ready = tuple(self._taken(chunk))
        event, *rest = self._ready
        self._ready = tuple(rest)
        return event

    def _taken(self, chunk: bytes) -> Iterator[ServerEvent]:
        lines = (self._rest + chunk).splitlines(keepends=True)
        # A carriage return may be half of a line's end.
        self._rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        for line in lines:
            text = line.decode().rstrip("\r\n")
            if text:
                self._take_field(text)
            elif self._name or self._data:
                yield ServerEvent(self._name, "\n".join(self._data))
                self._name, self._data = "", ()

    def _take_field(self, line: str) -> None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._data += (value,)
