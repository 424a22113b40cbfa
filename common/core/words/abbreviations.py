"""Usual abbreviations of long words in names."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_FORMS = """
addr address
arg argument
attr attribute
buf buffer
char character
cmd command
conn connection
ctx context
db database
desc description
dest destination
dir directory
env environment
err error
expr expression
ext extension
idx index
init initial initialization
len length
lib library
max maximal maximum
mem memory
min minimal minimum
msg message
ms milliseconds millis
num number
obj object
param parameter
pos position
prev previous
proc process
prop property
pwd password
ref reference
repo repository
req request
resp response
sec seconds
src source
str string
tmp temp temporary
val value
var variable
ver version
"""
"""Each line is an abbreviation and its long forms."""


def _read() -> Mapping[str, str]:
    lines = (line.split() for line in _FORMS.strip().split("\n"))
    return MappingProxyType({word: short for short, *long in lines for word in long})


_SHORT = _read()


def shortened(word: str) -> str:
    """Return the abbreviation of a lower-case word, singular or plural; the word itself if it has none."""
    one = word.removesuffix("s")
    return _SHORT.get(word) or (f"{_SHORT[one]}s" if one in _SHORT else word)
