"""Recognises a program's error message that is pasted without type, level or quotation marks."""

from __future__ import annotations

import re

_LONGEST = 300
_FEWEST, _MOST = 3, 30
_PLAIN = 5
"""Words from which on a refusal is a message even without a value; fewer may be a topic ("invalid date handling")."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_REFUSES = re.compile(
    r"\W*(?:(?:can ?not|can't|could(?: not|n't)|unable to|failed to|did not|refusing to|no such"
    r"|not (?:an?|allowed|enough)|there (?:is|are|was|were) no|too (?:many|few)|access denied"
    r"|(?:must|should) (?:not )?(?:be|have|supply|specify))\b)",
    re.IGNORECASE,
)
"""Beginnings of messages that refuse something."""
_MARKS = re.compile(
    r"\W*(?:invalid|missing|unsupported|unknown|unexpected|unrecognized|illegal|malformed|duplicate|expected)\b",
    re.IGNORECASE,
)
"""Beginnings of messages about a wrong value; topics may begin in the same way."""
_DONE = (
    "allowed|available|configured|defined|found|given|implemented|initiali[sz]ed|installed|permitted|provided|recogni[sz]ed"
    "|registered|set|specified|supported"
)
_STATES = re.compile(
    r"\b(?:must (?:not )?(?:be|have|begin|start|end|contain|return|implement|define|match)"
    rf"|(?:is|are|was|were) not (?:an?|callable|valid|{_DONE})"
    r"|already (?:been|closed|defined|exists?|in use|registered|running|started)|(?:can ?not|could not) be"
    r"|exceeded|not found|timed out|(?:access|connection|permission) (?:denied|refused|reset))\b",
    re.IGNORECASE,
)
"""Refusals that follow the name of the thing: "x must be", "x not found"."""
_OF_VALUE = re.compile(rf"['\"`\u2019\u201d]\W*not (?:{_DONE})\b", re.IGNORECASE)
"""A short refusal after a quoted value ("'x' not found"): topics hardly ever quote a value."""
_VALUE = re.compile(r":(?=\s|\Z)|['\"`\u2018\u201c]\S|\d")
"""Signs that a program inserted a value into the text."""
_OF_PEOPLE = re.compile(
    r"\b(?i:i|i'm|we|my|our|how|why|what|which|who|where|although|whenever|when|while|after|since \w+ing"
    r"|getting|gets?|bug|docs?|documentation|tests?|feature|please|explain|says?|saying|logs?|logged|message"
    r"|error|warning|support for|doesn't|don't|isn't|won't|broken|works?|working|crash(?:es|ed)?|regression|despite"
    r"|raises?|throws?|returns|causes|leads to|wrong(?:ly)?|incorrect(?:ly)?|unexpectedly|silently|any ?more"
    r"|even (?:if|though)|regardless|instead of|in (?:version|python|node|java) ?v?\d|on (?:windows|linux|macos))\b"
    r"|\?"
)
"""Words that people use about failures, and programs hardly ever do."""


def plain_message(text: str) -> str:
    """Return the text if it is one line with a program's message; "" if it may be a person's topic or report."""
    line = text.strip()
    count = len(_WORD.findall(line))
    if "\n" in line or len(line) > _LONGEST or not _FEWEST <= count <= _MOST or _OF_PEOPLE.search(line):
        return ""
    if _OF_VALUE.search(line):
        return line
    says = _REFUSES.match(line) or _STATES.search(line)
    shows_value = _VALUE.search(line) is not None
    return line if (says and (count >= _PLAIN or shows_value)) or (_MARKS.match(line) and shows_value) else ""
