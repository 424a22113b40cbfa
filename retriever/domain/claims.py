"""Compares statements about code with its text: quotations, identifiers, and names that are called or changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retriever.domain.questions.names import RECEIVERS

if TYPE_CHECKING:
    from collections.abc import Sequence


_INSIDE = re.compile(r"(?<=\w)(?=\w)|(?<=\d)(?=\.\d)")
"""A position within a word or a number: a quotation must not begin or end there."""
_NAME = re.compile(r"\w+")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_CALLED = re.compile(r"([.>:]?)(?<!\w)([^\W\d]\w*)[ \t]*\(")
_BEHIND = re.compile(r"[(\[].*", re.DOTALL)
"""Call arguments or a subscript, which follow a name."""
_LEFT_OUT = re.compile(r"^[ \t]*+(?:(?:#|//|--|/\*)[ \t]*+)?(?:\.\.\.|…).*$", re.MULTILINE)


def folded(code: str) -> str:
    """Normalise white space, quotation marks and a final `;` or `,`, which people change when they quote code."""
    return " ".join(code.split()).replace("'", '"').rstrip(";,")


def pieces(code: str) -> tuple[str, ...]:
    """Split a quotation at lines that mark omissions (`...`), as in cut evidence, and normalise each piece."""
    found = (folded(piece) for piece in _LEFT_OUT.split(code))
    return tuple(piece for piece in found if piece)


def quoted_at(lines: Sequence[str], quoted: Sequence[str]) -> int:
    """Return the position of the last line from which on all pieces of a quotation follow in order; -1 if none."""
    if not _hold(lines, quoted):
        return -1
    low, high = 0, len(lines) - 1
    while low < high:  # the last line from which on all pieces follow
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
    """Return all identifiers in lines of code, including keywords and words of strings and comments."""
    return frozenset(_IDENTIFIER.findall(code))


def called_in(code: str, *, plainly: bool = False) -> frozenset[str]:
    """Return the identifiers before an opening parenthesis; if `plainly`, without those after `.`, `->` or `::`."""
    return frozenset(found[2] for found in _CALLED.finditer(code) if not (plainly and found[1]))


def names_in(written: str) -> tuple[str, ...]:
    """Split what is called, raised or changed, as written, into names, outermost first, without `self` and the like."""
    names = _NAME.findall(_BEHIND.sub("", written.strip().lstrip("(*`")))
    return tuple(names[1:] if len(names) > 1 and names[0] in RECEIVERS else names)


def is_of_receiver(written: str) -> bool:
    """Return whether a written name is an attribute of the receiver (`self`, `this`), as `self.total`."""
    names = _NAME.findall(written)
    return len(names) > 1 and names[0] in RECEIVERS


def ends_with(names: Sequence[str], last: Sequence[str]) -> bool:
    """Return whether the parts of a name end with those of another one; False if the other one has no parts."""
    return bool(last) and tuple(names[-len(last) :]) == tuple(last)
