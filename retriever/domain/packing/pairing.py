"""The text in which a question and a unit of source are read beside each other, by a network, word by word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from common.core.words.terms import split_identifier, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retriever.domain.packing.units import Unit
    from retriever.domain.ranking.corpus import Floats

_FOLDERS = 3
_LONGEST = 6_000
"""Characters of source that are read."""


class CrossEncoder(Protocol):
    """Reads a question and source in one sequence."""

    def scores(self, question: str, sources: Sequence[str]) -> Floats:
        """Return how well each source answers the question; only differences have a meaning."""
        ...


def words_of_question(text: str) -> str:
    """Return the words of a question, identifiers split, each after a space."""
    return _spaced(words(text))


def words_of_unit(unit: Unit, text: str) -> str:
    """
    Return the words of the end of a unit's path, of its name and of its source.

    Each identifier is written once, where it first occurs: so the network reads of nearly all functions the whole.
    """
    path = " ".join(unit.span.path.split("/")[-_FOLDERS:])
    name = unit.owner.qualified_name if unit.owner else ""
    return words_of_source(f"{path} {name} {text[:_LONGEST]}")


def words_of_source(text: str) -> str:
    """Return the words of source, each identifier once."""
    return _spaced(dict.fromkeys(words(text)))


def _spaced(found: Iterable[str]) -> str:
    return " ".join(part for word in found for part in split_identifier(word))
