"""Values as code writes them: up to what ends them, also where they take several lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_LINE = 400
"""A longer line is data."""
LONGEST_VALUE = 200
GOES_ON = ("(", "\\")
_ENDING = re.compile(r"(?<!\s)\s*(?:[,;]\s*)?(?:\s(?:#|//)\s.*|/\*.*\*/\s*)?$")
_TEXT = re.compile(r"(?<!\\)(?:\"(?:\\.|[^\"\\])*+\"|(?:(?<!\w)|(?<=\b[bfruBFRU]))'(?:\\.|[^'\\])*+'|`[^`]*+`)")
"""What stands in quotation marks; one within a word is an apostrophe, and one behind a backslash opens nothing."""
_LONGEST_CALL = 6
_LONGEST_LIST = 40
"""Lines of a list that is told as a value."""
_OPENS_LIST = re.compile(r"[=:]\s*(?P<head>[^=:]*[\[({])\s*(?:(?:#|//)\s.*)?$")
_PLAIN_ITEM = r"(?:-?\d[\w.]*|\"[^\"]*\"|'[^']*'|`[^`]*`|[A-Z][\w.]*)"
_ITEMS = re.compile(rf"{_PLAIN_ITEM}(?:\s*,\s*{_PLAIN_ITEM})*\s*,?\s*(?:(?:#|//)\s.*)?")
_CLOSES = re.compile(r"(?P<tail>[\])}]+)[;,]*")


def ended(written: str) -> str:
    """Return a value without what may stand behind it on its line: a separator, a comment."""
    return written[: len(_ENDING.sub("", without_texts(written)))].strip()


def without_texts(line: str) -> str:
    """Return a line with as many letters, in which no sign is one of a text."""
    return _TEXT.sub(lambda found: "_" * len(found[0]), line)


def argument(text: str) -> str:
    """Return the first argument of what follows in a call."""
    depth = 0
    for at, letter in enumerate(without_texts(text)):
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0 or (depth == 0 and letter == ","):
            return text[:at].strip()
    return text.strip().rstrip(";")


def over_lines(lines: Sequence[str], number: int) -> tuple[str, int]:
    """Return a value that takes a few lines on one line, with the last of them; "" and the first for others."""
    value, last = _whole_list(lines, number)
    return (value, last) if value else _whole_call(lines, number)


def _whole_call(lines: Sequence[str], number: int) -> tuple[str, int]:
    head = lines[number - 1].rstrip()
    if not head.endswith(GOES_ON):
        return "", number
    taken = [head.partition("=")[2].strip().removesuffix("\\").rstrip()]
    for last in range(number + 1, min(len(lines), number + _LONGEST_CALL) + 1):
        if len(lines[last - 1]) > LONGEST_LINE:
            return "", number
        line = lines[last - 1].strip()
        taken.append(line.removesuffix("\\").rstrip())
        told = " ".join(taken)
        plain = without_texts(told)
        if plain.count("(") <= plain.count(")") and not line.endswith("\\"):
            value = ended(told.replace("( ", "(").replace(", )", ")").replace(" )", ")"))
            return (value, last) if len(value) <= LONGEST_VALUE else ("", number)
    return "", number


def _whole_list(lines: Sequence[str], number: int) -> tuple[str, int]:
    """Read a list of plain values, one or several a line."""
    head = _OPENS_LIST.search(lines[number - 1])
    if head is None:
        return "", number
    items: list[str] = []
    for last in range(number + 1, min(len(lines), number + _LONGEST_LIST) + 1):
        line = lines[last - 1].strip()
        if items and (closed := _CLOSES.fullmatch(line)):
            value = f"{head['head'].strip()}{', '.join(items)}{closed['tail']}"
            return (value, last) if len(value) <= LONGEST_VALUE else ("", number)
        if len(line) > LONGEST_LINE or not _ITEMS.fullmatch(line):
            return "", number
        items.append(ended(line).rstrip(","))
    return "", number
