"""Finds the files that a task is about, by their domains and concepts."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.words.terms import terms

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """
    What a file is about.

    Args:
        domain: Part of the codebase that it belongs to; "" for files at the root.
        concepts: Words and phrases that set it apart, most telling first.
        purpose: What it is for in one sentence; "" unless a model was asked.
    """

    path: str
    domain: str
    concepts: tuple[str, ...]
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class MetadataMatch:
    """
    A file that a text is about.

    Args:
        concepts: Concepts of the file that the text names, the rarest first.
        domain: Its domain if that is named too, else "".
        purpose: As the file's metadata has it.
    """

    path: str
    concepts: tuple[str, ...]
    domain: str
    score: float
    purpose: str = ""

    @property
    def relation(self) -> str:
        """What matched, as a phrase for a reader."""
        shown = ", ".join(repr(each) for each in self.concepts[:_SHOWN])
        of_domain = f", and its domain {self.domain!r}" if self.domain else ""
        for_what = f" ({self.purpose})" if self.purpose else ""
        return f"the task names its {'concept' if len(self.concepts) == 1 else 'concepts'} {shown}{of_domain}{for_what}"


def match_metadata(text: str, files: Sequence[FileMetadata]) -> tuple[MetadataMatch, ...]:
    """
    Return the files that have a concept which the text names, best first, ties by path.

    The text names a concept if it has all terms of the concept, in any order. A named concept adds ln(1 + N / n) to the
    score if n of the N files have it. A named domain adds the same, but is no match by itself: too many files share it.
    """
    named = frozenset(terms(text))
    shared = Counter(each for file in files for each in file.concepts)
    domains = Counter(file.domain for file in files if file.domain)
    telling = {each: math.log1p(len(files) / n) for each, n in shared.items() if _is_named(each, named)}
    at_home = {each: math.log1p(len(files) / n) for each, n in domains.items() if _is_named(each, named)}
    found = []
    for file in files:
        concepts = sorted((each for each in file.concepts if each in telling), key=lambda each: -telling[each])
        if concepts:
            domain = file.domain if file.domain in at_home else ""
            score = sum(telling[each] for each in concepts) + at_home.get(file.domain, 0.0)
            found.append(MetadataMatch(file.path, tuple(concepts), domain, round(score, 6), file.purpose))
    return tuple(sorted(found, key=lambda each: (-each.score, each.path)))


def _is_named(phrase: str, named: Collection[str]) -> bool:
    parts = terms(phrase)
    return bool(parts) and all(part in named for part in parts)
