"""The condition of a question ("when a worker dies"), and names of code that handles it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.words.spellings import forms_of, spellings
from common.core.words.synonyms import synonyms_of
from common.core.words.terms import split_identifier, terms_of, words
from retriever.domain.questions.understanding import SlotKind
from retriever.domain.ranking.query import compounds

if TYPE_CHECKING:
    from retriever.domain.questions.understanding import QuestionPart

_TELLING = 2
"""Words of an event that tell it: to whom it happens, and what."""

_OVER = re.compile(r"Exceed|Limit|Max(?=[A-Z])|Maximum|Overflow|Quota|Too(?:Big|Deep|Large|Long|Many|Much)")
"""How a failure is called that is raised beyond a limit."""
_EVENT = re.compile(
    r"^_*(?:[Oo]n|[Hh]andle|[Ww]hen|[Aa]fter)(?=_|[A-Z])"
    r"|^(?!_*(?:are|get|has|is|mark|set|was)(?=_|[A-Z])).*(?:[a-z]ed|(?:^|_)(?:lost|dead)|Lost|Dead)_*$"
)
"""Names of event handlers: `on_disconnect`, `connection_lost`; `is_closed` is a predicate, not a handler."""
_FAILURE = re.compile(
    r"[a-z](?:Closed|Disconnect(?:ed)?|Err(?:or)?|Exceeded|Exception|Expired|Lost|Reached|Time(?:d)?[Oo]ut)s?$"
)


@dataclass(frozen=True, slots=True)
class Happening:
    """
    What a question says that happens.

    Args:
        words: For each word of it, the terms by which code may write it, its own first.
    """

    words: tuple[tuple[str, ...], ...]

    @property
    def terms(self) -> frozenset[str]:
        """The terms of all words."""
        return frozenset(term for word in self.words for term in word)

    def said_in(self, text: str) -> int:
        """Return how many of the words a name or text has."""
        own = _terms(text)
        return sum(not own.isdisjoint(word) for word in self.words)

    def is_spoken_of(self, text: str) -> bool:
        """Return whether a name or text has the word that the question begins with: of whom it says that."""
        return bool(self.words) and not _terms(text).isdisjoint(self.words[0])

    def is_done_by(self, qualified_name: str) -> bool:
        """Return whether a definition and its owner are called after it, by two words at least or all there are."""
        owner, _, name = qualified_name.rpartition(".")
        said = self.said_in(f"{owner.rpartition('.')[2]} {name}")
        return bool(self.said_in(name)) and said >= min(_TELLING, len(self.words))

    def share_of(self, message: str) -> float:
        """Return the share of the words of a message that say it; 0.0 if fewer than two do."""
        said = [_terms(word) for word in words(message)]
        told = sum(not each.isdisjoint(self.terms) for each in said)
        return told / len(said) if self.said_in(message) >= _TELLING else 0.0

    def is_told(self, name: str) -> bool:
        """Return whether a function is, by its name, a handler of the event."""
        return _EVENT.search(name) is not None and bool(self.said_in(name))

    def is_exceeded_as(self, name: str) -> bool:
        """Return whether a failure of going beyond a limit is called after it: `TooManyOrders`."""
        if _OVER.search(name) is None:
            return False
        of_limit = sum(_OVER.search(word[0].title()) is not None for word in self.words)
        return self.said_in(name) > 0 and self.said_in(name) + of_limit >= len(self.words)

    def is_met_as(self, name: str) -> bool:
        """Return whether a name is that of a failure named after the condition."""
        return _FAILURE.search(name) is not None and self.is_done_by(name)

    def is_own_of(self, qualified_name: str) -> bool:
        """Return whether a method is called after one word of it and no more, and its type after another."""
        owner, _, name = qualified_name.rpartition(".")
        kind = split_identifier(owner.rpartition(".")[2])[-1:]
        own = [word for word in self.words if terms_of(name)[:1] == word[:1]]
        return bool(own and kind) and any(
            not _terms(kind[0]).isdisjoint(each) for each in self.words if each not in own
        )


def happening_of(part: QuestionPart) -> Happening | None:
    """Return what the condition of a question says that happens; None if it has none."""
    said = [word for text in part.texts(SlotKind.CONDITION) for word in words(f"{text} {compounds(text)}")]
    forms = tuple(_written(word) for word in dict.fromkeys(said) if terms_of(word))
    return Happening(forms) if forms else None


def _written(word: str) -> tuple[str, ...]:
    ways = (way[0] for way in synonyms_of(word) if len(way) == 1)
    return tuple(dict.fromkeys((*spellings(word), *(form for way in ways for form in spellings(way)))))


def _terms(text: str) -> frozenset[str]:
    return frozenset(form for word in words(text) for form in forms_of(word))
