"""Questions for what is counted only if asked for: what is largest, what is unused, how two parts depend."""

from __future__ import annotations

import re
from enum import Enum


class Sized(Enum):
    """What may be asked for by its size; the values name it in the plural."""

    FILES = "files"
    FOLDERS = "folders"
    CLASSES = "classes"
    FUNCTIONS = "functions"


_SIZE = re.compile(
    r"\b(?:biggest|largest|longest|most lines)\b[^?.!\n]{0,20}?\b"
    r"(?:(?P<FILES>files?|sources?)|(?P<FOLDERS>packages?|modules?|folders?|director(?:y|ies))"
    r"|(?P<CLASSES>class(?:es)?|types?|structs?|interfaces?|components?)|(?P<FUNCTIONS>functions?|methods?))\b",
    re.IGNORECASE,
)
_UNUSED = re.compile(
    r"\bdead code\b|\bunused (?:code|functions?|methods?|class(?:es)?|symbols?|definitions?)\b"
    r"|\b(?:functions?|methods?|class(?:es)?|code|definitions?)\b[^?.!\n]{0,20}"
    r"(?:(?:\b(?:never|not|nobody|nothing)|n['\u2019]t) (?:called|used|referenced|calls?|uses?)\b"
    r"|\b(?:is|are) (?:\w+ )?(?:unused|dead)\b)",
    re.IGNORECASE,
)
_CIRCLE = r"(?:in|part of) (?:a |one )?(?:cycle|circle|loop) with"
_PART = r"(?:the )?`?([\w./@:-]*\w)`?(?: (?:package|module|folder|directory|layer))?"
_BETWEEN = re.compile(
    rf"\b(?:between|does|do|is|are)\s+{_PART}\s+(?:and|depends? on|use|import|coupled (?:to|with)|{_CIRCLE})\s+{_PART}",
    re.IGNORECASE,
)


def sized_things(question: str) -> Sized | None:
    """Return what a question wants the largest of; None if it asks for no size."""
    found = _SIZE.search(question)
    return Sized[found.lastgroup] if found and found.lastgroup else None


def asks_for_unused(question: str) -> bool:
    """Tell whether a question is for code that nothing uses."""
    return _UNUSED.search(question) is not None


def two_parts(question: str) -> tuple[str, str] | None:
    """Return the two parts of the code, as written, whose relation a question asks for; None if it names no two."""
    found = _BETWEEN.search(question)
    return (found[1], found[2]) if found else None
