"""Makes text of others fit to be shown to a model."""

from __future__ import annotations

import re
import unicodedata

# What a quantifier followed by "+" took is not given back: a file may have a hundred thousand blanks behind a "<".
_TAGS = re.compile(r"<(\s*+(?:/\s*+)?(?:evidence|piece|gaps?)\b)", re.IGNORECASE)
_KEPT = frozenset("\n\t\r")
_HIDDEN = frozenset({"Cf", "Cc", "Co", "Cn"})


def visible(text: str) -> str:
    """Return a text without what nobody can see: format and control characters, and code points without a meaning."""
    # A text has far fewer distinct characters than characters.
    distinct = set(text) - _KEPT
    hidden = {ord(each): None for each in distinct if unicodedata.category(each) in _HIDDEN}
    return text.translate(hidden) if hidden else text


def as_data(text: str) -> str:
    """Return a text that cannot leave its channel: visible, and without our own tags."""
    return _TAGS.sub(r"&lt;\1", visible(text))


def as_attribute(text: str) -> str:
    """Return a text on one line that can stand between double quotes."""
    return " ".join(as_data(text).replace('"', "'").split())
