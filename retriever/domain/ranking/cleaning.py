"""Removes from a report what says nothing about the code: template comments, links, versions, checklists."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from retriever.domain.ranking.mentions import ARROW, CALL_FRAME

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_URL = re.compile(r"(?:https?|ftp)://[^\s)>\]\"'`]+")
# A match ends where the next image begins, and never backtracks: thousands of unclosed ones take linear time.
_IMAGE = re.compile(
    r"!\[(?:[^\]\n!]++|!(?!\[))*+\]\((?:[^)\n!]++|!(?!\[))*+\)|<img\b[^<>]*+>",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?(?:details|summary|br|p|b|i|pre|code|sub|sup|div|h\d)\b[^<>]*+>", re.IGNORECASE)
_FENCE = re.compile(r"^\s{0,3}(```+|~~~+)")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+(?P<mark>\S.*)|\*\*(?P<bold>[^*]+)\*\*:?\s*)$")
_CHECKBOX = re.compile(r"^\s*[-*]\s*\[[ xX]\]")
_NUMBER = re.compile(r"\d\.\d")
_VERSION_LINE = re.compile(
    r"^\s*+(?:[-*]\s*+)?(?:(?<= )(?:==|[:=])\s*+|(?<= \s)|[\w.\-/()][\w .\-/()]{0,39}?(?:==|[:=]|\s)\s*+)"
    r"v?\d++\.\d++[\w.+\-]*+(?:\s.{0,60})?$",
    re.IGNORECASE,
)
_SYSTEM_LINE = re.compile(
    r"^\s*+(?:[-*]\s*+)?(?:python|os|platform|version|machine|processor|libhdf5|libnetcdf|LC_ALL|LANG|byteorder)\b"
    r"[\w\- ]*:.*$",
    re.IGNORECASE,
)
_MAX_VERSION_LINE = 160
_NOISE_SECTION = re.compile(
    r"\b(?:versions?|environment|system info\w*|system details|setup|checklist|your environment|output of|platform|"
    r"configuration of|code of conduct|before (?:you )?submit\w*|are you willing|installed versions|show_versions)\b",
    re.IGNORECASE,
)
_TEMPLATE_HEADING = re.compile(
    r"^(?:describe the (?:bug|issue|problem)|bug (?:description|report)|description|what happened\??|"
    r"what (?:i|you|did you) expect\w*.*|expected (?:behaviou?r|output|results?|vs actual behaviou?r)|"
    r"actual (?:behaviou?r|output|results?)|observed behaviou?r|(?:steps|how|code) to reproduce.*|to reproduce|"
    r"reproduc(?:tion|er|ible example).*|minimal (?:complete |working |reproducible )*.*example.*|screenshots?|"
    r"additional (?:context|information|comments)|anything else.*|relevant log output|search before asking|"
    r"is your feature request related.*|describe (?:the solution|alternatives).*|problem description|summary|details|"
    r"possible solution|proposed (?:solution|fix)|your project|dialect|command used|desired behaviou?r.*)[:?.]*$",
    re.IGNORECASE,
)
_TRACE_START = re.compile(
    r"^\s*(?:[\w.]+\s+)?Traceback \(most recent call last\)|^\s*File \"[^\"]+\", line \d+|^<ipython-input"
)
_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.|In \[\d+\]:|\$) ")


class Zone(Enum):
    """Where in a report a line stands."""

    TITLE = auto()
    PROSE = auto()
    CODE = auto()
    TRACE = auto()


@dataclass(frozen=True, slots=True)
class ZonedLine:
    """One line that is kept, and its zone."""

    zone: Zone
    text: str


def clean(text: str) -> tuple[ZonedLine, ...]:
    """Split a report into lines by zone and leave out what is noise; the first line with words is the title."""
    body = _COMMENT.sub(" ", text.replace("\r\n", "\n"))
    body = _TAG.sub(" ", _IMAGE.sub(" ", _URL.sub(" ", body)))
    kept: list[ZonedLine] = []
    reader = _Reader()
    for line in body.split("\n"):
        zone = reader.zone_of(line)
        if zone is not None and line.strip():
            kept.append(ZonedLine(zone, line))
    return tuple(kept)


class _Reader:
    """Goes through a report line by line and remembers the section and fence it is in."""

    def __init__(self) -> None:
        self._fence = ""
        self._in_noise = False
        self._in_trace = False
        self._titled = False

    def zone_of(self, line: str) -> Zone | None:
        """Tell the zone of the next line; None for a line to leave out."""
        if not line.strip():
            return None
        if not self._titled:
            self._titled = True
            return Zone.TITLE
        if self._toggle_fence(line):
            return None
        if not self._fence and self._is_heading(line):
            return None
        if self._in_noise or _CHECKBOX.match(line) or _names_version(line):
            return None
        return self._place(line)

    def _toggle_fence(self, line: str) -> bool:
        found = _FENCE.match(line)
        if found is None:
            return False
        mark = found.group(1)[:3]
        if self._fence and not self._fence.startswith(mark):
            return False
        self._fence = "" if self._fence else mark
        self._in_trace = False
        return True

    def _is_heading(self, line: str) -> bool:
        """Record a heading; return whether the line itself is to be left out."""
        found = _HEADING.match(line)
        if found is None:
            return False
        title = (found["bold"] or found["mark"].rstrip().rstrip("#")).strip()
        self._in_trace = False
        self._in_noise = len(title) < 60 and bool(_NOISE_SECTION.search(title))
        return self._in_noise or bool(_TEMPLATE_HEADING.match(title))

    def _place(self, line: str) -> Zone:
        if _TRACE_START.match(line) or CALL_FRAME.fullmatch(line) or ARROW.match(line):
            self._in_trace = True
        elif self._in_trace and line[:1].strip():
            # The first line that is not indented ends a traceback and is its message.
            self._in_trace = False
            return Zone.TRACE
        if self._in_trace:
            return Zone.TRACE
        indented = line.startswith(("    ", "\t")) and not line.lstrip().startswith(("-", "*", "+"))
        return Zone.CODE if self._fence or indented or _PROMPT.match(line) else Zone.PROSE


def _names_version(line: str) -> bool:
    if len(line) > _MAX_VERSION_LINE:
        return False
    return bool(_SYSTEM_LINE.match(line) or (_NUMBER.search(line) and _VERSION_LINE.match(line)))
