"""Descriptions of files by a language model, and the limits of requesting them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.domain.text.concepts import MAX_CONCEPTS

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_PURPOSE = 200
_MOST_NAME = 40


@dataclass(frozen=True, slots=True)
class FileToDescribe:
    """Input of the model for one file: the page of its module, cut to a maximum length."""

    path: str
    page: str

    def key(self, version: str) -> str:
        """Return the cache key of the file's note: a hash of path, page and the version of the note's writer."""
        return hashlib.sha256("\0".join((version, self.path, self.page)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class FileNote:
    """
    A model's description of a file.

    Args:
        purpose: One sentence of at most 200 characters.
        domain: Part of the codebase; "" for none.
        concepts: In lower case, at most `MAX_CONCEPTS`.
    """

    purpose: str
    domain: str
    concepts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Described:
    """An answer of a model: the note, None if the answer was unusable, and the number of tokens that it cost."""

    note: FileNote | None
    tokens: int


@dataclass(frozen=True, slots=True)
class EnrichmentLimits:
    """
    Limits of one run.

    Args:
        files: Greatest number of described files; the most used files come first.
        tokens: Tokens of requests and answers after which no further request is made.
        seconds: Time after which no further request is made.
    """

    files: int
    tokens: int
    seconds: float


def read_note(plain: Mapping[str, Any]) -> FileNote | None:
    """Return a model's answer as a note, cut to limits and without unprintable characters; None without a purpose."""
    listed = plain.get("concepts")
    concepts = [_line(each, _MOST_NAME).lower() for each in listed] if isinstance(listed, list) else []
    purpose = _line(plain.get("purpose"), _MOST_PURPOSE)
    if not purpose:
        return None
    kept = tuple(dict.fromkeys(each for each in concepts if each))[:MAX_CONCEPTS]
    return FileNote(purpose, _line(plain.get("domain"), _MOST_NAME), kept)


def _line(value: object, most: int) -> str:
    text = "".join(char if char.isprintable() else " " for char in value) if isinstance(value, str) else ""
    return " ".join(text.split())[:most]
