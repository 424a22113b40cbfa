"""Defaults that pages tell in their code: of options that the code itself only reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retriever.domain.asked.setting import ending, fit
from retriever.domain.assignments import assignments, comments_above

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retriever.domain.assignments import Assignment

_FENCE = re.compile(r"\s*(```+|~~~+)")
_DEFAULT = re.compile(r"\bdefaults?\b", re.IGNORECASE)


def page_defaults(text: str, name: str) -> Iterator[Assignment]:
    """Yield the lines of code on a page that give a name its value and say, there or above, that it is the default."""
    lines = text.split("\n")
    for each in assignments(code_blocks(text), (ending(name),), is_code=True):
        said = "\n".join([*comments_above(lines, each.line), lines[each.line - 1]])
        if fit(each, name) >= 0 and each.value and _DEFAULT.search(said):
            yield each


def code_blocks(text: str) -> str:
    """Return a page of Markdown with all lines empty but those in fenced blocks of code."""
    kept: list[str] = []
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        is_edge = found is not None and (not fence or found[1].startswith(fence))
        if found and is_edge:
            fence = "" if fence else found[1]
        kept.append(line if fence and not is_edge else "")
    return "\n".join(kept)
