"""Categories of things in a question ("serializers"): their terms, and how well a name fits."""

from __future__ import annotations

from dataclasses import dataclass

from common.core.words.spellings import spellings
from common.core.words.terms import split_identifier, stem, terms_of, words

_FAILURES = frozenset(map(stem, ("error", "exception")))
_AROUND_NAMES = frozenset({"i", "abstract", "base", "factory", "interface", "default", "impl"})
"""Parts of type names about the form, not the meaning: `Base`, `Abstract`."""
_BETWEEN = frozenset({"adapter", "backend", "connector", "driver", "provider"})
"""Parts of type names that mean an adapter to the named thing: `DatabaseBackend`."""
_LEAST_LETTERS = 3


@dataclass(frozen=True, slots=True)
class Kind:
    """
    A kind of thing, as a question words it.

    Args:
        forms: For each word, the terms by which code may write it.
    """

    forms: tuple[frozenset[str], ...] = ()

    @property
    def is_of_failures(self) -> bool:
        """Whether the kind is errors or exceptions in general."""
        return len(self.forms) == 1 and not self.forms[0].isdisjoint(_FAILURES)

    @property
    def without_head(self) -> Kind:
        """The kind without its last word, which may be generic: "backoff strategies"."""
        return Kind(self.forms[:-1])

    def covered(self, name: str) -> float:
        """Return the mean share of kind and type name that is in the other; 0.0 if the name's last part is not."""
        besides = _AROUND_NAMES | {part for part in _BETWEEN if not any(stem(part) in word for word in self.forms)}
        parts = [part.lower() for part in split_identifier(name) if part.lower() not in besides]
        if not parts or not self.forms or len(parts[-1]) < _LEAST_LETTERS:
            return 0.0
        forms = [frozenset(spellings(part)) if terms_of(part) else frozenset[str]() for part in parts]
        told = [any(form & word for form in forms) for word in self.forms]
        own = [any(form & word for word in self.forms) for form in forms]
        return (sum(told) / len(told) + sum(own) / len(own)) / 2 if own[-1] else 0.0

    def is_borne_by(self, name: str) -> bool:
        """Return whether a name has all words of the kind, the last one at its end, and more parts: `PetController`."""
        parts = [terms_of(part)[0] for part in split_identifier(name) if terms_of(part)]
        is_last = bool(parts and self.forms) and parts[-1] in self.forms[-1]
        return is_last and len(parts) > 1 and all(any(part in word for part in parts) for word in self.forms)


def kind_of(words_of_kind: str) -> Kind:
    """Return the kind that some words of a question name."""
    forms = (frozenset(spellings(word)) for word in words(words_of_kind) if terms_of(word))
    return Kind(tuple(each | _FAILURES if each & _FAILURES else each for each in forms))


FAILURES = kind_of("errors")
