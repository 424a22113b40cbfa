"""Questions about the value of a setting, and how well a line that gives a value fits them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from common.core.abbreviations import shortened
from common.core.terms import count_terms, split_identifier, stem, terms_of, words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retriever.domain.assignments import Assignment

_ASKS_FOR_VALUE = re.compile(
    r"\b(?:defaults?|set(?: to)?|values?|limits?|maxim(?:um|al)|minim(?:um|al)|max|min|timeouts?|intervals?|configured"
    r"|how (?:many|much|long|often|big|large|far)|expires?|ttl)\b|\b(?:which|what) (?:port|url|host|address|version)\b",
    re.IGNORECASE,
)
_ASKS_FOR_NUMBER = re.compile(
    r"\b(?:limits?|maxim(?:um|al)|minim(?:um|al)|max|min|timeouts?|intervals?|how (?:many|much|long|often|big|large)"
    r"|ttl|(?:which|what) port)\b",
    re.IGNORECASE,
)
_HOW_OFTEN = re.compile(r"\bhow (?:many times|often)\b", re.IGNORECASE)
_HOW_OFTEN_DONE = re.compile(
    rf"{_HOW_OFTEN.pattern} (?:is|are|was|were|gets?) (?:[^\s?]+ ){{1,5}}?(?P<deed>\w+)"
    r"(?=\W*\Z| (?:after|at|before|by|if|in|on|per|until|when)\b)",
    re.IGNORECASE,
)
"""Whatever it is done to: the limit of a deed is called after the deed alone."""
_LIMITS = frozenset(map(stem, ("attempts", "limit", "max", "maximum", "most", "number", "times", "total")))
"""How a name, or the rest of it, says that it is how often something may be done."""
_COUNTS = frozenset(map(stem, ("count", "counter", "counted")))
_ASKS_FOR_SETTING = re.compile(
    r"\b(?:settings?|options?|config\w*|keys?|env(?:ironment)?(?: var(?:iable)?)?s?|variables?|constants?"
    r"|propert(?:y|ies)|flags?|parameters?|defined|declared|specified)\b",
    re.IGNORECASE,
)
_ASKS_TO_CHANGE = re.compile(
    r"\A\W*(?:how (?:(?:do|can|could|would|should) (?:i|we|you|one)|to)|(?:can|could|may) (?:i|we|you|one)) (?:\w+ )?"
    r"(?:adjust|change|configure|customi[sz]e|decrease|disable|enable|increase|limit|lower|override|raise|reduce|set|specify|tune"
    r"|turn (?:off|on))\b|\bconfigurable\b",
    re.IGNORECASE,
)
_ASKS_FOR_CODE = re.compile(
    r"\b(?:an?|any|some|what|which) (?:\w+ )?(?:class(?:es)?|decorators?|functions?|helpers?|methods?)\b"
    r"|\bthe (?:\w+ )?(?:class|decorator|function|helper|method) (?:that|which)\b",
    re.IGNORECASE,
)
"""Whoever asks which function does something describes that, and no setting."""
_OF = re.compile(r"\b(\w+(?: \w+)?) of (?:the |an? |all )?(\w+(?: \w+)?)", re.IGNORECASE)
_WHOSE = re.compile(r"\b(?:which|what) (?:port|url|host|address|version)\b", re.IGNORECASE)
_WHICH = re.compile(
    r"\b(?:which|what) (?:\w+ )?(?:settings?|options?|keys?|flags?|parameters?|constants?)\b", re.IGNORECASE
)
_IS = re.compile(
    r"\W*(?:what(?:'s| is| are| does)|where is)\s+(?:the\s+)?[`\"]?[\w.-]+[`\"]?(?:\s+(?:do|mean|for|used for))?\W*\Z",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"`([^`\s]{2,80})`|\"([^\"\s]{2,80})\"")
_DOTTED = re.compile(r"(?<![\w./-])[A-Za-z_][\w-]*(?:\.[\w-]+)+(?![\w/(])")
_CAPITALS = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[A-Z]{5,}\b")
_JOINED = re.compile(r"(?<![\w.-])(?:_*[a-z]\w*_\w+|[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,})\b(?![\w(])")
_DASHED_NAME = r"(?<![\w./-])(?:--)?[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?![\w/-])"
_DASHED = re.compile(
    rf"(?:\b(?:keys?|settings?|options?|flags?|parameters?|propert(?:y|ies)|of|does|is|for)\s+(?:the\s+)?)({_DASHED_NAME})"
    rf"|({_DASHED_NAME})(?=\s+(?:keys?|settings?|options?|flags?|parameters?|set\b|configured|defined|declared|defaults?))"
)
"""Words are joined by dashes as well: only where one must stand is it the name of a setting."""
_FILE = re.compile(
    r"\.(?:py|go|java|kt|[jt]sx?|rb|rs|php|cs|ya?ml|toml|json|ini|cfg|conf|env|properties|md|rst|txt|xml|html)$"
)
_SAID_OF_ANY = frozenset(
    term
    for word in words(
        "default defaults value values set sets setting settings configured configuration config option key constant"
        " listen listens run runs running use uses used long often many much big large limit limits maximum minimum max"
        " min take takes allow allows allowed keep kept wait waits happen number specified defined define service"
        " application app server project code which what time times unit units give given apply applies control"
        " controls flag parameter property variable environment adjust change configure configurable customize override"
        " specify tune"
    )
    for term in terms_of(word)
)
"""What is said of any setting."""
_DEFAULT = frozenset(terms_of("default"))
_DONE = re.compile(r"(?<=\w{3})ied\b", re.IGNORECASE)
_LONGEST_NAME = 6
"""Words of a name that a question may say in full."""
_ENDING = 3
"""Letters by which a line is known that may have a name; the rest is spelled in many ways."""
_MOST_WORDS, _MOST_NAMES, _LEAST_LETTERS = 6, 3, 4
_LONGEST = 160
"""Characters of a question; what is longer is about more than a value, and names stand for many things in it."""


@dataclass(frozen=True, slots=True)
class AskedSetting:
    """
    What a question wants to know the value of.

    Args:
        names: As written; () where it is only described.
        terms: By which a description tells it; () where it is named.
        words: Of the question, by which the terms are said.
        phrases: What of the question may be a whole name, word by word, defaults aside; of two words at least.
        in_full: Only lines count whose name is such a phrase.
        is_certain: The question can hardly be about anything but a setting.
        for_default: It asks what holds where nobody sets anything.
        for_number: Only a number answers it.
        for_times: It asks how often something is done.
    """

    names: tuple[str, ...]
    terms: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    phrases: frozenset[tuple[str, ...]] = frozenset()
    in_full: bool = False
    is_certain: bool = True
    for_default: bool = False
    for_number: bool = False
    for_times: bool = False

    @property
    def beginnings(self) -> tuple[str, ...]:
        """With what words begin, lower case, that have one of the terms: `retr` of `retry`, as `retries` does."""
        limits = _LIMITS if self.for_times else ()
        short = (shortened(word.casefold()) for word in self.words)
        return tuple(sorted({*(term.removesuffix("y") for term in self.terms), *limits, *short}))


def fits_any_setting(question: str) -> bool:
    """Tell whether a question says nothing but what may be asked of any setting: "how do I change it?", "why 15?"."""
    return all(term in _SAID_OF_ANY or not term.isalpha() for term in count_terms(question))


def asked_setting(question: str) -> AskedSetting | None:
    """Return the setting that a question asks about; None if it asks for none."""
    if len(question) > _LONGEST:
        return None
    for_value = _ASKS_FOR_VALUE.search(question) is not None
    for_default = re.search(r"\bdefaults?\b", question, re.IGNORECASE) is not None
    names = _names(question)
    if names:
        is_certain = for_value or _ASKS_FOR_SETTING.search(question) is not None
        is_asked = is_certain or _IS.match(question)
        return AskedSetting(names, is_certain=is_certain, for_default=for_default) if is_asked else None
    if _ASKS_FOR_CODE.search(question):
        return None
    wants_value = for_value or _WHICH.search(question) is not None
    if not (wants_value or _ASKS_TO_CHANGE.search(question)) or "\n" in question.strip():
        return None
    for_number = _ASKS_FOR_NUMBER.search(question) is not None
    done = _HOW_OFTEN_DONE.search(question)
    said = {word: _term(word) for word in words(done["deed"] if done else question) if terms_of(word)}
    telling = {word: term for word, term in said.items() if term not in _SAID_OF_ANY}
    if len(telling) > _MOST_WORDS:
        return None
    # What is said of any setting can still be the whole name of one: "max size".
    known = telling or {word: term for word, term in said.items() if term not in _DEFAULT}
    return AskedSetting(
        (),
        frozenset(known.values()),
        tuple(known),
        _phrases(question),
        in_full=not (wants_value and telling),
        for_default=for_default,
        for_number=for_number,
        for_times=_HOW_OFTEN.search(question) is not None,
    )


def _term(word: str) -> str:
    """Return the term of a word as names have it: what is "retried" is told by a `retry`."""
    return terms_of(_DONE.sub("y", word))[0]


def _phrases(question: str) -> frozenset[tuple[str, ...]]:
    turned = [
        f"{whose} {what}"
        for match in _OF.finditer(question)
        for whose in (match[2], match[2].partition(" ")[0])
        for what in (match[1], match[1].rpartition(" ")[2])
    ]
    found = set()
    for each in (question, *turned):
        said = _plain(words(each))
        for first in range(len(said)):
            found |= {said[first:end] for end in range(first + 2, min(len(said), first + _LONGEST_NAME) + 1)}
    return frozenset(found)


def _plain(said: Iterable[str]) -> tuple[str, ...]:
    """Return the parts of words in the one form in which names and questions meet, defaults aside."""
    parts = [_DONE.sub("y", part.casefold()) for word in said for part in split_identifier(word)]
    return tuple(stem(shortened(part)) for part in parts if not part.startswith("default"))


def _names(question: str) -> tuple[str, ...]:
    quoted = [next(filter(None, found)) for found in _QUOTED.findall(question)]
    # "Which port does the shop-admin use?" is about a part of the project.
    dashed = [] if _WHOSE.search(question) else [next(filter(None, found)) for found in _DASHED.findall(question)]
    found = [*quoted, *_DOTTED.findall(question), *_CAPITALS.findall(question), *_JOINED.findall(question), *dashed]
    plain = [each.strip("`'\"-:=").rstrip(".") for each in found]
    kept = [each for each in dict.fromkeys(plain) if re.fullmatch(r"[\w.-]{2,}", each) and not _FILE.search(each)]
    # `a.b` says all that `b` does.
    own = [each for each in kept if not any(each != other and each in other.split(".") for other in kept)]
    return tuple(own[:_MOST_NAMES])


def fit(assignment: Assignment, name: str) -> int:
    """
    Return how a line bears a name, less is closer; -1 if it does not.

    0 as it is written, 1 in another spelling (`max-retries` for `maxRetries`) or as a text that finds the value, 2 as
    the end of a name that has its sections in it (`APP_SERVER_PORT` for `server.port`).
    """
    parts = name.split(".")
    # No more of what is around it can stand in the name.
    above = (part for key in reversed(assignment.keys) for part in reversed(key.split(".")))
    keys = [*islice(above, len(name))][::-1]
    own = keys[-len(parts) :]
    if own == parts:
        return 0
    if [folded(each) for each in own] == [folded(each) for each in parts] or _is_looked_up(assignment.value, name):
        return 1
    whole = folded(name)
    joined = [folded("".join(keys[-length:])) for length in range(2, len(keys) + 1)]
    return 2 if any(each and whole.endswith(each) for each in joined) else -1


def ending(name: str) -> str:
    """Return with what every name that `fit` takes for this one ends, lower case."""
    last = re.split(r"[\W_]", name.strip("_"))[-1]
    return (split_identifier(last)[-1:] or [last])[0].casefold()[-_ENDING:]


def _is_looked_up(value: str, name: str) -> bool:
    """Tell a value that is found by this name: `getenv("PORT", 80)`."""
    return "(" in value and re.search(rf"[\"'`]{re.escape(name)}[\"'`]", value) is not None


def folded(name: str) -> str:
    """Return a name in the one spelling that all others meet in."""
    return re.sub(r"[\W_]", "", name).casefold()


def is_called_default(assignment: Assignment, asked: AskedSetting) -> bool:
    """Tell what is called a default where one is asked for, and something that is asked of it."""
    own = _parts(assignment.keys[-1])
    return asked.for_default and own >= _DEFAULT and not own.isdisjoint(asked.terms)


def coverage(assignment: Assignment, asked: AskedSetting, path: str, comment: str = "") -> float:
    """
    Return the share of a description that a line, its sections and its file speak of; 0 unless its own name does.

    What else its own name and its sections say makes it less likely; that it is a default does not, if one is asked
    for.

    Args:
        comment: Above the line, which says in full what a name says in short: `DEFAULT_MAX_LEN`.
    """
    terms, own = asked.terms, _parts(assignment.keys[-1])
    around = {term for key in assignment.keys[:-1] for term in _parts(key)}
    limits = _LIMITS if asked.for_times else frozenset[str]()
    is_limit = own <= limits and bool(around & terms)
    # What counts how often it was done is no limit.
    if not (own & terms or is_limit) or (asked.for_times and own & _COUNTS and assignment.value == "0"):
        return 0.0
    named = set(count_terms(path))
    # `application-prod.yml` is what holds in production.
    short = {term for term in terms for each in named if len(each) >= _LEAST_LETTERS and term.startswith(each)}
    told = own | around | named | short | {term for word in words(comment) for term in _of_word(word)}
    as_asked = asked.for_default and own >= _DEFAULT
    extra = 0.1 * len(own - terms - _DEFAULT - limits) + 0.01 * len(around - terms) - 0.1 * as_asked
    return len(told & terms) / len(terms) - extra


def told_in_full(assignment: Assignment, asked: AskedSetting) -> int:
    """Return how many words the name of a line has, with sections around it, if a question says them all; else 0."""
    name: tuple[str, ...] = ()
    told = 0
    for key in reversed(assignment.keys):
        name = (*_plain(words(key)), *name)
        if len(name) > _LONGEST_NAME:
            break
        told = len(name) if name in asked.phrases else told
    # "Requests there are per domain": the words of the question, in their order, with others between them.
    own = [term for word in words(assignment.keys[-1]) for term in _of_word(word) if term not in _DEFAULT]
    is_whole = len(own) > 1 and own == [_term(word) for word in asked.words] and not asked.in_full
    return max(told, len(own)) if is_whole else told


def _parts(key: str) -> set[str]:
    """Return the terms of the parts of a name, without that of the whole."""
    return {term for word in words(key) for term in _of_word(word)}


def _of_word(word: str) -> tuple[str, ...]:
    return terms_of(word)[1:] or terms_of(word)
