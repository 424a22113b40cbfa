"""Versions of what a question names, as HTTP/2 and TLS 1.3: what holds for one says nothing of another."""

from __future__ import annotations

import re

_VERSION = re.compile(r"\b(?P<name>[A-Z][A-Za-z]{1,20})(?:/| v?|-v?)(?P<number>\d{1,3}(?:\.\d{1,3}){0,2})\b")
_ASKS_WHETHER = re.compile(r"\W*(?:does|do|is|are|can|could|will)\b", re.IGNORECASE)


def speaks_of_another_version(question: str, text: str) -> bool:
    """Tell a text that names what a question asks of by other numbers alone: HTTP/1.1 is not HTTP/2."""
    asked = _versions(question)
    told = _versions(text) if asked else {}
    return any(told.get(name) and not _has_one(told[name], numbers) for name, numbers in asked.items())


def _versions(text: str) -> dict[str, set[str]]:
    """Return names with the numbers that stand behind them as versions do."""
    found: dict[str, set[str]] = {}
    for match in _VERSION.finditer(text):
        found.setdefault(match["name"].casefold(), set()).add(match["number"])
    return found


def _has_one(told: set[str], asked: set[str]) -> bool:
    """Tell whether one of the numbers is told, more or less exactly: 3 for 3.11 and 2.0 for 2."""
    return any(
        f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.") for one in told for other in asked
    )


def unsaid_version(question: str, text: str) -> str:
    """Return the version, as written, that a question asks a yes for and a text does not speak of; "" if it does."""
    if not _ASKS_WHETHER.match(question):
        return ""
    told = _versions(text)
    # "Python 3" alone may be any word and a count; what is written as a version is none.
    sure = (each for each in _VERSION.finditer(question) if "/" in each[0] or "." in each["number"])
    return next(
        (each[0] for each in sure if not _has_one(told.get(each["name"].casefold(), set()), {each["number"]})), ""
    )
