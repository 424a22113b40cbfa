"""Plain words that a question says are called, run or begun at: names of functions that are not written as names."""

from __future__ import annotations

import re

from common.core.terms import STOP_WORDS

_WORD = r"`?(?P<name>[A-Za-z_]\w{2,100})`?"
_CALLED = re.compile(
    rf"\b(?<!\ban )(?<!\ba ){_WORD} (?:is|are|gets?|was) (?:called|invoked|run|executed)\b"
    rf"|\b(?:a )?calls? (?:of|to) {_WORD.replace('name', 'of')}\b"
    rf"|\b(?:call|calling|invoke|invoking|starting (?:at|from|with)) {_WORD.replace('name', 'begun')}\b"
    rf"|\A\W*(?:trace|follow|walk (?:me )?through) {_WORD.replace('name', 'traced')}"
    r"(?=\W*\Z| (?:through|from|to|into|in)\b)"
    rf"|\bhow (?:do|does|is|are)\b[^?]{{1,60}}? from {_WORD.replace('name', 'left')} (?:to|into|through|until)\b",
    re.IGNORECASE,
)


def called_names(question: str) -> tuple[str, ...]:
    """Return the words, each once, in order; whether anything is called so is to be looked up."""
    found = (next(filter(None, match.groups())) for match in _CALLED.finditer(question))
    return tuple(dict.fromkeys(each for each in found if each.lower() not in STOP_WORDS))
