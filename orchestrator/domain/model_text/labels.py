"""
Labels by which a model cites evidence, in the forms in which models write them.

`E3`, `E1-E3`, `E3:Client.send`, `E3:120-134`, `E3, lines 5-8`, `E1, E4`, and `path:10-20` for a place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# A quantifier followed by "+" is possessive: a model may write lists that never end.
_LINES = re.compile(
    r"(?P<word>lines?\s*+|ll?\.?\s*+|L)?(?P<first>\d{1,7}+)(?:\s*+(?:[-\u2013:]|\.\.|to)\s*+L?(?P<last>\d{1,7}+))?",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?P<letter>E?)(?P<number>\d{1,3}+)", re.IGNORECASE)
_TO = re.compile(r"\s*+[-\u2013\u2014]\s*+(?P<letter>E?)(?P<number>\d{1,3}+)\Z", re.IGNORECASE)
_PLACE = re.compile(r"(?P<path>[^\s:#\[\](){}]{1,400}+)(?::|#)(?P<lines>L?\d{1,7}(?:\s*+[-\u2013]\s*+L?\d{1,7})?)")
_SEPARATOR = re.compile(r"\s*+[,;]\s*+|\s++(?:and|&)\s++")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_MOST_IN_RANGE = 20
_UNKNOWN = 999


@dataclass(frozen=True, slots=True)
class Reference:
    """
    One thing that a label refers to.

    Args:
        number: Number of the label; 0 if `path` identifies the place instead.
        name: Name of a mention of the evidence; "" for none.
        path: File of the place.
        start_line: First line; 0 for the whole evidence.
        end_line: Last line, included.
        has_letter: Written with its "E", so that it can be nothing but a label.
    """

    number: int = 0
    name: str = ""
    path: str = ""
    start_line: int = 0
    end_line: int = 0
    has_letter: bool = False


def read_label(content: str) -> tuple[tuple[Reference, ...], str] | None:
    """
    Parse the text between brackets.

    Returns:
        The references and the further words in the label; None if the text is no label.
    """
    found: list[Reference] = []
    words: list[str] = []
    for part in _parts(content.strip().removeprefix("^")):
        read = tuple(_read_part(part, found[-1] if found else None))
        if not found and not read:
            return None
        if not read:
            words.append(part)
        elif found and _is_of(read[0], found[-1]):
            found[-1] = replace(read[0], number=found[-1].number, has_letter=True)
        elif read[0].number == 0 and not read[0].path:
            # Further lines of the same piece.
            lines = read[0]
            found.append(replace(found[-1], name="", start_line=lines.start_line, end_line=lines.end_line))
        else:
            found += read
    if not found or (words and not found[0].has_letter):
        return None
    return tuple(found), ", ".join(words)


def _is_of(lines: Reference, label: Reference) -> bool:
    """Return whether a reference gives the lines of the preceding label: `E2, lines 5-8`, `E2, shop/bank.py:5-8`."""
    is_bare = label.has_letter and not (label.start_line or label.name)
    return is_bare and lines.number == 0 and lines.start_line > 0


def _read_part(part: str, before: Reference | None) -> Iterator[Reference]:
    place = _PLACE.fullmatch(part.strip("` "))
    label = _LABEL.match(part)
    if place and not (label and _LABEL.fullmatch(place["path"])):
        yield _with_lines(Reference(path=place["path"]), place["lines"])
        return
    lines = _LINES.fullmatch(part)
    if lines and before and (lines["word"] or lines["last"] or before.start_line):
        yield _with_lines(Reference(), part)
        return
    if label and (label["letter"] or int(label["number"])):
        yield from _read_numbered(label, part[label.end() :])


def _read_numbered(label: re.Match[str], rest: str) -> Iterator[Reference]:
    """Parse the part after a label's number: the end of a range, lines, or a name."""
    reference = Reference(int(label["number"]) or _UNKNOWN, has_letter=bool(label["letter"]))
    to = _TO.fullmatch(rest)
    if to and reference.has_letter:
        first, last = reference.number, int(to["number"])
        for number in range(first, min(last, first + _MOST_IN_RANGE) + 1) if first <= last else (first, last):
            yield replace(reference, number=number)
        return
    said = rest.strip()
    if not said:
        yield reference
        return
    is_behind_blank = rest[0] == " " and said[0] not in ":#"
    said = said if is_behind_blank else said[1:].strip()
    said = said[1:-1] if is_behind_blank and said[0] == "(" and said[-1] == ")" else said
    lines = _LINES.fullmatch(said)
    if not reference.has_letter and not (lines and lines["last"]):
        return  # a slice or index expression
    if lines:
        yield _with_lines(reference, said)
    elif rest.lstrip()[0] in ":#" or not any(letter.isspace() for letter in said):
        yield replace(reference, name=said)


def _with_lines(reference: Reference, written: str) -> Reference:
    lines = _LINES.fullmatch(written)
    assert lines is not None, "it was matched before"
    first, last = int(lines["first"]), int(lines["last"] or lines["first"])
    return replace(reference, start_line=min(first, last), end_line=max(first, last))


def _parts(content: str) -> Iterator[str]:
    """Split at commas, semicolons and "and" outside of brackets and code marks."""
    begun = at = 0
    closing: list[str] = []
    while at < len(content):
        letter = content[at]
        if closing:
            if letter == closing[-1]:
                closing.pop()
            elif letter in _CLOSING and closing[-1] != "`":
                closing.append(_CLOSING[letter])
        elif letter == "`":
            closing.append("`")
        elif letter in _CLOSING:
            closing.append(_CLOSING[letter])
        elif separator := _SEPARATOR.match(content, at):
            yield content[begun:at].strip()
            begun = at = separator.end()
            continue
        at += 1
    yield content[begun:].strip()
