"""Values that source gives to names, and how well one of them fits the setting that a question asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, MentionKind, QuestionPart, SlotKind, Understanding
from common.core.words.abbreviations import shortened
from common.core.words.terms import count_terms, split_identifier, stem, terms_of, words
from retriever.domain.values import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable

_DEFAULT = frozenset(terms_of("default"))
_DONE = re.compile(r"(?<=\w{3})ied\b", re.IGNORECASE)
_LONGEST_NAME = 6
"""Most words of a name that is looked for in a question as a whole."""
_LEAST_LETTERS = 4
_MOST_WORDS, _MOST_NAMES = 6, 3
_ABOUT = (SlotKind.SUBJECT, SlotKind.OBJECT, SlotKind.OWNER)
_BY_NAME = (Intent.MEANING, Intent.LOCATION)
"""Intents that ask for a setting only where no definition has its name."""
_MOST_BLANKS = 3
"""A quoted text with this many blanks or more is a message, not a name."""
_BY_WORDS = (Intent.VALUE, Intent.USAGE)


PARAMETERS = (Origin.PARAMETER, Origin.CONSTRUCTOR)


@dataclass(frozen=True, slots=True)
class GivenValue:
    """
    One place that gives a name a value, or reads an environment variable.

    Args:
        keys: Names of the sections around it, outermost first, then its own name.
        value: As written, on one line; "" where none is given or it is longer.
        line: From 1.
        end_line: Of the value, inclusive.
        above: Number of comment lines right above.
        is_plain: The value is a literal or a constant, or is made of them alone.
        symbol_id: The definition around it; None in a file without symbols.
    """

    keys: tuple[str, ...]
    value: str
    path: str
    line: int
    end_line: int
    origin: Origin = Origin.ASSIGNED
    above: int = 0
    is_plain: bool = True
    symbol_id: int | None = None

    @property
    def name(self) -> str:
        """Its dotted name: the sections around it, then its own name."""
        return ".".join(self.keys)

    @property
    def is_passed_on(self) -> bool:
        """Whether the value is merely passed on from a variable or attribute of the same name."""
        return folded(self.value.replace(">", ".").rpartition(".")[2]) == folded(self.keys[-1])

    @property
    def is_naming(self) -> bool:
        """Whether the value is the setting's own name as a string, as in `MAX_RETRIES = "max_retries"`."""
        return self.value[:1] in ("'", '"', "`") and folded(self.value.rpartition(".")[2]) == folded(self.keys[-1])


@dataclass(frozen=True, slots=True)
class AskedSetting:
    """
    The setting whose value a question asks for.

    Args:
        names: As the question writes them; () where the setting is only described.
        terms: Terms of the description; () where the setting is named.
        words: Words of the question that the terms come from.
        phrases: Sequences of two to six words of the question that may be a whole name, without "default".
        in_full: Only values whose whole name is one of `phrases` count.
        is_certain: The question can hardly be about anything but a setting.
        for_default: It asks for the default, the value that applies where nobody sets one.
        slots: Parts of the question about the setting and its owner: subject, object and owner.
    """

    names: tuple[str, ...]
    terms: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    phrases: frozenset[tuple[str, ...]] = frozenset()
    in_full: bool = False
    is_certain: bool = True
    for_default: bool = False
    slots: tuple[str, ...] = ()


def asked_setting(understanding: Understanding, project: frozenset[str] = frozenset()) -> AskedSetting | None:
    """Return the setting that a question asks about, words of the project's name aside; None if it asks for none."""
    for part in understanding.of(*_BY_WORDS, *_BY_NAME, Intent.SETTINGS):
        slots = part.texts(*_ABOUT)
        names = _names(understanding, part)
        for_value = part.intent is Intent.VALUE
        is_certain = for_value or bool(understanding.named(MentionKind.SETTING))
        if names and part.intent is not Intent.SETTINGS:
            return AskedSetting(names, is_certain=is_certain, for_default=for_value, slots=slots)
        slots = tuple(slot for slot in slots if not {word.lower() for word in words(slot)} <= project)
        said = {word: _term(word) for slot in slots for word in words(slot) if terms_of(word)}
        if part.intent in _BY_WORDS and 0 < len(said) <= _MOST_WORDS:
            return AskedSetting(
                (),
                frozenset(said.values()),
                tuple(said),
                _phrases(slots),
                in_full=not for_value,
                for_default=for_value,
                slots=slots,
            )
    return None


def goes_on(understanding: Understanding) -> bool:
    """Return whether a question names no topic of its own, so that it continues an earlier question."""
    if understanding.mentions or len(understanding.parts) != 1:
        return False
    said = (word for slot in understanding.parts[0].texts(*_ABOUT) for word in words(slot))
    return not any(terms_of(word) for word in said)


def _names(understanding: Understanding, part: QuestionPart) -> tuple[str, ...]:
    """Return up to three names of settings in a part: if it asks for a value, its subjects; no `b` beside `a.b`."""
    kinds = (MentionKind.SETTING, MentionKind.SYMBOL, MentionKind.MESSAGE)
    found = [
        each.text.strip("-.`\"'")
        for each in understanding.mentions
        if each.kind in kinds and part.start <= each.start < part.end and each.text.count(" ") < _MOST_BLANKS
    ]
    subject = part.text(SlotKind.SUBJECT).strip("-.`\"'")
    if part.intent is Intent.VALUE and found and subject and " " not in subject:
        # other names identify the owner
        found = [each for each in part.texts(SlotKind.SUBJECT) if each in found] or [subject]
    kept = [each for each in dict.fromkeys(found) if each]
    own = [each for each in kept if not any(each != other and each in other.split(".") for other in kept)]
    return tuple(own[:_MOST_NAMES])


def _term(word: str) -> str:
    """Return the term of a word as names write it: "retried" is `retry`."""
    return terms_of(_DONE.sub("y", word))[0]


def _phrases(slots: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    pieces = [list(said) for slot in slots for telling, said in groupby(words(slot), _is_telling) if telling]
    # "The width of a door" may be called `door_width`.
    pairs = [[*one, *other] for one in pieces for other in pieces if one != other]
    found = set()
    for each in (*pieces, *pairs):
        said = _plain(each)
        for first in range(len(said)):
            found |= {said[first:end] for end in range(first + 2, min(len(said), first + _LONGEST_NAME) + 1)}
    return frozenset(found)


def _is_telling(word: str) -> bool:
    return bool(terms_of(word))


def _plain(said: Iterable[str]) -> tuple[str, ...]:
    """Return the parts of words in a form common to names and questions, without "default"."""
    parts = [_DONE.sub("y", part.casefold()) for word in said for part in split_identifier(word)]
    return tuple(stem(shortened(part)) for part in parts if not part.startswith("default"))


def folded(name: str) -> str:
    """Return the letters and digits of a name in lower case: the same for `max-retries` and `maxRetries`."""
    return "".join(filter(str.isalnum, name)).casefold()


def fit(given: GivenValue, name: str) -> int:
    """
    Return how closely the keys of a value match a name, the lower the closer; -1 if they do not.

    0: the keys end with the name as written. 1: they end with it in another spelling (`max-retries` for `maxRetries`).
    2: the name ends with several keys joined (`APP_SERVER_PORT` for `server.port`).
    """
    parts = name.split(".")
    # A name cannot hold more keys than it has characters.
    keys = [*islice((part for key in reversed(given.keys) for part in reversed(key.split("."))), len(name))][::-1]
    own = keys[-len(parts) :]
    if own == parts:
        return 0
    if [folded(each) for each in own] == [folded(each) for each in parts]:
        return 1
    whole = folded(name)
    joined = [folded("".join(keys[-length:])) for length in range(2, len(keys) + 1)]
    return 2 if any(each and whole.endswith(each) for each in joined) else -1


def is_called_default(given: GivenValue, asked: AskedSetting) -> bool:
    """Return whether a default is asked for, and the value's own name has "default" and a term of the setting."""
    own = _parts(given.keys[-1])
    return asked.for_default and own >= _DEFAULT and not own.isdisjoint(asked.terms)


def coverage(given: GivenValue, asked: AskedSetting, comment: str = "") -> float:
    """
    Return the share of the description's terms in a value's name, sections, path and comment, with small corrections.

    It is 0 if the value's own name has none of the terms. Each other term of the own name, "default" aside, lowers it
    by 0.1, each other term of the sections by 0.01; "default" in the name raises it by 0.1 if a default is asked for.

    Args:
        comment: The one above the line, which often spells out an abbreviated name such as `DEFAULT_MAX_LEN`.
    """
    terms, own = asked.terms, _parts(given.keys[-1])
    if not own & terms:
        return 0.0
    around = {term for key in given.keys[:-1] for term in _parts(key)}
    named = set(count_terms(given.path))
    # A path may abbreviate a term: `application-prod.yml` holds the values for production.
    short = {term for term in terms for each in named if len(each) >= _LEAST_LETTERS and term.startswith(each)}
    told = own | around | named | short | {term for word in words(comment) for term in _of_word(word)}
    as_asked = asked.for_default and own >= _DEFAULT
    extra = 0.1 * len(own - terms - _DEFAULT) + 0.01 * len(around - terms) - 0.1 * as_asked
    return len(told & terms) / len(terms) - extra


def told_in_full(given: GivenValue, asked: AskedSetting) -> int:
    """Return how many words of a value's name, sections included, the question has, if it has a whole name; else 0."""
    name: tuple[str, ...] = ()
    told = 0
    for key in reversed(given.keys):
        name = (*_plain(words(key)), *name)
        if len(name) > _LONGEST_NAME:
            break
        told = len(name) if name in asked.phrases else told
    # A question may have other words between those of a name: "requests there are per domain".
    own = [term for word in words(given.keys[-1]) for term in _of_word(word) if term not in _DEFAULT]
    # A name may have one word, neither first nor last, that the question's slots lack: `REQUESTS_PER_DOMAIN`.
    said = [term for term in own if term in asked.terms]
    is_inside = len(own) <= len(said) + 1 and own[:1] == said[:1] and own[-1:] == said[-1:]
    is_whole = len(said) > 1 and is_inside and said == [_term(word) for word in asked.words] and not asked.in_full
    return max(told, len(said)) if is_whole else told


def _parts(key: str) -> set[str]:
    """Return the terms of the parts of a name, without the term of a compound as a whole."""
    return {term for word in words(key) for term in _of_word(word)}


def _of_word(word: str) -> tuple[str, ...]:
    return terms_of(word)[1:] or terms_of(word)
