"""
Stack traces of Python, Java/Kotlin, JavaScript/TypeScript, Go, Rust, C#, Ruby and PHP, by the shape of their lines.

Every form is one row of a table: the frame's pattern and whether the innermost frame is printed first. Patterns
tolerate quoting ("> "), indentation and, for Python, missing line breaks, as in text pasted into a web form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from classifier.domain.values import Trace
from common.core.contract.question import StackFrame

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_FRAMES = 100
MAX_MESSAGE_CHARS = 300

_LEAD = r"(?m)^[ \t>|]*"


@dataclass(frozen=True, slots=True)
class _Format:
    language: str
    frame: re.Pattern[str]
    innermost_first: bool
    marker: str


_FORMATS = (
    _Format(
        "python",
        re.compile(r'File "(?P<path>[^"\n]{1,400})", line (?P<line>\d{1,7})(?:, in (?P<function>[\w<>.]{1,200}))?'),
        innermost_first=False,
        marker='File "',
    ),
    # Notebooks and pytest; older notebooks give the line only by an arrow below. Prose may put a file "in" something,
    # too: a frame has a line, arguments or angle brackets.
    _Format(
        "python",
        re.compile(
            _LEAD + r"(?:File )?(?P<path>[^\s:\"'()]{1,400}\.pyx?)"
            r"(?:(?=:\d{1,7}[,:] in )|(?= in [^\n]{1,2000}[)>][ \t]*\r?$))(?::(?P<line>\d{1,7})[,:])? in "
            r"(?P<function>[\w<>.]{1,200})(?:\([^\n]*\))?[ \t]*\r?$"
            r"(?:(?=(?:\n(?![^\n]*\.py)[^\n]{0,300}){0,12}?\n-+> ?(?P<arrow>\d{1,7}))|)"
        ),
        innermost_first=False,
        marker=" in ",
    ),
    _Format(
        "java",
        re.compile(
            _LEAD + r"at (?:[\w.\-@]{1,80}/)?(?P<function>[\w$.]{1,300}(?:\.<(?:cl)?init>)?)"
            r"\((?P<path>[\w$.\-]{1,200}\.(?:java|kt|scala|groovy))(?::(?P<line>\d{1,7}))?\)"
        ),
        innermost_first=True,
        marker="at ",
    ),
    _Format(
        "csharp",
        re.compile(
            _LEAD + r"at (?P<function>[\w.`<>\[\]+,]{1,300})\([^)\n]{0,300}\) "
            r"in (?P<path>[^\n]{1,400}?):line (?P<line>\d{1,7})"
        ),
        innermost_first=True,
        marker=":line ",
    ),
    _Format(
        "go",
        re.compile(
            _LEAD + r"(?:created by )?(?P<function>[\w./\-~]{1,200}\.[\w.()*\[\]]{1,200}?)"
            r"(?:\([^)\n]{0,400}\))?(?: in goroutine \d+)?\r?\n"
            r"[ \t>]*(?P<path>(?:[A-Za-z]:)?[^\s:]{1,400}\.go):(?P<line>\d{1,7})"
        ),
        innermost_first=True,
        marker=".go:",
    ),
    _Format(
        "rust",
        re.compile(
            _LEAD + r"\d{1,4}: (?:0x[0-9a-f]{1,16} - )?(?P<function>[\w:<>{}#, &*\[\]]{1,300})\r?\n"
            r"[ \t>]*at (?P<path>[^\s:]{1,400}\.rs):(?P<line>\d{1,7})"
        ),
        innermost_first=True,
        marker=".rs:",
    ),
    _Format(
        "javascript",
        re.compile(
            _LEAD + r"at (?:async )?(?:(?P<function>[\w$#.<> \[\]]{1,200}) )?"
            r"\(?(?P<path>(?:file://|https?://|webpack[\w-]*://|node:)?[^\s()]{1,400}?\.?[\w$]{1,60}):(?P<line>\d{1,7}):\d{1,7}\)?"
        ),
        innermost_first=True,
        marker="at ",
    ),
    # Firefox and Safari.
    _Format(
        "javascript",
        re.compile(
            _LEAD + r"(?:[\w. ]{1,40}\*)?(?P<function>[\w$#./<>\[\]]{0,200})"
            r"@(?P<path>[a-z][a-z+.\-]{1,30}://[^\s]{1,400}?):(?P<line>\d{1,7}):\d{1,7}[ \t]*\r?$"
        ),
        innermost_first=True,
        marker="://",
    ),
    _Format(
        "ruby",
        re.compile(
            _LEAD + r"(?:\d{1,4}: )?(?:from )?(?P<path>[^\s:`']{1,400}\.(?:rb|rake|erb|ru)):"
            r"(?P<line>\d{1,7}):in [`'](?P<function>[^'\n]{1,200})'"
        ),
        innermost_first=True,
        marker=":in ",
    ),
    _Format(
        "php",
        re.compile(
            _LEAD + r"#\d{1,4} (?P<path>[^\n()]{1,400}\.php)\((?P<line>\d{1,7})\): (?P<function>[\w\\:>\-{}]{1,300})"
        ),
        innermost_first=True,
        marker=".php(",
    ),
)

_BARE = (
    re.compile(_LEAD + r"at (?:[\w.\-@]{1,80}/)?[\w$.<>]{1,300}\((?:Native Method|Unknown Source|<generated>)\)"),
    re.compile(_LEAD + r"\d{1,4}: (?:0x[0-9a-f]{1,16} - )?[\w<>{}#&*]{1,100}(?:::[\w:<>{}#, &*]{1,300})?[ \t]*\r?$"),
    re.compile(_LEAD + r"note: [^\n]{0,60}`?RUST_BACKTRACE=[^\n]{0,100}$"),
)
"""Lines of a trace without a file; they are not part of the question."""
_WRITTEN_AROUND = re.compile(r"^new (?=[\w$])| \[as [^\]]*\]$")
"""What V8 adds to a function's name: "new " for a constructor, "[as x]" for the name by which it was called."""

_TYPE = r"(?:[\w$]{1,80}(?:\.|::|\\))*[A-Za-z_$][\w$]{1,80}"
_TELLS = r"(?:: (?P<message>[^\n]+))?"
_THEN_FRAMES = r"\r?\n[ \t>]*at "
_THEN_FRAMES_OF_BROWSERS = r"\r?\n[ \t>]*(?:at |[\w$./<>*\[\]]{0,200}@[a-z][a-z+.\-]{1,30}://)"
_HEADS = (
    # Java, Kotlin: exceptions and their causes.
    re.compile(
        _LEAD
        + r"(?:Exception in thread \"[^\"\n]*\" |Caused by: )?(?P<type>(?:[a-z][\w$]*\.)+[A-Z][\w$]*)"
        + _TELLS
        + _THEN_FRAMES
    ),
    # C#.
    re.compile(r"Unhandled [Ee]xception[.:] (?P<type>[\w.]+)" + _TELLS),
    # JavaScript, TypeScript.
    re.compile(
        _LEAD
        + r"(?:Uncaught |Unhandled \w+: )?(?:\(in promise\) )?"
        + r"(?P<type>[A-Z]\w*(?:(?:Error|Exception)(?!\w)|(?=: )))(?: \[\w+\])?"
        + _TELLS
        + _THEN_FRAMES_OF_BROWSERS
    ),
    # Go.
    re.compile(_LEAD + r"panic: (?:(?P<type>runtime error): )?(?P<message>[^\n]+)"),
    # Rust, old and new.
    re.compile(r"panicked at '(?P<message>[^\n]{1,600}?)', [^\s:]{1,400}\.rs:\d+"),
    re.compile(r"panicked at [^\s:]{1,400}\.rs:\d+:\d+:\r?\n(?P<message>[^\n]+)"),
    # Ruby: message, then type in brackets.
    re.compile(r"\.rb:\d+:in [`'][^'\n]{1,200}': (?P<message>[^\n]{1,600}?) \((?P<type>[A-Z][\w:]*)\)"),
    # PHP.
    re.compile(r"Uncaught (?P<type>[\w\\]{1,200}): (?P<message>[^\n]{1,600}?) in [^\n]{1,400}\.php[:(]\d+"),
)
_CAUSE = re.compile(r"^[ \t>]*(?:Caused by: |\[cause\]: )", re.MULTILINE)
"""Line with which Java and JavaScript begin the trace of the cause, which follows that of its effect."""
_RECOVERED = re.compile(r" \[recovered[^\]\n]{0,80}\]\s*$")
"""Suffix that Go adds to a panic that was recovered and followed by another."""
_PYTHON_END = re.compile(r"(?m)^[ \t>]{0,12}(?P<type>" + _TYPE + r")(?:: (?P<message>[^\n]*))?[ \t]*$")
_PYTHON_END_FLAT = re.compile(
    r"(?<![\w.])(?P<type>(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit))"
    r"(?:: (?P<message>[^\n]{1,300}))?"
)


def find_traces(text: str) -> Trace:
    """
    Read every stack trace of a text.

    Frames of one language come outermost first; languages follow each other in the table's order. A trace cut short
    still gives the frames that are there.
    """
    frames: list[StackFrame] = []
    heads: list[re.Match[str]] = []
    spans: list[tuple[int, int]] = []
    for form in _FORMATS:
        if form.marker not in text:
            continue
        found = [match for match in form.frame.finditer(text) if not _covered(match, spans)][:MAX_FRAMES]
        if not found:
            continue
        spans.extend(_with_source_line(text, match) if form.language == "python" else match.span() for match in found)
        ordered = _turned(text, found) if form.innermost_first else found
        frames.extend(_frame(match, form.language) for match in ordered)
        if form.language == "python":
            ends = _python_ends(text, found)
            heads.extend(ends)
            spans.extend(match.span() for match in ends)
    spans.extend(match.span() for pattern in _BARE if frames for match in pattern.finditer(text))
    heads.extend(_other_heads(text, bool(frames)))
    return Trace(
        frames=tuple(dict.fromkeys(frames))[:MAX_FRAMES],
        exceptions=_distinct(match.groupdict().get("type") for match in heads),
        messages=_distinct(_RECOVERED.sub("", match.groupdict().get("message") or "") for match in heads),
        spans=tuple(spans),
    )


def _turned(text: str, found: list[re.Match[str]]) -> list[re.Match[str]]:
    """Reverse the frames of each trace, which come innermost first; a cause's trace stays below that of its effect."""
    traces: list[list[re.Match[str]]] = []
    end = 0
    for match in found:
        if not traces or _CAUSE.search(text, end, match.start()):
            traces.append([])
        traces[-1].append(match)
        end = match.end()
    return [match for trace in traces for match in reversed(trace)]


def _covered(match: re.Match[str], spans: list[tuple[int, int]]) -> bool:
    return any(start < match.end() and match.start() < end for start, end in spans)


def _with_source_line(text: str, match: re.Match[str]) -> tuple[int, int]:
    if text[match.end() : match.end() + 1] != "\n" or _is_closed(text, match, match.end()):
        return match.span()
    end = text.find("\n", match.end() + 1)
    return match.start(), end if end >= 0 else len(text)


def _is_closed(text: str, frame: re.Match[str], line_end: int) -> bool:
    """Return whether a frame has no source line, as in an interactive session: a less indented exception follows."""
    lead = text[text.rfind("\n", 0, frame.start()) + 1 : frame.start()]
    below = _PYTHON_END.match(text, line_end + 1)
    return below is not None and not lead.strip(" \t>|") and below.start("type") - below.start() < len(lead)


def _frame(match: re.Match[str], language: str) -> StackFrame:
    parts = match.groupdict()
    function = _WRITTEN_AROUND.sub("", (parts["function"] or "").strip())
    return StackFrame(parts["path"].strip(), int(parts["line"] or parts.get("arrow") or 0), function, language)


def _python_ends(text: str, frames: list[re.Match[str]]) -> list[re.Match[str]]:
    """Find the exception line of each Python trace: the first line after a run of frames that is no source line."""
    ends: list[re.Match[str]] = []
    for position, frame in enumerate(frames):
        limit = frames[position + 1].start() if position + 1 < len(frames) else min(len(text), frame.end() + 2000)
        segment_start = text.find("\n", frame.end(), limit)
        if segment_start < 0:
            flat = _PYTHON_END_FLAT.search(text, frame.end(), limit)
            ends.extend([flat] if flat else [])
            continue
        is_closed = _is_closed(text, frame, segment_start)
        source_end = -1 if is_closed else text.find("\n", segment_start + 1, limit)
        closing = _PYTHON_END.search(text, source_end if source_end >= 0 else segment_start, limit)
        if closing and ("." in closing["type"] or closing["type"][0].isupper()):
            ends.append(closing)
    return ends


def _other_heads(text: str, has_frames: bool) -> Iterable[re.Match[str]]:
    if not has_frames and "panic" not in text and "Uncaught" not in text and "Unhandled" not in text:
        return
    for pattern in _HEADS:
        yield from pattern.finditer(text)


def _distinct(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value.strip()[:MAX_MESSAGE_CHARS] for value in values if value and value.strip()))
