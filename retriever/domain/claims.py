"""Statements that can be checked against index and source, and what came out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retriever.domain.questions.names import RECEIVERS

if TYPE_CHECKING:
    from collections.abc import Sequence


_INSIDE = re.compile(r"(?<=\w)(?=\w)|(?<=\d)(?=\.\d)")
"""Within a word or a number: what begins or ends there is part of another one."""
_NAME = re.compile(r"\w+")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_CALLED = re.compile(r"([.>:]?)(?<!\w)([^\W\d]\w*)[ \t]*\(")
_BEHIND = re.compile(r"[(\[].*", re.DOTALL)
"""Arguments, and the place in a collection."""
_LEFT_OUT = re.compile(r"^[ \t]*+(?:(?:#|//|--|/\*)[ \t]*+)?(?:\.\.\.|…).*$", re.MULTILINE)


def folded(code: str) -> str:
    """Fold white space and quotation marks, which people change when they quote code."""
    return " ".join(code.split()).replace("'", '"').rstrip(";,")


def pieces(code: str) -> tuple[str, ...]:
    """Split a normalised quotation at lines that mark omissions, as in cut evidence."""
    found = (folded(piece) for piece in _LEFT_OUT.split(code))
    return tuple(piece for piece in found if piece)


def quoted_at(lines: Sequence[str], quoted: Sequence[str]) -> int:
    """Return the position of the line with which lines begin to hold all pieces in their order; -1 if they do not."""
    if not _hold(lines, quoted):
        return -1
    low, high = 0, len(lines) - 1
    while low < high:  # the last line from which on they still stand
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _hold(lines[middle:], quoted) else (low, middle - 1)
    return low


def _hold(lines: Sequence[str], quoted: Sequence[str]) -> bool:
    text, at = folded("\n".join(lines)), 0
    for piece in quoted:
        found = _whole_at(text, piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _whole_at(text: str, piece: str, at: int) -> int:
    found = text.find(piece, at)
    while found >= 0 and (_INSIDE.match(text, found) or _INSIDE.match(text, found + len(piece))):
        found = text.find(piece, found + 1)
    return found


def identifiers(code: str) -> frozenset[str]:
    """Return the identifiers of lines of code, keywords and words of texts and comments among them."""
    return frozenset(_IDENTIFIER.findall(code))


def called_in(code: str, *, plainly: bool = False) -> frozenset[str]:
    """Return the identifiers before an opening parenthesis; `plainly`, only those that are no members of anything."""
    return frozenset(found[2] for found in _CALLED.finditer(code) if not (plainly and found[1]))


def names_in(written: str) -> tuple[str, ...]:
    """Split the written object of a call, raise or change into names, the outermost first."""
    names = _NAME.findall(_BEHIND.sub("", written.strip().lstrip("(*`")))
    return tuple(names[1:] if len(names) > 1 and names[0] in RECEIVERS else names)


def is_of_receiver(written: str) -> bool:
    """Return whether a written name is that of an attribute of the object itself, as `self.total`."""
    names = _NAME.findall(written)
    return len(names) > 1 and names[0] in RECEIVERS


def ends_with(names: Sequence[str], last: Sequence[str]) -> bool:
    """Return whether a name, in parts, is the other one or leads to it; never if there is no other one."""
    return bool(last) and tuple(names[-len(last) :]) == tuple(last)
