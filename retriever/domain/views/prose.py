"""First sentences of documentation, and the lines of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SENTENCE_END = re.compile(r"(?<=[\w)\"'`][.!?])(?<!\.\w\.)\s+(?=[A-Z`:\"'(])")
_CHARS, _READ = 120, 2
"""Most characters of a summary, and number of paragraphs in which its sentence is looked for."""


def summary(documentation: str) -> str:
    """
    Return the first sentence on one line; a long one is cut between words and ends with "…". "" if there is none.

    A title above a rule does not count as a sentence, nor do tags of Javadoc and what follows them.
    """
    told = (_without_title(each.strip().split("\n")) for each in documentation.strip().split("\n\n")[:_READ])
    paragraph = next(filter(None, (" ".join(" ".join(_above_tags(lines)).split()) for lines in told)), "")
    sentence = _SENTENCE_END.split(paragraph, maxsplit=1)[0]
    if len(sentence) <= _CHARS:
        return sentence
    return sentence[:_CHARS].rpartition(" ")[0] + " …"


def sentences(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph, each on one line, without a title above them."""
    return _SENTENCE_END.split(" ".join(" ".join(_without_title(paragraph.split("\n"))).split()))


def _without_title(lines: list[str]) -> list[str]:
    """Leave out a title with the rule below it, and a rule above it."""
    rules = [at for at, line in enumerate(lines[:3]) if len(set(line.strip())) == 1 and not line.strip()[:1].isalnum()]
    return lines[rules[-1] + 1 :] if rules and rules[-1] else lines


def _above_tags(lines: list[str]) -> Iterator[str]:
    return takewhile(lambda line: not line.lstrip().startswith("@"), lines)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Consecutive lines of a page, with their numbers in its file; `is_code` within a fence, which names a language."""

    text: str
    start_line: int
    end_line: int
    is_code: bool = False
    language: str = ""


def paragraphs(text: str, first_line: int = 1) -> Iterator[Paragraph]:
    """
    Yield the paragraphs of a page, separated by blank lines, without headings; a fenced block of code is one paragraph.

    Indented paragraphs are code, as are those after a directive or `::` of reStructuredText.
    """
    kept: list[str] = []
    before = language = ""
    fenced = False
    for number, line in enumerate([*text.split("\n"), ""], first_line):
        is_fence = line.lstrip().startswith(("```", "~~~"))
        if is_fence or (not fenced and (not line.strip() or line.startswith("#"))):
            if kept:
                is_literal = before.startswith("..") or before.endswith("::")
                is_code = fenced or all(each.startswith((" " if is_literal else "    ", "\t")) for each in kept)
                yield Paragraph("\n".join(kept), number - len(kept), number - 1, is_code, language if fenced else "")
                before = before if is_code else kept[-1]
            kept, fenced = [], fenced != is_fence
            language = line.strip().strip("`~").partition(" ")[0] if is_fence and fenced else language
        else:
            kept.append(line)
