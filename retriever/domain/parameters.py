"""Parameters of functions with their defaults, as signatures declare them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LANGUAGES = frozenset({"python", "javascript", "typescript"})
"""Languages whose parameters have defaults, and are named before their types."""
_PARAMETER = re.compile(
    r"(?:(?:public|private|protected|readonly)\s+)*(?P<name>[A-Za-z_$][\w$]*)(?P<optional>\?)?"
    r"(?:\s*:\s*(?P<type>.*?))?(?:\s*(?<![=!<>])=(?![=>])\s*(?P<default>.+))?\Z",
    re.DOTALL,
)
_GIVEN = re.compile(r"\s*\*{0,2}[A-Za-z_$][\w$]*\s*(?::(?!=)(?:[^=,\[]|\[[^\]=]*\])*)?=(?!=)")
"""What follows the comma after a value where that is the end of it: another name with its own."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter; `default` is as written, "" if there is none."""

    name: str
    default: str = ""


def parameters(signature: str) -> tuple[Parameter, ...]:
    """Return the parameters of a signature, in order, but for those that take what is left."""
    start = signature.find("(")
    if start < 0:
        return ()
    found = (_PARAMETER.match(each.strip()) for each in _items(signature[start + 1 :]))
    return tuple(
        Parameter(each["name"], (each["default"] or ("undefined" if each["optional"] else "")).strip())
        for each in found
        if each
    )


def first_value(text: str) -> str:
    """Return a value without what follows it on its line: other parameters, and the end of the brackets around."""
    for at, sign, depth in _outside_texts(text, "([{", ")]}"):
        if depth < 0 or (depth == 0 and sign == "," and _GIVEN.match(text, at + 1)):
            return text[:at].rstrip()
    return text


def _items(text: str) -> Iterator[str]:
    """Yield what commas part, up to the bracket that ends it."""
    begin = 0
    for at, sign, depth in _outside_texts(text, "([{<", ")]}>"):
        if depth < 0 or (depth == 0 and sign == ","):
            yield text[begin:at]
            begin = at + 1
        if depth < 0:
            return


def _outside_texts(text: str, opening: str, closing: str) -> Iterator[tuple[int, str, int]]:
    """Yield each sign that stands in no quotation marks, with how many brackets are open behind it."""
    depth, quote, is_escaped = 0, "", False
    for at, sign in enumerate(text):
        if quote or sign in "\"'`":
            is_end = sign == quote and not is_escaped
            is_escaped = bool(quote) and sign == "\\" and not is_escaped
            quote = "" if is_end else quote or sign
            continue
        is_arrow = sign == ">" and text[at - 1 : at] in {"=", "-"}
        depth += (sign in opening) - (sign in closing and not is_arrow)
        yield at, sign, depth
