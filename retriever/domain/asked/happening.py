"""Questions what comes of something: who does what there, and whether that is a failure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from common.core.spellings import spellings
from common.core.synonyms import synonyms_of
from common.core.terms import split_identifier, stem, terms_of, words

_ASKED = re.compile(
    r"\bwhat happens (?:to [\w' .-]{2,40} )?(?:when|if|once|after|as soon as) (?P<what>[^?\n]{3,100})", re.IGNORECASE
)
_OF_A_WAY = re.compile(
    r"\W*how (?:does|do|is|are|can) (?P<subject>(?:(?:an?|the) )?\w+) [^?\n]{2,60}? (?:when|once|after|if) "
    r"(?P<what>[^?\n]{3,60})\W*\Z",
    re.IGNORECASE,
)
"""How something goes on once something happens: "how does a connection get back when it is closed?"."""
_PRONOUN = re.compile(r"(?:it|they|this|that) ", re.IGNORECASE)
_MET = r"(?:is|are|gets|was) (?:exceeded|hit|passed|reached|used up)\b"
_LIMIT = re.compile(
    r"(?:there (?:are|is) |it (?:gets|has) )?too (?:many|much) (?P<many>[\w'. -]{2,40})"
    rf"|the (?:limit|maximum|quota) (?:for|of) (?P<of>.{{2,40}}?) {_MET}"
    rf"|(?P<limited>.{{2,60}}?) (?:limit|maximum|quota) {_MET}"
    r"|(?P<large>.{2,60}?) (?:is|are|gets) too (?:big|deep|large|long|many)\b",
    re.IGNORECASE,
)
_OVER = re.compile(r"Exceed|Limit|Max(?=[A-Z])|Maximum|Overflow|Quota|Too(?:Big|Deep|Large|Long|Many|Much)")
"""How a failure is called that is raised beyond a limit."""
_LACKING = re.compile(
    r"(?P<who>.{{2,60}}?) (?:(?:is|are|was|were) (?:absent|left out|missing|not {0})|(?:isn't|aren't) {0})\W*\Z".format(
        "(?:found|given|passed|provided|set|specified|supplied)"
    ),
    re.IGNORECASE,
)
"""Something that is wanted is not there."""
_WANTED = frozenset(form for word in ("mandatory", "missing", "required") for form in spellings(word))
"""How code calls what is not there, or has to be."""
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
    r"|\.catch\(|\brecover\(\)|\bcatch_unwind\(|^\s*(?:el)?if\b[^\n]*\bexc_?(?:type|val|value)\b",
    re.MULTILINE,
)
"""How code takes up whatever others raise: Python, Ruby, the family of C, promises, Go, Rust, contexts of Python."""
_EVENT = re.compile(
    r"^_*(?:[Oo]n|[Hh]andle|[Ww]hen|[Aa]fter)(?=_|[A-Z])"
    r"|^(?!_*(?:are|get|has|is|mark|set|was)(?=_|[A-Z])).*(?:[a-z]ed|(?:^|_)(?:lost|dead)|Lost|Dead)_*$"
)
"""How a function is called that is told of something: `on_disconnect`, `connection_lost`; `is_closed` only asks."""
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
        deed: Terms by which code may write what is done, its own first; () for a failure.
        is_limit: It goes beyond a limit, which has a failure of its own.
    """

    who: frozenset[str]
    deed: tuple[str, ...] = ()
    is_limit: bool = False

    @property
    def is_failure(self) -> bool:
        """Whether somebody fails: what takes that up is where it goes on."""
        return not (self.deed or self.is_limit)

    def is_spoken_of(self, text: str) -> bool:
        """Tell whether a name or text speaks of whom it happens to."""
        return not self.who.isdisjoint(_terms(text))

    def is_done_by(self, qualified_name: str) -> bool:
        """Tell whether a definition is called like what is done, and is or belongs to what it is done to."""
        owner, _, name = qualified_name.rpartition(".")
        own = _terms(name)
        return bool(self.deed) and not own.isdisjoint(self.deed) and bool(self.who & (own | _terms(owner)))

    def is_said_in(self, message: str) -> float:
        """
        Return the share of the words of a message that say what happens to whom; 0.0 if either is not said.

        That something is missing is said of many things: no message tells which.
        """
        if _WANTED.issuperset(self.deed):
            return 0.0
        said = [_terms(word) for word in words(message)]
        who, deed = ([each for each in said if not each.isdisjoint(forms)] for forms in (self.who, self.deed))
        return (len(who) + len(deed)) / len(said) if who and deed else 0.0

    def is_told(self, name: str) -> bool:
        """Tell a name of a function that is told of it, to whomever it happens."""
        return _EVENT.search(name) is not None and not _terms(name).isdisjoint(self.deed)

    def is_met_as(self, name: str) -> bool:
        """Tell a name of a failure that is called like it, and like whom it happens to."""
        if self.is_limit:
            return _OVER.search(name) is not None and not self.who.isdisjoint(_terms(name))
        return _FAILURE.search(name) is not None and self.is_done_by(name)

    def is_own_of(self, qualified_name: str) -> bool:
        """Tell a method that is called what is done and no more, of a type that is called after what it is done to."""
        owner, _, name = qualified_name.rpartition(".")
        kind = split_identifier(owner.rpartition(".")[2])[-1:]
        return (
            bool(self.deed and kind)
            and terms_of(name)[:1] == self.deed[:1]
            and not self.who.isdisjoint(_terms(kind[0]))
        )


def asked_happening(question: str) -> Happening | None:
    """Return what a question says that happens; None if it asks for no such thing."""
    asked = _ASKED.search(question) or _OF_A_WAY.match(question)
    if asked is None:
        return None
    what = _PRONOUN.sub(f"{asked['subject']} ", asked["what"]) if asked.re is _OF_A_WAY else asked["what"]
    if over := _LIMIT.match(what):
        return Happening(_terms(next(filter(None, over.groups()))), is_limit=True)
    if lacking := _LACKING.match(what):
        return Happening(_terms(lacking["who"]) - _WANTED, tuple(sorted(_WANTED)))
    if failing := _FAILS.match(what):
        return Happening(_terms(failing["who"]))
    done = _PASSIVE.match(what) or _ACTIVE.match(what)
    further = (done.groupdict().get("further") or "").strip() if done else ""
    # "Times out" is written as one word.
    verb = f"{done['deed'].removesuffix('s')}{further}" if done and further else done["deed"] if done else ""
    deed = spellings(verb)
    ways = (way[0] for way in synonyms_of(verb) if len(way) == 1)
    forms = tuple(dict.fromkeys((*deed, *(form for way in ways for form in spellings(way)))))
    return Happening(_terms(done["who"]), forms) if done and deed and _OF_ANY.isdisjoint(deed) else None


def catches(text: str) -> int:
    """Return the number of the first line, from 1, that takes up whatever others raise; 0 for none."""
    found = _CATCHES.search(text)
    return text.count("\n", 0, found.end()) + 1 if found else 0


def _terms(text: str) -> frozenset[str]:
    parts = (part for word in words(text) for part in (word, *split_identifier(word)))
    return frozenset(form for part in parts if terms_of(part) for form in spellings(part))
