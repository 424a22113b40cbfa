"""Options and values that calls declare with what they are given: of command lines, and of objects that are built."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retriever.domain.written_values import LONGEST_LINE, argument, ended, without_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CALL = re.compile(r"\b(?:add_?argument|add_?option|option|argument|arg|flag)s?\w*\s*\(", re.IGNORECASE)
_NAMED = re.compile(
    r"(?<=[\"'])--?(?P<name>[A-Za-z][\w-]+)|\bdest\s*=\s*[\"'](?P<dest>\w+)|\boption\(\s*[\"'](?P<first>[A-Za-z][\w-]+)[\"']"
)
_DEFAULT = re.compile(r"\bdefault(?:_value\w*|Value)?[\"']?\s*[=:]\s*(?P<value>\S.*)")
_MOST_LINES = 14
"""Lines of one declaration."""
_SETTER = re.compile(r"\.(?:set|with)_?(?P<name>[A-Z]\w*|(?<=_)[a-z]\w*)\((?P<value>[^()]+(?:\([^()]*\))?)\)[;,]?")


def declared_options(lines: Sequence[str], number: int) -> Iterator[tuple[str, str, int]]:
    """
    Yield the options that a line names whose declaration has a default, each with that and the last line of both.

    The declaration is a call that may take several lines: `add_argument("--port", default=80)` of Python,
    `.option("port", { default: 80 })` of JavaScript.
    """
    named = [found["name"] or found["dest"] or found["first"] for found in _NAMED.finditer(lines[number - 1])]
    first = _beginning(lines, number) if named else 0
    if not first:
        return
    depth = 0
    for last in range(first, min(len(lines), first + _MOST_LINES) + 1):
        line = lines[last - 1]
        found = _DEFAULT.search(line)
        if found and len(line) <= LONGEST_LINE:
            value = ended(argument(found["value"]))
            yield from ((name, value, max(number, last)) for name in dict.fromkeys(named))
            return
        plain = without_texts(line)
        depth += plain.count("(") - plain.count(")")
        if depth <= 0:
            return


def set_by_call(plain: str) -> tuple[str, str] | None:
    """Return what a line of a chain of calls sets, and to what: `.setPort(80)`, `.with_port(80)`; None for others."""
    found = _SETTER.fullmatch(plain)
    return (found["name"][:1].lower() + found["name"][1:], found["value"].strip()) if found else None


def _beginning(lines: Sequence[str], number: int) -> int:
    """Return the line where the call begins that a line stands in; 0 if there is no such call."""
    depth = 0
    for first in range(number, max(0, number - _MOST_LINES), -1):
        line = lines[first - 1]
        if len(line) > LONGEST_LINE:
            return 0
        plain = without_texts(line)
        depth += plain.count("(") - plain.count(")")
        if first == number and _CALL.search(line):
            return first
        if first < number and depth > 0:
            return first if _CALL.search(line) else 0
        depth = min(depth, 0) if first == number else depth
    return 0
