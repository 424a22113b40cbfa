"""Questions which things there are of a kind, and how to add one more: another rule, router or format."""

from __future__ import annotations

import re
from dataclasses import dataclass

from common.core.spellings import spellings
from common.core.terms import split_identifier, stem, terms_of, words

_BY_WHOM = r"\bhow (?:do|can|should|would|could) (?:i|we|you|one) "
_MORE = r"(?:support for|another|own|new|custom|further|additional|one more)"
_FILLERS = rf"(?:(?:{_MORE}|an?|my|our|the) )*"
_ASKED = re.compile(
    rf"{_BY_WHOM}(?:implement|plug in|(?:add|write|create|make|build|define|provide) (?={_FILLERS}{_MORE})) ?"
    rf"{_FILLERS}(?P<kind>[^?.!,\n]{{3,60}}?)(?: to (?:the|an?|my|our) (?P<holder>[\w -]{{3,40}}))?(?=[?.!,\n]|\Z)",
    re.IGNORECASE,
)
"""Who adds "a route" uses the code; who adds "a new kind of route" extends it."""
_SEVERAL = r"(?:(?:all|of|the|different|available|supported|built[- ]?in|possible|existing|predefined|standard) )*"
_KIND = rf"{_SEVERAL}(?:(?:kinds?|types?|sorts?) of )?(?P<kind>[a-z][\w-]*(?: [\w-]+){{0,3}}?)"
_THERE = r"(?:there|available|supported|provided|included|built[- ]?in|implemented|predefined|offered|possible)"
_OFFERS = r"(?:support|provide|have|offer|include|implement|know|ship(?: with)?|come with|expose|serve|register|define)"
_FAILURE = r"(?:errors?|exceptions?)"
_MAY = r"(?:can|could|does|do|may|might|will)"
_ASKED_FOR_ALL = tuple(
    re.compile(rf"^\W*{pattern}(?=\W*\Z| (?:and|in|by|for|out|here|does|do)\b|[,;?.!])", re.IGNORECASE)
    for pattern in (
        rf"(?:which|what) {_KIND} (?:are|exist)(?: (?:already )?{_THERE})?",
        rf"(?:which|what) {_KIND} (?:does|do) [\w.`-]+(?: [\w.`-]+)? {_OFFERS}",
        rf"(?:which|what) (?P<kind>(?:\w+ )?{_FAILURE}) {_MAY} [\w.`-]+(?: [\w.`-]+)? (?:define|raise|return|throw)",
        rf"(?:what|which) are (?:all |of )?the (?=different |available |supported |built|possible |existing ){_KIND}",
        rf"(?:list|enumerate|name)(?: me)? (?=all |the ){_KIND}",
    )
)
_OF_ANY = frozenset(
    map(stem, ("implementation", "support", "custom", "new", "own", "another", "type", "kind", "class", "code"))
)
_HOW_MADE = frozenset(map(stem, ("strategy", "variant", "option", "mode", "style")))
"""What says of a kind how it is chosen, where another word says which it is: "backoff strategies"."""
_FAILURES = frozenset(map(stem, ("error", "exception")))
_ALL_OF_IT = 0.75
"""How much of the kind a name must say where all of a kind are asked for."""
_AROUND_NAMES = frozenset({"i", "abstract", "base", "factory", "interface", "default", "impl"})
"""Parts of names that say how a type is made, not what it is."""
_BETWEEN = frozenset({"adapter", "backend", "connector", "driver", "provider"})
"""Parts of names that say of a type that it speaks to what it is called after: `DatabaseBackend`."""
_LEAST_LETTERS = 3


@dataclass(frozen=True, slots=True)
class AskedKind:
    """
    A kind of thing of which all are asked for, or how to add one more.

    Args:
        kind: For each word that says it, the terms by which code may write that; () if nothing is asked for.
        holder: The same of what one more is to be added to; () if that is not said.
        least: How much of the kind a name must say, 0 to 1.
    """

    kind: tuple[frozenset[str], ...] = ()
    holder: tuple[frozenset[str], ...] = ()
    least: float = 0.0

    @property
    def is_for_all(self) -> bool:
        """Whether all of the kind are asked for."""
        return self.least > 0.0

    @property
    def is_of_failures(self) -> bool:
        """Whether the kind is that of all errors or exceptions."""
        return len(self.kind) == 1 and not self.kind[0].isdisjoint(_FAILURES)


def asked_kind(question: str) -> AskedKind:
    """Read which kind of thing a question wants to extend, or to have listed."""
    if found := _ASKED.search(question):
        return AskedKind(_spelled(found["kind"]), _spelled(found["holder"] or ""))
    listed = next(filter(None, (pattern.search(question) for pattern in _ASKED_FOR_ALL)), None)
    return AskedKind(_spelled(listed["kind"]), least=_ALL_OF_IT) if listed else AskedKind()


def _spelled(said: str) -> tuple[frozenset[str], ...]:
    telling = [word for word in words(said) if terms_of(word) and stem(word.lower()) not in _OF_ANY]
    specific = [word for word in telling if terms_of(word)[0] not in _HOW_MADE]
    forms = (frozenset(spellings(word)) for word in specific or telling)
    return tuple(each | _FAILURES if each & _FAILURES else each for each in forms)


def covered(name: str, kind: tuple[frozenset[str], ...]) -> float:
    """
    Return how much a type's name says of a kind of thing, 0 to 1; 0.0 if its last part is none of it.

    Args:
        kind: As `AskedKind` has it.
    """
    besides = _AROUND_NAMES | {part for part in _BETWEEN if not any(stem(part) in word for word in kind)}
    parts = [part.lower() for part in split_identifier(name) if part.lower() not in besides]
    if not parts or not kind or len(parts[-1]) < _LEAST_LETTERS:
        return 0.0
    forms = [frozenset(spellings(part)) if terms_of(part) else frozenset[str]() for part in parts]
    told = [any(form & word for form in forms) for word in kind]
    own = [any(form & word for word in kind) for form in forms]
    return (sum(told) / len(told) + sum(own) / len(own)) / 2 if own[-1] else 0.0


def bears(name: str, kind: tuple[frozenset[str], ...]) -> bool:
    """Tell whether a type's name says all of a kind and ends with its last word: `PetController` of "controllers"."""
    parts = [terms_of(part)[0] for part in split_identifier(name) if terms_of(part)]
    is_last = bool(parts and kind) and parts[-1] in kind[-1]
    return is_last and len(parts) > 1 and all(any(part in word for part in parts) for word in kind)
