"""Finds the part of the codebase to which a question limits itself by its words."""

from __future__ import annotations

import re

READ_CHARS = 2000

_PLACE = r"(?P<place>[A-Za-z_][\w\-]*(?:[./][\w\-]+)*/?)"
_KIND = r"(?:package|module|subpackage|submodule|folder|directory|app|subsystem)"
_BEFORE = r"(?:in|inside|within|under|across|of|for)"
_PATTERNS = (
    # in the `auth` module; within the django.contrib.admin package
    re.compile(rf"(?i:\b{_BEFORE}) (?i:the )?[`\"']?{_PLACE}[`\"']? (?i:{_KIND})\b"),
    # in module foo.bar; under directory src/foo
    re.compile(rf"(?i:\b{_BEFORE}) (?i:the )?(?i:{_KIND}) [`\"']?{_PLACE}[`\"']?"),
    # under src/foo/, in `src/foo`
    re.compile(
        r"(?i:\b(?:in|inside|within|under|across)) (?i:the )?[`\"']?"
        r"(?P<place>(?:\./)?[\w\-]+(?:/[\w.\-]+)+/?|[\w\-]+/)[`\"']?"
    ),
    # in django.db.models: dotted, lower case, so no version and no method
    re.compile(r"(?i:\b(?:in|inside|within|under|across)) [`\"']?(?P<place>[a-z_]\w*(?:\.[a-z_]\w*)+)[`\"']?(?!\w*\()"),
)
_NO_PLACE_TEXT = """
a an and any both core each entire every following its main new other our same that the these this those various which
whole your python java javascript typescript node ruby rust go php third-party external standard internal parent child
test utility i.e e.g it them their some such third one large larger small minimal simple
"""
_NO_PLACE = frozenset(_NO_PLACE_TEXT.split())


def find_scope(question: str) -> str:
    """Return the path prefix or module name that the question names as its place, as written; "" if there is none."""
    shown = question[:READ_CHARS]
    for pattern in _PATTERNS:
        for match in pattern.finditer(shown):
            place = match["place"].rstrip(".")
            if place.lower() not in _NO_PLACE:
                return place
    return ""
