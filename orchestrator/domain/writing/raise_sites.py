"""Finds the statements that end functions in failure, and the conditions that they stand under."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from orchestrator.domain.writing.source_text import (
    ABSENT,
    FUNCTION,
    depth_of,
    excerpt_of,
    indent_of,
    numbered_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.domain.evidence import Evidence
    from orchestrator.domain.writing.source_text import Excerpt

_RAISE = re.compile(
    r"^\s*+(?:(?:\}\s*)?(?:else )?if\b[^\n;]{0,200}[){]\s*+)?"
    r"(?:raise|throw)\s+\(?(?:new\s+)?\\?([A-Za-z_][\w.\\:]*)"
)
_ASSERT = re.compile(r"^\s*+assert\b")
_ASSERTING = (".py", ".java", ".kt")
"""Files whose assertions raise an AssertionError."""
_PANIC = re.compile(r"^\s*+panic!?\(")
_RETURNED = re.compile(r"^\s*+return\b[^\n]*\b(?:errors\.(?:New|Errorf|Wrapf?)|fmt\.Errorf|status\.Errorf?)\(")
"""How functions of Go fail."""
_LONGEST_HEAD = 16
"""Lines of a condition; one that goes on further is not told."""
_GUARD = re.compile(r"^\s*(?:if|elif|else|except|catch|for|while|case|switch|with|try|}\s*(?:else|catch))\b")
_GOES_ON = ("&&", "||", "and ", "or ", ")")
"""How a line of a condition begins that began above."""


@dataclass(frozen=True, slots=True)
class RaiseSite:
    """
    A statement that ends a function in failure.

    Args:
        exception: What it raises; "" if that has no name.
        deed: What it does, as the verb of a sentence: "panics".
        guard: The condition that it stands under; "" if it stands under none.
        method: The function of Python around it, if what is shown is more than that; "" otherwise.
    """

    exception: str
    deed: str
    guard: str
    excerpt: Excerpt
    method: str = ""
    is_assertion: bool = False


def raise_sites(evidence: Evidence) -> tuple[RaiseSite, ...]:
    """Return the raising statements of shown source, assertions among them, in order of line."""
    lines = numbered_lines(evidence)
    path = evidence.span.path if evidence.span else ""
    found = [(at, _last_part(match[1]), "") for at, match in _matches(lines, _RAISE)]
    if path.endswith(_ASSERTING):
        found += [(at, "AssertionError", "") for at, _ in _matches(lines, _ASSERT)]
    found += [(at, "", "panics") for at, _ in _matches(lines, _PANIC)]
    found += [(at, "", "returns an error") for at, _ in _matches(lines, _RETURNED)]
    return tuple(
        _raise_site(evidence, lines, at, exception, deed or f"raises `{exception}`")
        for at, exception, deed in sorted(found)
    )


def _method_around(lines: Sequence[str], at: int) -> str:
    """Return the innermost function of Python around a line; "" if it cannot be seen."""
    indent = indent_of(lines[at])
    for above in range(at - 1, -1, -1):
        line = lines[above]
        if line == ABSENT:
            return ""
        if line.strip() and indent_of(line) < indent and not line.lstrip().startswith((")", "]", "}", "#")):
            indent = indent_of(line)
            named = FUNCTION.match(line)
            if named:
                return named[1]
    return ""


def _last_part(name: str) -> str:
    return re.split(r"[.\\:]", name)[-1]


def _matches(lines: Sequence[str], pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
    for at, line in enumerate(lines):
        match = pattern.match(line)
        if match:
            yield at, match


def _raise_site(evidence: Evidence, lines: Sequence[str], at: int, exception: str, deed: str) -> RaiseSite:
    end = at + 1
    depth = depth_of(lines[at])
    while depth > 0 and end < min(len(lines), at + 8):
        depth += depth_of(lines[end])
        end += 1
    guard = _guard_above(lines, at)
    start = guard if guard is not None and at - guard <= 6 else at
    text = _condition(lines[guard:at]) if guard is not None else ""
    text = "" if text == "else" else text  # under which condition the lines above would say
    excerpt, is_assertion = excerpt_of(evidence, lines, start, end), _ASSERT.match(lines[at]) is not None
    return RaiseSite(exception, deed, text, excerpt, _method_around(lines, at), is_assertion)


def _condition(lines: Sequence[str]) -> str:
    """Return a condition on one line, from where it begins to where its brackets are closed; "" if they are not."""
    opened = list(accumulate(line.count("(") - line.count(")") for line in lines[:_LONGEST_HEAD]))
    closed = next((at for at, depth in enumerate(opened) if depth <= 0), -1)
    whole = " ".join(line.strip() for line in lines[: closed + 1])
    return whole.lstrip("} ").rstrip("{").rstrip().rstrip(":")


def _guard_above(lines: Sequence[str], at: int) -> int | None:
    indent = indent_of(lines[at])
    for above in range(at - 1, -1, -1):
        if lines[above] == ABSENT:
            return None
        if lines[above].strip() and indent_of(lines[above]) < indent:
            if not lines[above].lstrip().startswith(_GOES_ON):
                return above if _GUARD.match(lines[above]) else None
            indent = indent_of(lines[above])
    return None
