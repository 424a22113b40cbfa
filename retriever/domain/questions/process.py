"""The action that a question asks about, and how well the name of a function fits it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from common.core.contract.understanding import SlotKind
from common.core.words.spellings import PRESENT, forms_of, spellings
from common.core.words.synonyms import synonyms_of
from common.core.words.terms import split_identifier, terms_of, words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from common.core.contract.understanding import QuestionPart
    from retriever.domain.values import Symbol

_DEED, _THINGS, _FURTHER, _BESIDE, _OWNER_BESIDE = 2.0, 1.2, 0.3, 0.35, 0.1
"""Weights: verb, object, agent and place; deductions for each other word of the name and of its owner's name."""
_AFTER_THING, _LATE, _INFLECTED, _SYNONYM, _CALL = 0.8, 0.2, 0.3, 0.6, 0.3
"""
Shares of the verb's weight: after the object; after another word, which is then probably the verb; in an inflected
form; as a synonym; and for `__call__`.
"""
_BY_VERB = 0.3
"""Share of the verb's weight that counts even if the object does not fit."""
_IN_NAME, _IN_OWNER, _IN_PARAMETERS, _IN_FOLDER = 1.0, 0.9, 0.7, 0.5
_MOST_BESIDE = 3
_BEFORE_VERBS = frozenset({"do", "maybe", "try"})


@dataclass(frozen=True, slots=True)
class Process:
    """
    The action that a question asks about.

    Args:
        done: Terms of the verb, in all forms.
        otherwise: Terms of synonyms of the verb.
        things: Words of the object; of the subject, where the question has no object.
        further: Words of the subject beside an object, of the owner and of the condition.
    """

    done: frozenset[str]
    otherwise: frozenset[str]
    things: tuple[str, ...]
    further: tuple[str, ...]

    def fit(self, symbol: Symbol) -> float:
        """
        Return how well a function's name expresses the action, at most 3.5; 0 for a name that lacks the verb.

        The best name begins with the verb and has no further words. The object may also occur in the owner, parameters
        or folder.
        """
        own = [part.lower() for part in split_identifier(symbol.name.strip("#_"))]
        verb = self._verb(own, symbol.name)
        if not verb:
            return 0.0
        owner = symbol.qualified_name.rpartition(".")[0]
        places = (
            (_IN_NAME, _forms(own)),
            (_IN_OWNER, _forms(words(owner))),
            (_IN_PARAMETERS, _forms(words(symbol.signature.partition("(")[2]))),
            (_IN_FOLDER, _forms(words(symbol.path.rpartition("/")[0].replace("/", " ")))),
        )
        things = _share(self.things, places)
        further = sum(bool(_told(word, places)) for word in self.further) / max(1, len(self.further))
        beside = self._beside(own)
        owner_beside = self._beside([each.lower() for each in split_identifier(owner.rpartition(".")[2])])
        return max(
            0.0,
            _DEED * verb * (_BY_VERB + (1 - _BY_VERB) * things)
            + _THINGS * things * (1 + verb) / 2
            + _FURTHER * further
            - _BESIDE * min(beside, _MOST_BESIDE)
            - _OWNER_BESIDE * min(owner_beside, _MOST_BESIDE),
        )

    def _verb(self, own: list[str], name: str) -> float:
        """Return how clearly a name has the verb: 1 if it begins with it, 0 if it lacks it."""
        if name == "__call__":
            return _CALL
        first = next((at for at, part in enumerate(own) if part not in _BEFORE_VERBS), 0)
        joined = [*own, *("".join(pair) for pair in pairwise(own))]
        plain = [at % len(own) for at, part in enumerate(joined) if self._is_plain(part)]
        if plain:
            says_thing = not _forms(self.things).isdisjoint(spellings(own[first]))
            return 1.0 if min(plain) == first else _AFTER_THING if says_thing else _LATE
        if any(not self.done.isdisjoint(spellings(part)) for part in own):
            return _INFLECTED
        return _SYNONYM if own and not self.otherwise.isdisjoint(spellings(own[first])) else 0.0

    def _is_plain(self, part: str) -> bool:
        """Return whether a part of a name is the verb in the form of function names: "render", not "rendered"."""
        said = self.done.intersection(spellings(part))
        return any(part.startswith(form) and len(part) <= len(form) + 1 for form in said)

    def _beside(self, parts: Iterable[str]) -> int:
        """Return how many parts of a name are not in the question."""
        said = self.done | self.otherwise | _forms((*self.things, *self.further))
        other = [part for part in parts if spellings(part)]
        return sum(said.isdisjoint(spellings(part)) for part in other)


def process_of(part: QuestionPart) -> Process | None:
    """Return the action in a part of a question; None if the part has no verb, or neither object nor subject."""
    verbs = ["".join(words(verb.lower())) for verb in part.texts(SlotKind.VERB)]
    verbs += [PRESENT[verb] for verb in verbs if verb in PRESENT]
    things, who = (_telling(" ".join(part.texts(kind))) for kind in (SlotKind.OBJECT, SlotKind.SUBJECT))
    further = _telling(" ".join(part.texts(SlotKind.OWNER, SlotKind.CONDITION)))
    done = frozenset(form for verb in verbs for form in spellings(verb))
    if not done or not (things or who):
        return None
    ways = (way[0] for verb in verbs for way in synonyms_of(verb) if len(way) == 1)
    return Process(
        done=done,
        otherwise=frozenset(form for way in ways for form in spellings(way)),
        things=things or who,
        further=(*(who if things else ()), *further),
    )


def _telling(text: str) -> tuple[str, ...]:
    return tuple(word for word in words(text) if terms_of(word))


def _share(asked: tuple[str, ...], places: tuple[tuple[float, frozenset[str]], ...]) -> float:
    """Return the mean weight of the places with the words; or of one with them joined (`staticfiles`), if higher."""
    whole = _told("".join(asked), places) if len(asked) > 1 else 0.0
    return max(whole, sum(_told(word, places) for word in asked) / max(1, len(asked)))


def _told(word: str, places: tuple[tuple[float, frozenset[str]], ...]) -> float:
    """Return the weight of the first place that has a word; 0 if none has."""
    wanted = frozenset(spellings(word)) or {word.lower()}
    return next((worth for worth, said in places if not said.isdisjoint(wanted)), 0.0)


def _forms(said: Iterable[str]) -> frozenset[str]:
    return frozenset(form for word in said for form in forms_of(word))
