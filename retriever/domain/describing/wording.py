"""How words of descriptions correspond to code: repeated words, substitutes, abbreviations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from common.core.words.terms import STOP_WORDS, split_identifier, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FIRST = "^"
"""Prefix of a key for a word that begins a description."""

MAX_TERMS = 60
"""Terms of a description that count; a longer text describes more than one symbol."""
MAX_STEMS = 2 * MAX_TERMS
"""Stems of a description that count: about every second word is a function word and no term."""

_LEAST_LETTERS = 3
"""Shorter words occur in too many names by chance."""
_RARE_ECHO = 0.6
"""Echo of terms that are too rare for a statistic, mostly names of a project's own things."""
_ABBREVIATED = 0.5
"""Weight of each letter of a piece of a name that may be an abbreviation of a word."""
_MOST_ODDS = 3.0
_NAMES = 1 << 14
"""Cache size of split names: descriptions for one repository are compared with the same names again."""
_VOWELS = frozenset("aeiou")
_FUNCTION_STEMS = frozenset(map(stem, STOP_WORDS))
"""Stems of function words, which identify no name."""


@dataclass(frozen=True, slots=True)
class Wording:
    """
    Statistics about words from documented definitions of many projects; words are stems in lower case.

    Args:
        echoes: By term: of the descriptions that have it, the share whose code or name has it too.
        kinds: By word: how much it raises the log odds that a class is described; with FIRST for a first word.
        hints: By word: terms of names and signatures that occur with it, each with the logarithm of how much more often
            than elsewhere.
    """

    echoes: Mapping[str, float]
    kinds: Mapping[str, float]
    hints: Mapping[str, Mapping[str, float]]

    def echo(self, term: str) -> float:
        """Return the share of descriptions whose code repeats a term."""
        return self.echoes.get(term, _RARE_ECHO)


@dataclass(frozen=True, slots=True)
class Told:
    """
    The words of a description.

    Args:
        parts: Stems of the parts of its first words and identifiers, including function words such as "is" and "to".
        spelled: The parts that are long enough to be searched for inside names, each once, in order.
        lines: The parts of `spelled` in one text, each after a line break.
        kind_by_first: By how much the first word raises the log odds that a class is described; 0 if it is unknown.
        kind_by_words: Mean of the same over all known words.
        hints: Hints of its words, function words aside, each with the greatest strength that a word gives it.
    """

    parts: frozenset[str]
    spelled: tuple[str, ...]
    lines: str
    kind_by_first: float
    kind_by_words: float
    hints: Mapping[str, float]

    @classmethod
    def of(cls, text: str, wording: Wording) -> Told:
        """Read a description: its first MAX_STEMS stems, since every name is compared with each of them."""
        stems = name_stems(text)[:MAX_STEMS]
        known = [wording.kinds[each] for each in stems if each in wording.kinds]
        spelled = tuple(each for each in dict.fromkeys(stems) if len(each) >= _LEAST_LETTERS)
        first = wording.kinds.get(FIRST + stems[0], 0.0) if stems else 0.0
        first = max(-_MOST_ODDS, min(_MOST_ODDS, first))
        by_words = sum(known) / len(known) if known else 0.0
        lines = "".join(f"\n{each}" for each in spelled)
        return cls(frozenset(stems), spelled, lines, first, by_words, _hints(stems, wording))

    def spelling(self, name: str) -> float:
        """
        Return the share of a name's letters that come from words of the description.

        Words within a piece (`getparent`) and beginnings of words (`coro`) count too, other abbreviations (`ctx`) half.
        """
        pieces = _pieces(name)
        letters = sum(map(len, pieces))
        return sum(self._letters(piece) for piece in pieces) / letters if letters else 0.0

    def _letters(self, piece: str) -> float:
        if stem(piece) in self.parts or self._is_beginning(piece):
            return len(piece)
        inside: set[int] = set()
        for word in self.spelled:
            start = piece.find(word)
            if start >= 0:
                inside.update(range(start, start + len(word)))
        if inside:
            return len(inside)
        return _ABBREVIATED * len(piece) if self._is_abbreviation(piece) else 0.0

    def _is_beginning(self, piece: str) -> bool:
        return len(piece) >= _LEAST_LETTERS and f"\n{piece}" in self.lines

    def _is_abbreviation(self, piece: str) -> bool:
        """Return whether a piece is a word without its vowels and some other letters: `fmt`, `ctx`."""
        if len(piece) < _LEAST_LETTERS or not _VOWELS.isdisjoint(piece[1:]):
            return False
        return any(_is_shortened(piece, word) for word in self.spelled)


def name_stems(text: str) -> list[str]:
    """Return the stems of the parts of all words and identifiers of a text, in order."""
    return [stem(part.lower()) for word in words(text) for part in split_identifier(word)]


@lru_cache(maxsize=_NAMES)
def stems_of_name(name: str) -> frozenset[str]:
    """Return the stems of the parts of a name, each once."""
    return frozenset(name_stems(name))


@lru_cache(maxsize=_NAMES)
def _pieces(name: str) -> tuple[str, ...]:
    return tuple(piece.lower() for piece in split_identifier(name))


def _hints(stems: Sequence[str], wording: Wording) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in dict.fromkeys(each for each in stems if each not in _FUNCTION_STEMS):
        for term, strength in wording.hints.get(each, {}).items():
            found[term] = max(strength, found.get(term, 0.0))
    return found


def _is_shortened(piece: str, word: str) -> bool:
    """Return whether a piece has the first letter of a longer word and some of the others, in order."""
    if len(piece) >= len(word) or piece[0] != word[0]:
        return False
    rest = iter(word[1:])
    return all(letter in rest for letter in piece[1:])
