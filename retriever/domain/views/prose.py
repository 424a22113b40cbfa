"""What documentation says first."""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(r"(?<=[\w)\"'`][.!?])(?<!\.\w\.)\s+(?=[A-Z`:\"'(])")
_CHARS = 120


def summary(documentation: str) -> str:
    """Return the first sentence on one line; a long one is cut between words, and shows it. "" if there is none."""
    paragraph = " ".join(documentation.strip().split("\n\n", 1)[0].split())
    sentence = _SENTENCE_END.split(paragraph, maxsplit=1)[0]
    if len(sentence) <= _CHARS:
        return sentence
    return sentence[:_CHARS].rpartition(" ")[0] + " …"
