"""Sanitizes foreign text before it is shown to a model."""

from __future__ import annotations

import re
import unicodedata

# Possessive quantifiers ("*+", "++") do not backtrack, which would be slow after a "<" with a hundred thousand blanks.
_TAGS = re.compile(r"<(\s*+(?:/\s*+)?(?:evidence|gaps?|e\d++)\b)", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_COLOURS = re.compile(r"\x1b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\))")
_KEPT = frozenset("\n\t\r")
_HIDDEN = frozenset({"Cf", "Cc", "Co", "Cn"})
# Invisible characters that Unicode classes as marks or letters (Default_Ignorable_Code_Point): joiners, fillers, and
# variation selectors, whose 256 values can encode any text. Also the blank braille pattern.
_IGNORABLE = frozenset(
    map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, *range(0xFE00, 0xFE10)))
) | frozenset(map(chr, (0xFFA0, *range(0xE0100, 0xE01F0))))


def visible(text: str) -> str:
    """Return a text without invisible characters: format and control characters, unassigned code points."""
    if text.isascii():
        return _CONTROLS.sub("", text)
    # Each distinct character is classified once: a text has few of them.
    distinct = set(text) - _KEPT
    hidden = {ord(each): None for each in distinct if each in _IGNORABLE or unicodedata.category(each) in _HIDDEN}
    return text.translate(hidden) if hidden else text


def without_colours(text: str) -> str:
    """Return a text without terminal escape sequences, as in logs; unchanged if nothing else is in it."""
    plain = _COLOURS.sub("", text)
    return plain if plain.strip() else text


def as_data(text: str) -> str:
    """Return a text without invisible characters and with the tags of our prompts escaped, so that it stays data."""
    return _TAGS.sub(r"&lt;\1", visible(text))


def as_attribute(text: str) -> str:
    """Return a text on one line that can stand between double quotes."""
    return " ".join(as_data(text).replace('"', "'").split())
