"""Notes of a model about files, and the bounds of requesting them."""

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
    """A file as a model is shown it: the page of its module, cut to a bound."""

    path: str
    page: str

    def key(self, version: str) -> str:
        """Return the cache key of a note: it changes with the page and with the version of the writer."""
        return hashlib.sha256("\0".join((version, self.path, self.page)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class FileNote:
    """
    What a model says of a file.

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
    """An answer of a model: the note, None if it made no sense, and the tokens that it took."""

    note: FileNote | None
    tokens: int


@dataclass(frozen=True, slots=True)
class EnrichmentLimits:
    """
    Bounds of one run.

    Args:
        files: That are described at most, those first that are used most.
        tokens: Of questions and answers, after which nothing more is asked.
        seconds: The same in time.
    """

    files: int
    tokens: int
    seconds: float


def read_note(plain: Mapping[str, Any]) -> FileNote | None:
    """Return a model's words as a note, within bounds and without what cannot be seen; None if it says nothing."""
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
