"""Splits markdown that streams into text and code: code spans and fenced blocks (CommonMark 0.31, 6.1 and 4.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

# A quantifier followed by "+" is possessive: no run of blanks is scanned twice.
_TICKS = re.compile(r"`+|~{3,}+|~{1,2}+\Z")
_MARK = re.compile(r"[`~\n]")
_RUN = re.compile(r"`+")
_BEFORE_FENCE = re.compile(r"(?:[ \t>]|[-*+](?=[ \t])|\d{1,3}+[.)](?=[ \t]))*+")
"""What may stand before a fence on its line: indentation, quote marks, markers of a list."""
_INFO = re.compile(r"[^\n]*+")
_BLOCK_END = re.compile(r"\n[ \t]*+(?:\n|[-*+>] |\d{1,3}[.)] |#{1,6} |`{3}|~{3})")
"""End of a paragraph, which also ends an unclosed code span."""
_FENCE_TICKS = 3
_LONGEST_SPAN = 1000
_LONGEST_INFO = 200
_LONGEST_PREFIX = 100


class Kind(Enum):
    """What a segment of markdown is."""

    TEXT = auto()
    SPAN = auto()
    FENCE = auto()


@dataclass(frozen=True, slots=True)
class Segment:
    """
    The next piece of markdown, not consumed yet.

    `opens` and `closes` mark the pieces of a fenced block that hold its first and its last line.
    """

    kind: Kind
    text: str
    opens: bool = False
    closes: bool = False


class MarkdownLexer:
    """
    Reads segments from a buffer that grows.

    Ambiguous input stays in the buffer: a run of backticks at its end, an unclosed code span, a line that may become a
    fence. A backtick that is not closed within its paragraph is text.
    """

    def __init__(self) -> None:
        self._buffer = ""
        self._at = 0
        self._line = ""
        self._fence = ""

    def feed(self, chunk: str) -> None:
        """Append to the buffer."""
        self._buffer = self._buffer[self._at :] + chunk
        self._at = 0

    def passes(self, chunk: str) -> bool:
        """Consume a chunk without code marks if the buffer is empty; return whether it was consumed."""
        if self._fence or self._at < len(self._buffer) or _MARK.search(chunk):
            return False
        self._line = (self._line + chunk)[:_LONGEST_PREFIX]
        return True

    @property
    def rest(self) -> str:
        """Return everything that is not consumed."""
        return self._buffer[self._at :]

    @property
    def line(self) -> str:
        """Return the consumed beginning of the current line, 100 characters at most."""
        return self._line

    def read(self, *, is_end: bool) -> Segment | None:
        """Return the next settled segment; None if more input is needed, or nothing is left."""
        if self._at >= len(self._buffer):
            return None
        if self._fence:
            return self._fenced(self._fence, self._at, is_end=is_end)
        at = self._at
        while ticks := _TICKS.search(self._buffer, at):
            kind, end = self._code_at(ticks, is_end=is_end)
            if kind is Kind.TEXT and end >= 0:
                at = end
                continue
            if ticks.start() > self._at:
                return self._text(ticks.start())
            if end < 0:
                return None
            if kind is Kind.FENCE:
                return self._fenced(ticks[0], end, is_end=is_end, opens=True)
            return Segment(Kind.SPAN, self._buffer[self._at : end])
        return self._text(len(self._buffer))

    def take(self, segment: Segment, length: int | None = None) -> str:
        """Consume the segment that was read last, or only its beginning, and return that."""
        if segment.opens:
            fence = _TICKS.match(segment.text)
            self._fence = fence[0] if fence else ""
        if segment.closes:
            self._fence = ""
        return self._consume(len(segment.text) if length is None else length)

    def skip(self, length: int) -> str:
        """Consume and return raw input, including code; the rest begins a line."""
        taken = self._consume(length)
        self._fence = self._line = ""
        return taken

    def _consume(self, length: int) -> str:
        taken = self._buffer[self._at : self._at + length]
        self._at += len(taken)
        newline = taken.rfind("\n")
        line = taken[newline + 1 :] if newline >= 0 else self._line + taken
        self._line = line[:_LONGEST_PREFIX]
        return taken

    def _text(self, end: int) -> Segment:
        return Segment(Kind.TEXT, self._buffer[self._at : end])

    def _code_at(self, ticks: re.Match[str], *, is_end: bool) -> tuple[Kind, int]:
        """Return the kind of segment that ticks begin, and its end or that of its first line; -1 if undecided."""
        is_cut = ticks.end() == len(self._buffer) and not is_end
        if len(ticks[0]) >= _FENCE_TICKS and self._begins_line(ticks.start()):
            info = _INFO.match(self._buffer, ticks.end())
            assert info is not None, "it matches nothing, too"
            is_whole = is_end or info.end() < len(self._buffer) or len(info[0]) > _LONGEST_INFO
            if ticks[0][0] == "~" or "`" not in info[0]:
                return Kind.FENCE, info.end() if is_whole else -1
        if ticks[0][0] == "~":
            is_settled = is_end or len(ticks[0]) >= _FENCE_TICKS or not self._begins_line(ticks.start())
            return Kind.TEXT, ticks.end() if is_settled else -1
        return (Kind.SPAN, -1) if is_cut else self._span(ticks, is_end=is_end)

    def _begins_line(self, at: int) -> bool:
        newline = self._buffer.rfind("\n", self._at, at)
        before = self._buffer[newline + 1 : at] if newline >= 0 else self._line + self._buffer[self._at : at]
        return len(before) < _LONGEST_PREFIX and _BEFORE_FENCE.fullmatch(before) is not None

    def _span(self, ticks: re.Match[str], *, is_end: bool) -> tuple[Kind, int]:
        """Return the end of a code span; if the ticks open none, they are text, and their end is returned."""
        farthest = ticks.end() + _LONGEST_SPAN
        block = _BLOCK_END.search(self._buffer, ticks.end(), farthest)
        last = block.start() if block else min(len(self._buffer), farthest)
        for closing in _RUN.finditer(self._buffer, ticks.end(), last):
            if len(closing[0]) == len(ticks[0]):
                is_cut = closing.end() == len(self._buffer) and not is_end
                return Kind.SPAN, -1 if is_cut else closing.end()
        is_settled = is_end or block is not None or last < len(self._buffer)
        return (Kind.TEXT, ticks.end()) if is_settled else (Kind.SPAN, -1)

    def _fenced(self, fence: str, at: int, *, is_end: bool, opens: bool = False) -> Segment | None:
        """Return the decided part of a fenced block, examined from `at` on."""
        if not opens and self._line:
            # The rest of a partly consumed line cannot be a fence.
            newline = self._buffer.find("\n", at)
            at = newline if newline >= 0 else len(self._buffer)
        closing = re.compile(rf"^[ \t>]*+{fence[0]}{{{len(fence)},}}+[ \t]*+$", re.MULTILINE)
        found = closing.search(self._buffer, at)
        if found and (is_end or found.end() < len(self._buffer)):
            return Segment(Kind.FENCE, self._buffer[self._at : found.end()], opens, closes=True)
        end = len(self._buffer)
        last = self._buffer.rfind("\n", at) + 1 or (at if not self._line else end)
        if not is_end and not (opens and last == at) and not self._buffer[last:].strip(" \t>" + fence[0]):
            end = last
        return Segment(Kind.FENCE, self._buffer[self._at : end], opens) if end > self._at else None
