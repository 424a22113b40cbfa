"""Reads source text: its signature and the lines that matter, each with its number in the file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from common.core.terms import count_terms
from orchestrator.domain.quoted_texts import quoted_terms
from orchestrator.domain.writing.prose import PRIVATE, docstring_end, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.evidence import Evidence

# Files may hold runs of blanks of any length: no pattern looks at one more than once.
_DEFINITION = re.compile(
    r"^\s*(?:export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|abstract\s+|final\s+|async\s+)*"
    r"(?:def|class|function|func|interface|type|struct|enum|const|let|var|fn)\b"
    r"|^\s*+(?!(?:if|else|for|while|switch|catch|return|synchronized)\b)[\w<>\[\], .#]++"
    r"\([^;]*\)(?:\s*+throws [\w., ]++|\s*+:[^;{}=\n]{1,200}+)?\s*+\{"
)
_BEFORE_DECLARATION = re.compile(rf"\s*(?!{PRIVATE})(?:$|@|#|//|/?\*|\[)")
_ASSIGNED = re.compile(r"\s*+[\w.$]++\s*+=\s*+(?:async\s++)?(?:function\b|\(|[\w$]++\s*+=>)")
"""A function of JavaScript that is put somewhere."""
_CALLABLE = re.compile(r"\w\(|=\s*(?:async\s+)?(?:function|\()")
FUNCTION = re.compile(r"\s*+(?:async\s+)?def\s+(\w+)")
_CUT = re.compile(r"\s*\.\.\. \((\d+) lines? cut\)\s*")
_BLANK_BEFORE_CLOSING = re.compile(r"(?:,|(?<![,\s]))\s++\)")
ABSENT = "\0"
"""Stands in place of a line that was cut."""
_LONGEST_HEAD = 16
"""Lines of a declaration; one that goes on further is taken to end with its first."""
_LEAD_IN = 1
"""Lines that a quotation has before the first that says something."""
_AROUND = 2
"""Lines shown before and after the one that is meant."""
_LONGEST_REST = 8
"""Lines by which a quotation may grow so that its last statement is whole."""
_DECLARED = 60
"""Lines in which a declaration ends, one parameter a line."""
_DOCSTRING = re.compile(r"\s*+[rRuU]?(\"\"\"|''')")
_COMMENT = re.compile(rf"\s*(?!{PRIVATE})(?:#|//|\*|/\*)")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Whole lines of a piece of evidence with their numbers, as they stand in the file."""

    path: str
    start_line: int
    lines: tuple[str, ...]

    @property
    def end_line(self) -> int:
        """Return the number of the last line."""
        return self.start_line + len(self.lines) - 1


def signature(text: str) -> str:
    """Return the declaration of source text on one line, without its body; "" if none is found."""
    lines = text.splitlines()
    at = next((at for at, line in enumerate(lines) if _DEFINITION.match(line) or _ASSIGNED.match(line)), None)
    if at is None:  # a language, or a layout, whose declarations have no word before them
        at = next((at for at, line in enumerate(lines) if not _BEFORE_DECLARATION.match(line)), None)
        if at is None or not _CALLABLE.search(lines[at]):
            return ""
    return _declaration(lines[at : at + 12])


def quoting_excerpt(evidence: Evidence, wanted: frozenset[str]) -> Excerpt | None:
    """Return the line that has most of some terms in quotation marks, to the end of its statement; None if none has."""
    lines = numbered_lines(evidence)
    documented = docstring_end("\n".join(lines[:_DECLARED]))
    begin = "\n".join(lines)[:documented].count("\n") + 1 if documented else 0
    shares = [_quoted_share(line, wanted) for line in lines]
    best = max(range(begin, len(lines)), key=lambda at: (shares[at], -at), default=-1)
    if best < 0 or not shares[best]:
        return None
    first = max(0, best - _LEAD_IN)
    return excerpt_of(evidence, lines, first, _statement_end(lines, best, best + 1, len(lines)))


def _quoted_share(line: str, wanted: frozenset[str]) -> float:
    return len(wanted & quoted_terms(line)) / max(1, len(wanted))


def default_of(text: str, name: str) -> str:
    """Return the default that a declaration gives a parameter, "" if it gives none, or more than a plain one."""
    head = "\n".join(text.splitlines()[:_DECLARED])
    found = re.search(
        rf"(?<![\w.]){re.escape(name)}\s*(?::[^=,()\n]{{1,80}})?\s*=\s*([\w.\"'\-]{{1,40}})\s*[,)\n]", head
    )
    return found[1] if found else ""


def whole(evidence: Evidence, max_lines: int) -> Excerpt | None:
    """Return all lines of a piece, None if they are many, or not the span's own."""
    lines = numbered_lines(evidence)
    return excerpt_of(evidence, lines, 0, len(lines)) if 0 < len(lines) <= max_lines else None


def body(evidence: Evidence, max_lines: int) -> Excerpt | None:
    """Return the lines below signature and docstring; None if they are many, or not shown in full."""
    lines = numbered_lines(evidence)
    first = _body_start(lines)
    shown = lines[first:]
    is_short = 0 < len(shown) <= max_lines and ABSENT not in shown and any(map(str.strip, shown))
    return excerpt_of(evidence, lines, first, len(lines)) if is_short else None


def excerpt_around(evidence: Evidence, line: int) -> Excerpt | None:
    """Return a line of the file with those around it, to the end of its statement; None if it is not shown."""
    lines = numbered_lines(evidence)
    at = line - max(1, evidence.span.start_line) if evidence.span else -1
    if not 0 <= at < len(lines) or lines[at] == ABSENT:
        return None
    first = at
    while first > max(0, at - _AROUND) and lines[first - 1] != ABSENT:
        first -= 1
    end = min(len(lines), max(at + _AROUND + 1, _statement_end(lines, at, at + 1, len(lines))))
    while end > at + 1 and not lines[end - 1].strip():
        end -= 1
    return excerpt_of(evidence, lines, first, end)


def best_excerpt(evidence: Evidence, wanted: frozenset[str], *, max_lines: int = 8) -> Excerpt | None:
    """
    Return the run of lines that shares most terms with the question; the first of equals.

    Signature and docstrings do not count: they are told elsewhere. None if nothing is shared or the place is unknown.
    """
    lines = numbered_lines(evidence)
    first = _body_start(lines)
    told = _in_docstrings(lines)
    scores = [0.0 if at in told else _line_score(line, wanted) for at, line in enumerate(lines)]
    ends = _definition_ends(lines)
    best, best_score = -1, 0.0
    for at in range(first, len(lines)):
        score = sum(scores[at : min(at + max_lines, ends[at])]) if lines[at].strip() else 0.0
        if score > best_score + 1e-9:
            best, best_score = at, score
    if best < 0:
        return None
    telling = [at for at in range(best, min(best + max_lines, ends[best])) if scores[at] > 0]
    before, last = telling[0] - _LEAD_IN, telling[-1]
    best = telling[0] if before in told else max(best, before)
    end = min(ends[best], max(last + 1, best + 3 if max_lines > 2 else 0))
    return excerpt_of(evidence, lines, best, _statement_end(lines, best, end, ends[best]))


def _in_docstrings(lines: Sequence[str]) -> set[int]:
    """
    Return the lines of strings that are statements of their own, as those of the methods of a class.

    One that was cut ends there, or at marks that stand alone further down.
    """
    inside: set[int] = set()
    mark = cut = ""
    for at, line in enumerate(lines):
        opened = None if mark else _DOCSTRING.match(line)
        if mark or opened:
            inside.add(at)
        if line == ABSENT:
            mark, cut = "", mark or cut
        elif mark:
            mark = "" if mark in line else mark
        elif opened and line.count(opened[1]) == 1:
            mark, cut = "" if line.strip() == cut else opened[1], ""
    return inside


def _definition_ends(lines: Sequence[str]) -> list[int]:
    """Return for each line where the next function of Python begins below it, with what stands above that one."""
    ends: list[int] = []
    end = len(lines)
    for at in range(len(lines) - 1, -1, -1):
        ends.append(end)
        if FUNCTION.match(lines[at]) or (end == at + 1 and lines[at].lstrip().startswith("@")):
            end = at
    return ends[::-1]


def _statement_end(lines: Sequence[str], start: int, end: int, limit: int) -> int:
    """Go on to the end of a statement that is open, unless that is far."""
    depth = sum(map(depth_of, lines[start:end]))
    at = end
    while depth > 0 and at < min(limit, end + _LONGEST_REST):
        depth += depth_of(lines[at])
        at += 1
    return at if depth <= 0 else end


def numbered_lines(evidence: Evidence) -> list[str]:
    """
    Return the lines of the span, `ABSENT` in place of each that was cut.

    Empty where the text is not the span's own lines, such as the outline of a long class: nothing can be quoted then.
    """
    lines: list[str] = []
    for line in evidence.text.splitlines():
        cut = _CUT.fullmatch(line) if evidence.truncated_lines else None
        lines += [ABSENT] * int(cut[1]) if cut else [line]
    span = evidence.span
    if span is None or (span.start_line and len(lines) != span.end_line - span.start_line + 1):
        return []
    return lines


def excerpt_of(evidence: Evidence, lines: Sequence[str], start: int, end: int) -> Excerpt:
    """Return the lines from `start`, or the first after it that was not cut, up to `end` or the next that was."""
    start = next((at for at in range(start, end) if lines[at] != ABSENT), end)
    whole = next((at for at in range(start, end) if lines[at] == ABSENT), end)
    span = evidence.span
    assert span is not None, "only text with a place has numbered lines"
    return Excerpt(span.path, max(1, span.start_line) + start, tuple(lines[start:whole]))


def _body_start(lines: Sequence[str]) -> int:
    text = "\n".join(lines[:60])
    documented = docstring_end(text)
    if documented:
        return text[:documented].count("\n") + 1
    at = next((at for at, line in enumerate(lines) if _DEFINITION.match(line)), -1)
    opened = list(accumulate(line.count("(") - line.count(")") for line in lines[max(at, 0) : at + _LONGEST_HEAD]))
    closes = next((more for more, depth in enumerate(opened) if depth <= 0), 0)
    return at + 1 + closes


def _line_score(line: str, wanted: frozenset[str]) -> float:
    if _COMMENT.match(line):
        return 0.0
    shared = len(wanted & set(count_terms(line)))
    return shared + (0.25 if re.match(r"\s*(?:return|raise|throw|yield)\b", line) else 0.0)


def _declaration(lines: Sequence[str]) -> str:
    taken: list[str] = []
    opened = 0
    for line in lines:
        if not line.strip():
            break
        taken.append(line.strip())
        opened += line.count("(") - line.count(")")
        if opened <= 0:
            break
    text = _BLANK_BEFORE_CLOSING.sub(")", " ".join(taken))
    return shortened(re.sub(r"\(\s+", "(", text).rstrip(":{; "), 160)


def depth_of(line: str) -> int:
    """Return how many more brackets a line opens than it closes."""
    return sum(line.count(each) for each in "([{") - sum(line.count(each) for each in ")]}")


def indent_of(line: str) -> int:
    """Return the number of blanks that a line begins with."""
    return len(line) - len(line.lstrip())
