"""Server-sent events, cut out of bytes as they come (WHATWG, HTML, 9.2: names and data; the rest is passed over)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

_MOST_BYTES = 1024 * 1024
_LINES_AT_ONCE = 250


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event; `data` are its data lines, joined."""

    name: str
    data: str


class ServerEvents:
    """
    Reads events one by one.

    Not a generator, to save memory: one reader exists for each open answer.

    Args:
        chunks: Bytes, cut anywhere.
    """

    __slots__ = ("_begun", "_chunks", "_data", "_half_ended", "_lines", "_name", "_read", "_size")

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._lines: Iterator[bytes] = iter(())
        self._read = 0
        self._begun: list[bytes] = []
        self._half_ended = False
        self._size = 0
        self._name = ""
        self._data: list[str] = []

    async def next(self) -> ServerEvent | None:
        """
        Return the next event, None at the end; an event without the blank line that ends it is dropped.

        Raises:
            ValueError: for an event that is larger than a megabyte by more than one chunk, or that is not UTF-8.
        """
        while True:
            self._read += 1
            if self._read % _LINES_AT_ONCE == 0:
                # A chunk may hold many thousands of lines: let other tasks run.
                await asyncio.sleep(0)
            line = next(self._lines, None)
            if line is not None:
                if (event := self._taken(line)) is not None:
                    return event
            elif self._size > _MOST_BYTES:
                raise ValueError("an event is too large")
            else:
                try:
                    self._lines = iter(self._ended_by(await anext(self._chunks)))
                except StopAsyncIteration:
                    b"".join(self._begun).decode()
                    return None

    def _ended_by(self, chunk: bytes) -> list[bytes]:
        """Return the lines that end within a chunk, without line ends; keep its last, incomplete line."""
        self._size += len(chunk)
        if self._half_ended and chunk:
            # The previous chunk ended with the carriage return of this line feed.
            chunk = chunk.removeprefix(b"\n")
            self._half_ended = False
        lines = chunk.splitlines()
        if not lines:
            return lines
        self._half_ended = chunk.endswith(b"\r")
        begun = [] if chunk.endswith((b"\r", b"\n")) else [lines.pop()]
        if lines:
            lines[0] = b"".join((*self._begun, lines[0]))
            self._begun = begun
        else:
            self._begun += begun
        return lines

    def _taken(self, line: bytes) -> ServerEvent | None:
        """Process a line; return the event if the line is the blank one that ends it."""
        if line:
            field, _, value = line.decode().partition(":")
            value = value.removeprefix(" ")
            if field == "event":
                self._name = value
            elif field == "data":
                self._data.append(value)
            return None
        self._size = 0
        if not self._name and not self._data:
            return None
        event = ServerEvent(self._name, "\n".join(self._data))
        self._name, self._data = "", []
        return event
