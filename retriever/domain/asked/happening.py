"""Questions what comes of something: who does what there, and whether that is a failure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from common.core.spellings import spellings
from common.core.synonyms import other_ways
from common.core.terms import split_identifier, stem, terms_of, words

_ASKED = re.compile(
    r"\bwhat happens (?:to [\w' .-]{2,40} )?(?:when|if|once|after|as soon as) (?P<what>[^?\n]{3,100})", re.IGNORECASE
)
_PASSIVE = re.compile(
    r"(?P<who>.{2,60}?) (?:is|are|gets?|was|has been) (?:being )?(?P<deed>\w{2,}(?:ed|en|wn|ung|ost|ent|et|ad))\b",
    re.IGNORECASE,
)
_ACTIVE = re.compile(
    r"(?P<who>(?!(?:[^?]* )?(?:has|have|is|are|was|were|do|does|gets?) )(?:(?:an?|the|no|my|our|some|each|every) )?"
    r"[\w'.-]+(?: [\w'.-]+){0,2}?) (?P<deed>[a-z]{3,}s|time|run)(?P<further> (?:away|down|off|out|up))?"
    r"(?=\W*\Z| (?:after|at|because|before|during|for|from|in|of|on|to|under|unexpectedly|while|with|without)\b)",
    re.IGNORECASE,
)
"""Who does something by itself: "a worker dies in the middle of a job"."""
_FAILS = re.compile(
    r"(?P<who>.{2,60}?) (?P<deed>raises?|throws?|panics?|fails?|crashe?s?|errors?(?: out)?|rejects?)\b", re.IGNORECASE
)
_CATCHES = re.compile(
    r"^\s*except\s*(?::|\(?(?:Base)?Exception\b)|^\s*rescue\s*(?:$|=>|StandardError\b|Exception\b)"
    r"|\bcatch\s*(?:\{|\(\s*(?:final\s+)?(?:\w+\s*\)|(?:\\?Exception|\\?Throwable|RuntimeException|Error|\.\.\.)))"
    r"|\.catch\(|\brecover\(\)|\bcatch_unwind\(",
    re.MULTILINE,
)
"""How code takes up whatever others raise: Python, Ruby, the family of C, promises, Go, Rust."""
_EVENT = re.compile(
    r"^_*(?:[Oo]n|[Hh]andle|[Ww]hen|[Aa]fter)(?=_|[A-Z])|[a-z]ed_*$|(?:^|_)(?:lost|dead)_*$|(?:Lost|Dead)$"
)
"""How a function is called that is told of something: `on_disconnect`, `connection_lost`, `handleKilled`."""
_FAILURE = re.compile(
    r"[a-z](?:Closed|Disconnect(?:ed)?|Err(?:or)?|Exceeded|Exception|Expired|Lost|Reached|Time(?:d)?[Oo]ut)s?$"
)
_OF_ANY = frozenset(map(stem, ("called", "used", "given", "made", "reached", "received", "needed", "wanted")))
"""What is said of anything that code does."""


@dataclass(frozen=True, slots=True)
class Happening:
    """
    What a question says that happens.

    Args:
        who: Terms of whom it happens to, or who fails.
        deed: Terms by which code may write what is done; () for a failure.
    """

    who: frozenset[str]
    deed: tuple[str, ...] = ()

    @property
    def is_failure(self) -> bool:
        """Whether somebody fails: what takes that up is where it goes on."""
        return not self.deed

    def is_spoken_of(self, text: str) -> bool:
        """Tell whether a name or text speaks of whom it happens to."""
        return not self.who.isdisjoint(_terms(text))

    def is_done_by(self, qualified_name: str) -> bool:
        """Tell whether a definition is called like what is done, and is or belongs to what it is done to."""
        owner, _, name = qualified_name.rpartition(".")
        own = _terms(name)
        return bool(self.deed) and not own.isdisjoint(self.deed) and bool(self.who & (own | _terms(owner)))

    def is_told(self, name: str) -> bool:
        """Tell a name of whoever is told that it happens, or of a failure that is called so, to whomever."""
        is_failure = _FAILURE.search(name) is not None
        return (is_failure or _EVENT.search(name) is not None) and not _terms(name).isdisjoint(self.deed)


def asked_happening(question: str) -> Happening | None:
    """Return what a question says that happens; None if it asks for no such thing."""
    asked = _ASKED.search(question)
    if asked is None:
        return None
    if failing := _FAILS.match(asked["what"]):
        return Happening(_terms(failing["who"]))
    done = _PASSIVE.match(asked["what"]) or _ACTIVE.match(asked["what"])
    further = (done.groupdict().get("further") or "").strip() if done else ""
    # "Times out" is written as one word.
    verb = f"{done['deed'].removesuffix('s')}{further}" if done and further else done["deed"] if done else ""
    deed = spellings(verb)
    ways = (way[0] for way in other_ways(verb) if len(way) == 1)
    forms = tuple(dict.fromkeys((*deed, *(form for way in ways for form in spellings(way)))))
    return Happening(_terms(done["who"]), forms) if done and deed and _OF_ANY.isdisjoint(deed) else None


def catches(text: str) -> int:
    """Return the number of the first line, from 1, that takes up whatever others raise; 0 for none."""
    found = _CATCHES.search(text)
    return text.count("\n", 0, found.end()) + 1 if found else 0


def _terms(text: str) -> frozenset[str]:
    parts = (part for word in words(text) for part in (word, *split_identifier(word)))
    return frozenset(form for part in parts if terms_of(part) for form in spellings(part))
