"""Classes of HTTP status codes, which texts write as 4xx and code in words: RFC 9110, section 15."""

from __future__ import annotations

import re

_CLASSES = {"1": "informational", "2": "success", "3": "redirect", "4": "client error", "5": "server error"}
_CLASS = re.compile(r"\b([1-5])xx\b", re.IGNORECASE)


def spelled_out(text: str) -> str:
    """Add the name of each class after its number: "4xx" becomes "4xx client error"."""
    return _CLASS.sub(lambda found: f"{found[0]} {_CLASSES[found[1]]}", text)
