"""Questions how or where something is done: "how is a template rendered?", "what happens when a task is retried?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.spellings import PRESENT, forms_of, spellings
from common.core.synonyms import synonyms_of
from common.core.terms import split_identifier, terms_of, words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retriever.domain.values import Symbol

_ASKED = re.compile(
    r"\W*(?:(?:please|can you|could you)\W+)?"
    r"(?:(?:trace|follow|walk (?:me |us )?through|step (?:me |us )?through|show(?: me)?|explain|describe|tell me)\W+)?"
    r"(?:how(?! (?:big|can|deep|far|large|long|many|much|often|old|should|to|would)\b)"
    r"|what happens (?:when|once|if|after|as soon as)|where(?= (?:is|are|do|does)\b))\s+(?P<told>[^?\n]{3,100}?)\W*\Z",
    re.IGNORECASE,
)
_LONGEST = 200
"""Characters of a question; longer ones say much in passing."""
_PLACE = (
    r"(?:to|into|by|in|from|with|between|for|when|before|after|on|at|and|or|of|as|through|that|if|over|via|inside|within"
    r"|while|during|under|until)\b"
)
_BE = r"(?:is|are|was|were|gets?|be|become|been|being)"
_DONE = (
    r"(?P<done>\w{2,}ed|begun|bound|built|chosen|cut|drawn|found|held|kept|lost|put|read|run|sent|shown|split|taken"
    r"|thrown|torn|written)\b"
)
_AND = r"(?: (?:and|or) (?P<also>\w{3,}ed)\b)?"
_ARTICLE = r"(?:an?|the|all|any|its|their|each|every|this|my|our)"
_WHAT = rf"(?:{_ARTICLE} )?(?P<what>[\w'`.-]+(?: (?!{_BE}\b)[\w'`.-]+){{0,4}}?)"
_ONE = rf"(?:{_ARTICLE} )?(?P<who>(?!(?:i|one|people|users?|we|you)\b)[\w'`.-]+)"
_WHO = rf"{_ONE[:-1]}(?: [\w'`.-]+)??)"
_AWAY = rf"(?: (?P<away>away|back|down|in|off|out|up)\b(?! {_ARTICLE}\b))?"
_TO = rf"(?P<what>(?: (?!{_PLACE})[\w'`.-]+){{0,4}}?)(?P<further> {_PLACE}.*)?\Z"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_BE} {_WHAT} {_DONE}{_AND}{_AWAY}(?P<further>.*)\Z",
        rf"(?:does|do|did) {_WHAT} (?:get|become|be) {_DONE}{_AND}{_AWAY}(?P<further>.*)\Z",
        rf"{_WHAT} {_BE} (?:being )?{_DONE}{_AND}{_AWAY}(?P<further>.*)\Z",
        rf"(?:does|do|did) {_WHO} (?P<does>[a-z]{{3,}}){_AWAY} {_ARTICLE}{_TO}",
        rf"(?:does|do|did) {_ONE} (?P<does>[a-z]{{3,}}){_AWAY}{_TO}",
        rf"(?!(?:{_BE}|do|does|did)\b){_WHO} (?P<does>[a-z]{{3,}}s){_AWAY}(?: {_ARTICLE}\b)?{_TO}",
    )
)
"""A passive in three orders; who does it: before an article the verb is sure, and after one word it is likely."""
_ANY_DEED = """
allowed based be behave behaves being called come comes configure configured connected decide decides defined differ
differs do does expected get gets given go goes happen happens have implement implemented implements know knows look
looks made make makes manage manages need needs organized relate related set specified structured support supported
supports tested use used uses want wanted work works
"""
_NO_DEED = frozenset(_ANY_DEED.split())
"""What is said of anything, and names no function that does it."""
_DEED, _THINGS, _FURTHER, _BESIDE, _OWNER_BESIDE = 2.0, 1.2, 0.3, 0.35, 0.1
"""Worth of a name that begins with the verb, says to what, and says where or by whom; cost of each word besides."""
_AFTER_THING, _LATE, _INFLECTED, _SYNONYM, _CALL = 0.8, 0.2, 0.3, 0.6, 0.3
"""
Shares of the verb's worth: behind what it is done to, behind another word, which is the verb then, in another form,
said otherwise, and for what is called itself.
"""
_BY_VERB = 0.3
"""Share of the verb's worth that counts whatever it is done to."""
_IN_NAME, _IN_OWNER, _IN_PARAMETERS, _IN_FOLDER = 1.0, 0.9, 0.7, 0.5
_MOST_BESIDE = 3
_BEFORE_VERBS = frozenset({"do", "maybe", "try"})


@dataclass(frozen=True, slots=True)
class Process:
    """
    What a question says is done; words are as it writes them.

    Args:
        told: Its words that say so.
        verb: How code writes what is done: its plain forms in lower case, with "in" or "up" joined if they follow.
        done: The same as terms, in all forms.
        otherwise: Terms of synonyms.
        things: What it is done to; who does it, where nothing else is said.
        further: Who does it, where, and with what.
        is_done: It is said of what it is done to, not of who does it.
    """

    told: str
    verb: frozenset[str]
    done: frozenset[str]
    otherwise: frozenset[str]
    things: tuple[str, ...]
    further: tuple[str, ...]
    is_done: bool

    def fit(self, symbol: Symbol) -> float:
        """
        Return how well the name of a function says that it does this, 0 to 3.8; 0 for one that does not say the verb.

        The name should begin with the verb and say nothing else; its owner, parameters or folder may say what it is
        done to.
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
        """Return how surely a name says the verb, 0 to 1."""
        if name == "__call__":
            return _CALL
        first = next((at for at, part in enumerate(own) if part not in _BEFORE_VERBS), 0)
        joined = ["".join(own[at : at + 2]) for at in range(len(own))]
        plain = [at for at in range(len(own)) if own[at] in self.verb or joined[at] in self.verb]
        if plain:
            says_thing = not _forms(self.things).isdisjoint(spellings(own[first]))
            return 1.0 if plain[0] == first else _AFTER_THING if says_thing else _LATE
        if any(not self.done.isdisjoint(spellings(part)) for part in own):
            return _INFLECTED
        return _SYNONYM if own and not self.otherwise.isdisjoint(spellings(own[first])) else 0.0

    def _beside(self, parts: Iterable[str]) -> int:
        """Return how many parts of a name the question does not say."""
        said = self.done | self.otherwise | _forms((*self.things, *self.further))
        other = [part for part in parts if part not in self.verb and spellings(part)]
        return sum(said.isdisjoint(spellings(part)) for part in other)


def asked_process(question: str) -> Process | None:
    """Return what a question wants to know how it goes on; None if it asks for something else."""
    asked = _ASKED.match(question) if len(question) <= _LONGEST else None
    found = filter(None, (form.match(asked["told"]) for form in _FORMS)) if asked else ()
    for form in found:
        said = form.groupdict()
        verbs = [said[each].lower() for each in ("done", "also", "does") if said.get(each)]
        if asked is None or not _NO_DEED.isdisjoint(verbs):
            return None
        away = (said.get("away") or "").lower()
        bases = frozenset(base for verb in verbs for base in _plain_forms(verb, is_done="done" in said))
        what, who, further = (_telling(said.get(each)) for each in ("what", "who", "further"))
        if not (what or who):
            continue
        ways = (way[0] for base in sorted(bases) for way in synonyms_of(f"{base}{away}") if len(way) == 1)
        return Process(
            told=asked["told"],
            verb=frozenset(f"{base}{away}" for base in bases),
            done=frozenset() if away else frozenset(form for base in (*verbs, *bases) for form in spellings(base)),
            otherwise=frozenset(form for way in ways for form in spellings(way)),
            things=what or who,
            further=(*(who if what else ()), *further),
            is_done="done" in said,
        )
    return None


def _plain_forms(verb: str, *, is_done: bool) -> frozenset[str]:
    """Return what a verb may be in its plain form: of "mapped" that is mapp, mappe and map."""
    if verb in PRESENT:
        return frozenset({PRESENT[verb]})
    ending = "ed" if is_done and verb.endswith("ed") else "s" if not is_done and verb.endswith("s") else ""
    if not ending:
        return frozenset({verb})
    bare = verb.removesuffix(ending)
    forms = {bare, f"{bare}e"} if ending == "ed" else {bare, bare.removesuffix("e")}
    if bare[-2:-1] == bare[-1:]:
        forms.add(bare[:-1])
    if bare.endswith(("i", "ie")):
        forms.add(f"{bare.rstrip('e').removesuffix('i')}y")
    return frozenset(forms)


def _telling(said: str | None) -> tuple[str, ...]:
    return tuple(word for word in words(said or "") if terms_of(word))


def _share(asked: tuple[str, ...], places: tuple[tuple[float, frozenset[str]], ...]) -> float:
    """Return the mean of what places are worth that say the words, or all of them in one: `staticfiles`."""
    whole = _told("".join(asked), places) if len(asked) > 1 else 0.0
    return max(whole, sum(_told(word, places) for word in asked) / max(1, len(asked)))


def _told(word: str, places: tuple[tuple[float, frozenset[str]], ...]) -> float:
    """Return what the first place is worth that says a word; 0 if none does."""
    wanted = frozenset(spellings(word)) or {word.lower()}
    return next((worth for worth, said in places if not said.isdisjoint(wanted)), 0.0)


def _forms(said: Iterable[str]) -> frozenset[str]:
    return frozenset(form for word in said for form in forms_of(word))
