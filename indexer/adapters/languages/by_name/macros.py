"""Blanks out macros in C and C++ at places where the grammar allows none: they would break the parse around them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_IN_HEAD = re.compile(
    rb"\b(?:class|struct|union|enum(?:[ \t]+(?:class|struct))?)\s+"
    rb"((?:[A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z0-9]*(?:EXPORT|IMPORT|API|PUBLIC|DLL|PACKED|VISIBLE))(?:\([^()\n]*\))?)"
    rb"(?=\s+[A-Za-z_]\w*(?:::\w+)*\s*(?:final\s*)?[:{<])"
)
"""`class FOO_EXPORT Name {`"""

_BEFORE_TYPE = re.compile(
    rb"^[ \t]*([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?=[ \t]+[A-Za-z_][\w:<>,*& \t]*[ \t*&]~?[A-Za-z_][\w:~]*[ \t]*\()",
    re.MULTILINE,
)
"""`FOO_INLINE int name(`"""

_ALONE = re.compile(
    rb"^[ \t]*([A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^()\n]*\))?(?:[ \t]*:)?)[ \t]*(?://[^\n]*)?$", re.MULTILINE
)
"""`FOO_NAMESPACE_BEGIN`, `Q_OBJECT`, `Q_PROPERTY(int size)`, `FOO_PRIVATE:`"""

_SIGNALS = re.compile(rb"^([ \t]*)signals(?=[ \t]*:[ \t]*$)", re.MULTILINE)
_SLOTS = re.compile(rb"^([ \t]*(?:public|protected|private)) (?:slots|Q_SLOTS)(?=[ \t]*:)", re.MULTILINE)

_NAME = re.compile(rb"~?[A-Za-z_][\w:~]*[ \t]*\(")
_ENDS = (b";", b"{", b"}", b":", b"*/")
_GOES_ON = tuple(bytes((each,)) for each in b"(){},;|&+-*/=.?:<>[]%^!~")
_COMMENTS = (b"//", b"/*")
_WINDOW = 500
_STARTS_LINE = (b"#", b"//")


def without_macros(text: bytes, *, alone: bool) -> bytes:
    """
    Return the text with macros in heads of types and functions, or on own lines, as spaces; all offsets stay.

    Args:
        text: C or C++.
        alone: Also blank macros on lines of their own; not for C, where such a word may be a type for the next line.
    """
    if alone:
        text = _SIGNALS.sub(rb"\1public ", text)
        text = _SLOTS.sub(lambda match: match[1].ljust(len(match[0])), text)
    found = [match.span(1) for pattern in (_IN_HEAD, _BEFORE_TYPE) for match in pattern.finditer(text)]
    if alone:
        found += _between_declarations(text)
    if not found:
        return text
    cleaned = bytearray(text)
    for start, end in found:
        cleaned[start:end] = b" " * (end - start)
    return bytes(cleaned)


def _between_declarations(text: bytes) -> Iterator[tuple[int, int]]:
    taken = 0
    for match in _ALONE.finditer(text):
        before = text[max(taken, match.start() - _WINDOW) : match.start()].rstrip()
        behind = text[match.end() : match.end() + _WINDOW].lstrip()
        line = before[before.rfind(b"\n") + 1 :].lstrip()
        ends_line = line.startswith(_STARTS_LINE) and not line.endswith(b"\\")
        is_free = not before or before.endswith(_ENDS) or ends_line
        is_type = behind.startswith(_GOES_ON) or _NAME.match(behind)
        if is_free and (behind.startswith(_COMMENTS) or not is_type):
            yield match.span(1)
            taken = match.end()
