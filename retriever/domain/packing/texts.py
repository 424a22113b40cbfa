"""Cuts texts that are not source (pages, lists, trees of calls, diagrams) to a number of tokens, by whole lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retriever.domain.packing.lines import CUT

if TYPE_CHECKING:
    from common.core.words.tokens import TokenCounter

_CHARS_PER_TOKEN = 16
"""Most characters per token, on average, of a useful text; a text that must be over the limit is not counted."""


@dataclass(frozen=True, slots=True)
class CutText:
    """A text within its limit; a line at its end says how many of the `truncated_lines` are missing."""

    text: str
    tokens: int
    truncated_lines: int


def cut(text: str, limit: int, counter: TokenCounter, *, comment: str = "") -> CutText | None:
    """
    Keep as many of the first lines of a text as cost at most `limit` tokens.

    Args:
        comment: What begins a comment in a text that must stay readable for a program; precedes the count of lines.

    Returns:
        None if not even the first line fits together with the line that counts the missing ones.
    """
    lines = text.rstrip("\n").split("\n")
    whole = CutText(text, counter.count(text), 0) if len(text) <= limit * _CHARS_PER_TOKEN else None
    if whole and whole.tokens <= limit:
        return whole
    best: CutText | None = None
    low, high = 1, len(lines) - 1
    while low <= high:
        middle = (low + high) // 2
        missing = len(lines) - middle
        mark = f"{comment}{CUT} ({missing} line{'' if missing == 1 else 's'} cut)"
        shown = "\n".join((*lines[:middle], mark)) + "\n"
        tokens = counter.count(shown) if len(shown) <= limit * _CHARS_PER_TOKEN else limit + 1
        if tokens <= limit:
            best, low = CutText(shown, tokens, missing), middle + 1
        else:
            high = middle - 1
    return best
