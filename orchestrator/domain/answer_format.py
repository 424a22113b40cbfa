"""
The form in which a model is asked to answer, read while it streams: text, then a tagged section of gaps.

    The text ...
    <gaps>
    <gap symbol="Query.names_to_path" path="db/models/sql/query.py">how lookups are split</gap>
    </gaps>

What belongs to a tag, or may turn out to, is held back, so that no part of one ever reaches the caller: not when it
is split over chunks, not when it is malformed, not when it is never closed.
"""

from __future__ import annotations

import re

from orchestrator.domain.evidence import Gap

# `<gaps>` and `<gap ...>`, opening or closing, in any case and with stray blanks. A capital form right behind a word
# is a type argument (`List<Gap>`), not a tag.
_TAG = re.compile(r"<\s*/?\s*gaps?(?![\w-])|(?<!\w)<\s*/?\s*(?i:gaps?)(?![\w-])")
_MAYBE_TAG = re.compile(r"<\s*/?\s*(?i:g|ga|gap|gaps)?$")
# White space, and the fence that some models put around the section, wait until it is known what follows.
_TAIL = re.compile(r"(?:\s+|\s*`{1,2}|\s*```\w*\s*)$")
_OPENED_FENCE = re.compile(r"```\w*$")
_CLOSED = re.compile(r"<\s*/\s*gaps\s*>", re.IGNORECASE)
_AFTER_SECTION = re.compile(r"^\s*(?:```)?\s*")
_GAP = re.compile(r"<\s*gap(?![\w-])([^>]*)>([^<]*)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_BULLET = re.compile(r"^\s*(?:[-*]|\d+[.)])\s+(.*\S)", re.MULTILINE)
_BACKTICKED = re.compile(r"`([^`\s]+)`")
_MAX_SECTION = 20_000
_LONGEST_CLOSING = 16


class AnswerParser:
    """
    Splits a model's stream into text and gaps.

    Args:
        max_gaps: What a model names beyond this is left out.
    """

    def __init__(self, *, max_gaps: int = 20) -> None:
        self._max_gaps = max_gaps
        self._held = ""
        self._section = ""
        self._in_section = False
        self._after_section = False
        self._fences = 0

    def feed(self, chunk: str) -> str:
        """Take the next piece of the stream and return the text that is safe to show, maybe ""."""
        self._held += chunk
        shown = ""
        while self._in_section or self._enters_section():
            if not self._in_section:
                shown += self._before_section()
            if not self._leaves_section():
                return shown
        return shown + self._release(self._safe_length())

    def finish(self) -> tuple[str, tuple[Gap, ...]]:
        """Return the rest of the text and the gaps, after the last chunk."""
        if self._in_section:
            self._section += self._held
            return "", _gaps(self._section)[: self._max_gaps]
        maybe = _MAYBE_TAG.search(self._held)
        is_cut_tag = maybe is not None and maybe[0].strip("</ \t\n") != ""
        rest = self._release(maybe.start() if maybe and is_cut_tag else len(self._held))
        return rest.rstrip(), _gaps(self._section)[: self._max_gaps]

    def _enters_section(self) -> bool:
        tag = _TAG.search(self._held)
        # At the very end the name may go on: `<gaps` could still become `<gapsize>`.
        return tag is not None and tag.end() < len(self._held)

    def _before_section(self) -> str:
        tag = _TAG.search(self._held)
        assert tag is not None
        text = self._release(tag.start()).rstrip()
        self._in_section = True
        opened = _OPENED_FENCE.search(text)
        # An odd number of fences so far means that the last one opened a block: around the section.
        return text[: opened.start()].rstrip() if opened and self._fences % 2 else text

    def _leaves_section(self) -> bool:
        closed = _CLOSED.search(self._held)
        cut = closed.start() if closed else max(0, len(self._held) - _LONGEST_CLOSING)
        self._section = (self._section + self._held[:cut])[:_MAX_SECTION]
        self._held = self._held[closed.end() if closed else cut :]
        if closed:
            self._in_section = False
            self._after_section = True
            self._fences = 0
        return closed is not None

    def _release(self, length: int) -> str:
        text, self._held = self._held[:length], self._held[length:]
        if self._after_section:
            text = _AFTER_SECTION.sub("", text, count=1)
            if not text:
                return ""
            self._after_section = False
            text = "\n\n" + text
        self._fences += text.count("```")
        return text

    def _safe_length(self) -> int:
        undecided = _TAG.search(self._held) or _MAYBE_TAG.search(self._held)
        end = undecided.start() if undecided else len(self._held)
        tail = _TAIL.search(self._held, 0, end)
        return tail.start() if tail else end


def _gaps(section: str) -> tuple[Gap, ...]:
    tagged = [_gap_from_tag(match) for match in _GAP.finditer(section)]
    found = tagged or [_gap_from_line(match[1]) for match in _BULLET.finditer(section)]
    return tuple(dict.fromkeys(gap for gap in found if gap.description or gap.symbol or gap.path))


def _gap_from_tag(match: re.Match[str]) -> Gap:
    given = {each[1].lower(): (each[2] or each[3] or "").strip() for each in _ATTRIBUTE.finditer(match[1])}
    return Gap(description=" ".join(match[2].split()), symbol=given.get("symbol", ""), path=given.get("path", ""))


def _gap_from_line(line: str) -> Gap:
    named = _BACKTICKED.search(line)
    symbol = named[1].removesuffix("()") if named else ""
    is_path = "/" in symbol
    return Gap(description=line.strip(), symbol="" if is_path else symbol, path=symbol if is_path else "")
