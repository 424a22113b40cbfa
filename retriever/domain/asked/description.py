"""Questions for a definition by what it does: "which function returns the encoding of a response?"."""

from __future__ import annotations

import re

from common.core.terms import STOP_WORDS, words

_THING = r"(?:functions?|methods?|class(?:es)?|helpers?|decorators?|structs?|interfaces?|types?|code|logic)"
_OF_PATHS = r"(?:calls?|depends?|imports?|uses?|breaks?|fails?|runs?|executes?|does|is|was|has|happens?|goes|owns)"
"""What asks for who has to do with something, or for what comes of it."""
_DOES = (
    r"(?:adds|appends|builds|calculates|checks|closes|compresses|computes|converts|copies|counts|creates|decodes|decrypts"
    r"|deletes|encodes|encrypts|escapes|extracts|fetches|finds|formats|generates|gets|iterates|joins|loads|looks|makes"
    r"|merges|normali[sz]es|opens|parses|prints|produces|reads|registers|removes|renders|replaces|resolves|returns|saves"
    r"|sends|serializes|sets|sorts|splits|transforms|turns|updates|validates|verifies|waits|wraps|writes|yields)"
)
_ASKED = re.compile(
    rf"\W*(?:(?:which|what) {_THING} (?:that |which )?(?!{_OF_PATHS}\b)(?=\w+s\b)"
    rf"|(?:is|are) there (?:an?|any|some) (?:\w+ )?{_THING} (?:that|which) (?!{_OF_PATHS}\b)"
    rf"|where is the (?:\w+ )?{_THING} (?:that|which) (?!{_OF_PATHS}\b)"
    rf"|(?:what|who) (?={_DOES}\b))(?P<told>\w[^?\n]+)\W*\Z",
    re.IGNORECASE,
)
_LEAST_WORDS = 3
"""Fewer that tell something describe many things."""
_LONGEST = 300


def asked_description(question: str) -> str:
    """Return the words by which a question describes a definition, its verb first; "" if it describes none."""
    found = _ASKED.match(question) if len(question) <= _LONGEST else None
    told = found["told"].rstrip(" .!") if found else ""
    telling = {word.lower() for word in words(told)} - STOP_WORDS
    return told if len(telling) >= _LEAST_WORDS else ""
