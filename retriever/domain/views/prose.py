"""First sentences of documentation, and the lines of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SENTENCE_END = re.compile(r"(?<=[\w)\"'`][.!?])(?<!\.\w\.)\s+(?=[A-Z`:\"'(])")
_CHARS = 120


def summary(documentation: str) -> str:
    """Return the first sentence on one line; a long one is cut between words, and shows it. "" if there is none."""
    paragraph = " ".join(documentation.strip().split("\n\n", 1)[0].split())
    sentence = _SENTENCE_END.split(paragraph, maxsplit=1)[0]
    if len(sentence) <= _CHARS:
        return sentence
    return sentence[:_CHARS].rpartition(" ")[0] + " …"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Consecutive lines of a page, with their numbers in its file, both ends included; `is_code` within a fence."""

    text: str
    start_line: int
    end_line: int
    is_code: bool = False


def paragraphs(text: str, first_line: int = 1) -> Iterator[Paragraph]:
    """Yield what blank lines set apart on a page, without headings; a fenced or indented block of code is one."""
    kept: list[str] = []
    fenced = False
    for number, line in enumerate([*text.split("\n"), ""], first_line):
        is_fence = line.lstrip().startswith(("```", "~~~"))
        if is_fence or (not fenced and (not line.strip() or line.startswith("#"))):
            if kept:
                is_code = fenced or all(each.startswith(("    ", "\t")) for each in kept)
                yield Paragraph("\n".join(kept), number - len(kept), number - 1, is_code)
            kept, fenced = [], fenced != is_fence
        else:
            kept.append(line)
