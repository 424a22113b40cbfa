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

# All of these read what a model wrote: none may look at a run of blanks, or at any other text, more than once. Where a
# quantifier is followed by "+", what it took is not given back.
#
# `<gaps>` and `<gap ...>`, opening or closing, in any case and with stray blanks. A capital form right behind a word
# is a type argument (`List<Gap>`), not a tag.
_SLASH = r"\s*+(?:/\s*+)?"
_TAG = re.compile(rf"<{_SLASH}gaps?(?![\w-])|(?<!\w)<{_SLASH}(?i:gaps?)(?![\w-])")
_MAYBE_TAG = re.compile(rf"<{_SLASH}(?i:g|ga|gap|gaps)?$")
# White space, and the fence that some models put around the section, wait until it is known what follows.
_FENCE_BEGUN = re.compile(r"[ \t]*+`{1,3}\w*")
_OPENED_FENCE = re.compile(r"[ \t]*+```\w*")
_FENCE = re.compile(r"\n[ \t]*+```")
_CLOSED = re.compile(r"<\s*+/\s*+gaps\s*+>", re.IGNORECASE)
_GAP = re.compile(r"<\s*+gap(?![\w-])([^>]{0,1000}+)>([^<]*+)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_BULLET = re.compile(r"^[ \t]*+(?:[-*]|\d{1,4}+[.)])[ \t]++(\S.*)", re.MULTILINE)
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
        # What was shown last tells whether a tag or a fence can begin here.
        self._last = "\n"

    def feed(self, chunk: str) -> str:
        """Take the next piece of the stream and return the text that is safe to show, maybe ""."""
        self._held += chunk
        shown = ""
        while self._in_section or (self._goes_on() and self._enters_section()):
            if not self._in_section:
                shown += self._before_section()
            if not self._leaves_section():
                return shown
        return shown + self._release(self._safe_length()) if self._goes_on() else shown

    def finish(self) -> tuple[str, tuple[Gap, ...]]:
        """Return the rest of the text and the gaps, after the last chunk."""
        if self._in_section:
            self._section += self._held
            return "", _gaps(self._section)[: self._max_gaps]
        if not self._goes_on():
            return "", _gaps(self._section)[: self._max_gaps]
        tag = self._find(_TAG) or self._find(_MAYBE_TAG)
        is_cut_tag = tag is not None and tag[0].strip("</ \t\n") != ""
        rest = self._release(self._start_of(tag) if tag and is_cut_tag else len(self._held))
        return rest.rstrip(), _gaps(self._section)[: self._max_gaps]

    def _find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Search what is held, with the letter before it in sight."""
        return pattern.search(self._last + self._held, len(self._last))

    def _start_of(self, match: re.Match[str]) -> int:
        return match.start() - len(self._last)

    def _goes_on(self) -> bool:
        """Skip blanks and a closing fence behind a section; tell whether it is known that other text follows."""
        if not self._after_section:
            return True
        behind = self._held.lstrip()
        rest = behind.removeprefix("```").lstrip()
        if not rest or "```".startswith(behind):
            return False
        self._held = "\n\n" + rest
        self._after_section = False
        return True

    def _enters_section(self) -> bool:
        tag = self._find(_TAG)
        # At the very end the name may go on: `<gaps` could still become `<gapsize>`.
        return tag is not None and tag.end() < len(self._last) + len(self._held)

    def _before_section(self) -> str:
        tag = self._find(_TAG)
        assert tag is not None
        before = self._last
        text = self._release(self._start_of(tag))
        self._in_section = True
        # An odd number of fences so far means that the last one opened a block: around the section.
        if self._fences % 2:
            text = text[: max(0, _length_without_end(before + text, _OPENED_FENCE) - len(before))]
        return text.rstrip()

    def _leaves_section(self) -> bool:
        closed = _CLOSED.search(self._held)
        cut = closed.start() if closed else max(0, len(self._held) - _LONGEST_CLOSING)
        self._section = (self._section + self._held[:cut])[:_MAX_SECTION]
        self._held = self._held[closed.end() if closed else cut :]
        if closed:
            self._in_section = False
            self._after_section = True
            self._fences = 0
            self._last = "\n"
        return closed is not None

    def _release(self, length: int) -> str:
        text, self._held = self._held[:length], self._held[length:]
        self._fences += len(_FENCE.findall(self._last + text))
        self._last = text[-1:] or self._last
        return text

    def _safe_length(self) -> int:
        undecided = self._find(_TAG) or self._find(_MAYBE_TAG)
        text = self._held[: self._start_of(undecided)] if undecided else self._held
        return max(0, _length_without_end(self._last + text, _FENCE_BEGUN) - len(self._last))


def _length_without_end(text: str, fence: re.Pattern[str]) -> int:
    """Return the length of a text without blanks at its end, nor a last line that is a fence, nor blanks before it."""
    end = len(text.rstrip())
    line = text.rfind("\n", 0, end)
    if line >= 0 and fence.fullmatch(text, line + 1, end):
        return len(text[:line].rstrip())
    return end


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
