"""What a question asks whether something does it: what does not speak of the deed answers another question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.spellings import PRESENT, forms_of, spellings
from common.core.synonyms import is_said
from common.core.terms import split_identifier, terms_of, words
from orchestrator.domain.question_terms import subject_terms

if TYPE_CHECKING:
    from collections.abc import Iterable

_ASKED = re.compile(
    r"\W*(?:does|do|did|will|can|could)\s+(?!(?:i|we|you|one|anyone|anybody|someone|somebody)\b)"
    r"(?:(?:the|this|an?)\s+)?[^\s?]+\s+(?P<deed>[^?\n]{3,80}?)\W*\Z",
    re.IGNORECASE,
)
_LONGEST = 100
"""Characters of a question; longer ones say much in passing."""
_SAID_OF_ANY = frozenset(
    form
    for word in words(
        "accept actually against allow already alternative always any anything automatic automatically behave"
        " behavior behaviour built come consider custom default different enable ever every exist feature files"
        " function functionality good handle have implement implementation include internally kind know let"
        " library method mode multiple offer often option own package perform possible provide really recognize"
        " respect separate several ship some something specific still support supports tolerate twice type want"
        " way work"
    )
    for form in spellings(word)
)
"""What is said of any deed: the next word tells it."""
_DENIED = re.compile(r"\b(?:not|no|never|without)\b|n't\b", re.IGNORECASE)
_FEW = 2
"""Words of a deed that all have to be said."""
_HOW_DONE = re.compile(
    r"\W*(?:how|in (?:which|what) order) (?:is|are) (?:(?:the|an?) )?(?P<what>[\w'`.-]+(?: [\w'`.-]+){0,4}?) "
    r"(?P<deed>\w{2,}ed|bound|built|chosen|drawn|found|given|held|kept|made|read|run|sent|set|shown|split|taken|written)"
    r"\b(?: (?:up|down|out|off))?"
    r"(?: (?:to|into|by|in|from|with|between|for|when|before|after|on|at|and|or)\b[^?\n]*)?\W*\Z",
    re.IGNORECASE,
)
_NO_VERB = (
    r"\w+(?:ing|ions?|ment|ness|ity|[^us\W]s)|(?!(?:\w*(?:cover|filter|order)|buffer|deliver|enter|iter|register|render|transfer"
    r"|trigger)\b)\w+[eo]rs?|a|an|all|and|any|for|from|if|into|its?|or|our|the|their|to|when|with"
)
"""What is no verb, however it is used."""
_NO_DEED = (
    "behave|come|deal|decide|determine|differ|do|ensure|fit|get|go|have|interact|keep|know|make|manage|need|relate"
    "|support|take|use|want|work"
)
"""What is said of anything, and names no function that does it."""
_DETERMINER = r"(?:all|any|the|an?|its|their|which|what)"
_HOW_DOES = tuple(
    re.compile(
        r"\W*how (?:does|do|did) (?:(?:the|an?|this) )?(?!(?:an?|i|one|people|the|this|users?|we|you)\b)"
        rf"(?P<who>[\w'`.-]+(?: (?!(?:{_NO_DEED})\b)[\w'`.-]+)??) (?!(?:{_NO_VERB}|{_NO_DEED})\b)(?P<deed>[a-z]{{3,}}) "
        rf"(?:(?:up|down|out|off|from|to|into) )?{determiners}(?P<what>[\w'`.-]+(?: [\w'`.-]+){{0,3}}?)"
        r"(?: (?:of|to|into|by|in|from|with|between|for|when|before|after|on|at|and|or|if|are|is|as|through|that)\b"
        r"[^?\n]*)?\W*\Z",
        re.IGNORECASE,
    )
    for determiners in (rf"(?:{_DETERMINER} )+", "")
)
"""The same of who does it, "how does the router match a route?": what stands before an article is surely the verb."""
_DECIDES = re.compile(
    r"\W*how (?:does|do|did) (?:(?:the|an?|this) )?(?!(?:an?|i|one|people|the|this|users?|we|you)\b)"
    r"(?P<who>[\w'`.-]+(?: [\w'`.-]+)??) (?:choose|decide|detect|determine|figure out|find out|know|select|tell)s? "
    rf"(?:(?:if|when|whether)(?: or not)? (?:to|(?:it|they) (?:can|has to|have to|may|must|needs? to|should)) "
    rf"(?P<deed>[a-z]{{3,}}) (?:(?:up|down|out|off|from|to) )?(?:{_DETERMINER} )*"
    r"(?P<what>[\w'`.-]+(?: [\w'`.-]+){0,3}?)"
    rf"|(?:if|what|when|whether|which) (?:{_DETERMINER} )*(?P<which>[\w'`.-]+(?: [\w'`.-]+){{0,2}}?) "
    r"(?:to (?P<todo>[a-z]{3,})|(?:are|can be|gets?|has to be|have to be|is|may be|must be|needs? to be|should be|was) "
    r"(?P<done>\w{2,}ed|bound|built|chosen|drawn|found|given|held|kept|made|read|run|sent|set|shown|split|taken|written)))"
    r"(?: (?:of|to|into|by|in|from|with|between|for|when|before|after|on|at|and|or|if|as|through|that)\b[^?\n]*)?\W*\Z",
    re.IGNORECASE,
)
"""How somebody decides what is to be done: "how does it decide whether to close the connection?"."""
_DECIDING = re.compile(r"_*(?:allow|can|could|may|must|needs?|requires?|shall|should|wants?|will)(?=_|[A-Z])", re.ASCII)
"""How a function is called that says whether something is to be done: `should_close`, `canRetry`."""
_TELLING = re.compile(r"_*(?:are|has|is|was)(?=_|[A-Z])", re.ASCII)
_HAPPENS = re.compile(
    r"\W*what happens (?:to [\w' .-]{2,40} )?(?:when|if|once|after|as soon as) (?P<who>[^?\n]{2,60}?) "
    r"(?:(?:is|are|gets?|was|has been) (?:being )?(?P<done>\w{2,}(?:ed|en|wn|ung|ost|ent|et|ad))"
    r"|(?P<deed>[a-z]{3,}s|time|run)(?: (?:away|down|off|out|up))?"
    r"(?=\W*\Z| (?:after|at|because|before|during|for|from|in|of|on|to|under|unexpectedly|while|with|without)\b))",
    re.IGNORECASE,
)
"""What happens to somebody, or what they do by themselves: "a worker dies in the middle of a job"."""
_SAID_TO_HAPPEN = frozenset(
    form
    for word in words("called exceeded given hit made needed passed reached received used wanted")
    for form in spellings(word)
)
_CONVERTED = re.compile(
    r"\b(?:converted|made|mapped|rendered|serialized|transformed|translated|turned) (?:in)?to "
    r"(?:the |an? )?(?P<what>[\w'-]+)",
    re.IGNORECASE,
)
_CONVERTS = re.compile(r"_*(?:as|into|to)(?=_|[A-Z])", re.ASCII)
"""How a function is called that turns what it belongs to into something: `to_dict`, `into_response`, `asString`."""
_VALUES = frozenset({"false", "nil", "none", "null", "true"})
"""Words of code that are no terms, and may be what something is done to."""
_TELLS, _IS_DONE = 0.8, 0.5
"""What the name counts, where a decision is asked for, of who tells that something is so, and of who does it."""
NOT_ABOUT = "No definition or page that was found is about"
"""How an answer begins that has nothing of the deed to tell."""


def unsaid_deed(question: str, text: str) -> tuple[str, ...]:
    """
    Return the words of a deed that a text lacks, if a question asks whether something does it; () if it speaks of it.

    A text that has the first telling word, in any form, and half of all, or both of two, speaks of it.
    """
    asked = deed(question)
    if not asked:
        return ()
    told = {form for word in set(words(text)) for form in forms_of(word)}
    missing = [word for word in asked if not is_said(word, told)]
    if not missing or (asked[0] not in missing and len(asked) > _FEW and 2 * len(missing) <= len(asked)):
        return ()
    return tuple(missing)


def together(asked: Iterable[str], told: Iterable[str]) -> str:
    """Return words as a clause, given what all texts say: those that none has, or all, where each is said somewhere."""
    said = {form for text in told for word in set(words(text)) for form in forms_of(word)}
    nowhere = [word for word in asked if said.isdisjoint(spellings(word))]
    return " or ".join(map(quoted, nowhere)) or " together with ".join(map(quoted, asked))


def quoted(word: str) -> str:
    """Return a word of a question as answers say it."""
    return f"“{word}”"


@dataclass(frozen=True, slots=True)
class HowDone:
    """
    What a question wants to know how it is done: "how are routes matched?".

    Args:
        deed: The verb as code writes it.
        what: Words of what it is done to.
        target: What it is turned into; "" for other deeds.
        who: Who does it, in lower case; "" if the question does not say it.
        is_decided: Whether it is done is asked, not how: what says so does it, more than who does it.
    """

    deed: str
    what: tuple[str, ...]
    target: str = ""
    who: str = ""
    is_decided: bool = False

    def is_done_by(self, qualified_name: str) -> float:
        """Return the share of what it is done to that the name of a function tells which is called like the deed."""
        name = _own_name(qualified_name)
        if self.is_decided:
            return self._is_decided_by(name, qualified_name)
        own = forms_of(name)
        is_turning = _CONVERTS.match(name) is not None and not own.isdisjoint(spellings(self.target))
        if not is_turning and own.isdisjoint(spellings(self.deed)):
            return 0.0
        if self.is_of_doer(qualified_name) and not self.says_besides(qualified_name):
            return 1.0  # who does it need not say to what
        return self._share_of(qualified_name)

    def _is_decided_by(self, name: str, qualified_name: str) -> float:
        # Who takes a snapshot snapshots.
        is_plain = re.fullmatch(_NO_DEED, self.deed) is not None
        if all(forms_of(name).isdisjoint(spellings(word)) for word in (self.what if is_plain else (self.deed,))):
            return 0.0
        if _DECIDING.match(name):
            return 1.0
        return self._share_of(qualified_name) * (_TELLS if _TELLING.match(name) else _IS_DONE)

    def tells_it(self, qualified_name: str) -> bool:
        """Tell a function that does it or, of what is decided, one that says whether it is to be done."""
        return self.is_done_by(qualified_name) > (_IS_DONE if self.is_decided else 0.0)

    def _share_of(self, qualified_name: str) -> float:
        around = {form for word in words(qualified_name) for form in forms_of(word)}
        return sum(not around.isdisjoint(spellings(word) or (word.lower(),)) for word in self.what) / len(self.what)

    def is_of_doer(self, qualified_name: str) -> bool:
        """Tell a member of the one who does it which is called like the deed, whatever it is done to."""
        is_member = self.who != "" and self.who in qualified_name.lower().split(".")[:-1]
        return is_member and not forms_of(_own_name(qualified_name)).isdisjoint(spellings(self.deed))

    def says_besides(self, qualified_name: str) -> int:
        """Return how many words the name of a function has beside the deed and what it is done to."""
        meant = {form for word in (self.deed, self.target, *self.what) for form in spellings(word)}
        return sum(meant.isdisjoint(spellings(part)) for part in split_identifier(_own_name(qualified_name)))

    def is_headed_by(self, title: str) -> bool:
        """Tell whether a heading speaks of the deed, or of something that it is done to."""
        told = {form for word in set(words(title)) for form in forms_of(word)}
        return any(not told.isdisjoint(spellings(word)) for word in (self.deed, *self.what))

    def is_told_in(self, text: str) -> bool:
        """Tell whether a text speaks of all that it is done to."""
        told = {form for word in set(words(text)) for form in forms_of(word)}
        return all(not told.isdisjoint(spellings(word) or (word.lower(),)) for word in self.what)


def _own_name(qualified_name: str) -> str:
    """Return the last name, without the sign of what is private in JavaScript."""
    return qualified_name.rpartition(".")[2].lstrip("#")


def how_done(question: str) -> HowDone | None:
    """Return what a question wants to know how it is done; None if it asks for something else."""
    if len(question) > _LONGEST:
        return None
    asked = next(filter(None, (form.match(question) for form in (_DECIDES, _HOW_DONE, *_HOW_DOES))), None)
    if asked is None:
        return None
    groups = asked.groupdict()
    said = words(next(filter(None, (groups.get(each) for each in ("what", "which"))), ""))
    what = tuple(word for word in said if spellings(word) or word.lower() in _VALUES)
    verb = next(filter(None, (groups.get(each) for each in ("deed", "todo", "done"))), "").lower()
    is_decided = asked.re is _DECIDES
    turned = _CONVERTED.search(question) if not is_decided else None
    who = (groups.get("who") or "").strip("`").lower()
    own = PRESENT.get(verb, verb)
    return HowDone(own, what, turned["what"] if turned else "", who, is_decided=is_decided) if what else None


def unsaid_way(question: str, text: str) -> str:
    """Return the verb, as code writes it, that a text lacks where a question is how something is done; "" for none."""
    asked = how_done(question)
    # "Turned into a response" is said by `into_response`.
    if asked is None or asked.target or subject_terms(question).isdisjoint(spellings(asked.deed)):
        return ""
    if asked.who and not _SAID_OF_ANY.isdisjoint(spellings(asked.deed)):
        return ""
    told = {form for word in set(words(text)) for form in forms_of(word)}
    return "" if is_said(asked.deed, told) else asked.deed


def unsaid_event(question: str, text: str) -> str:
    """Return what happens, as a question says it, that a text says in no form and no other way; "" for none."""
    asked = _HAPPENS.match(question) if len(question) <= _LONGEST else None
    verb = (asked["done"] or asked["deed"]) if asked else ""
    if not verb or not _SAID_TO_HAPPEN.isdisjoint(spellings(verb)):
        return ""
    told = {form for word in set(words(text)) for form in forms_of(word)}
    return "" if is_said(verb, told) else verb


def deed(question: str) -> tuple[str, ...]:
    """Return the telling words of what a question asks whether something does; () if it asks for no such thing."""
    found = _ASKED.match(question) if len(question) <= _LONGEST else None
    if found is None or _DENIED.search(found["deed"]):
        return ()
    said = (word for word in words(found["deed"]) if terms_of(word) and not word.endswith("ly"))
    return tuple(word for word in dict.fromkeys(said) if spellings(word)[0] not in _SAID_OF_ANY)
