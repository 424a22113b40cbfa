"""Questions about who uses something: what they ask for, and by which relation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_NAME = r"(?:the |an? )?(?:function |method |class |decorator )?`?([A-Za-z_]\w*(?:(?:\.|::)\w+)*)"
_WHO = (
    r"\b(?:what|who|which|where)(?: else)?"
    r"(?: (?:all|other|function|functions|method|methods|class|classes|code|parts?|of|the))*"
)
_CALLS = r"call(?:s|ing)?|invok(?:es?|ing)|trigger(?:s|ing)?"
_USES = r"us(?:es?|ing)|depend(?:s|ing)? (?:up)?on|reference(?:s)?|rel(?:y|ies) on|needs?"
_INHERITS = r"inherits? from|inheriting from|extends?|extending|subclass(?:es)?|derives? from"
_DONE = r"call(?:ed)|invoked|triggered|used|referenced|instantiated|subclassed|extended|inherited"
# "what calls X", "which classes depend on X", "who is calling X"
_ACTIVE = re.compile(
    rf"{_WHO}(?: is| are)? (?:(?P<calls>{_CALLS})|(?P<inherits>{_INHERITS})|(?P<uses>{_USES})) {_NAME}", re.IGNORECASE
)
# "where is X used", "who is X called by"
_PASSIVE = re.compile(
    rf"\b(?:where|who|what|which \w+)(?: else)? (?:is|are|does|do|gets?) {_NAME}[`()]*"
    rf"(?: class| function| method)? (?:get |being )?(?P<done>{_DONE})\b",
    re.IGNORECASE,
)
# "callers of X", "subclasses of X"
_NOUN = re.compile(
    rf"\b(?:(?P<calls>callers?)|(?P<inherits>subclass(?:es)?)|(?P<uses>users?|usages?|uses|dependents?)) of {_NAME}",
    re.IGNORECASE,
)
_CHANGE = (
    r"(?:chang|renam|remov|delet|drop|replac|mov|modif|touch|alter|refactor|rewrit|edit)(?:e|es|ed|y|ying|ies|ing)?"
)
_BREAKS = (
    r"\b(?:breaks?|fails?|affected)\b[^.?!\n]{0,30}?\b(?:if|when|by)\b"
    r"|\bsafe to\b|\b(?:impacts?|consequences?|effects?) of\b"
)
_ASPECT = (
    r"(?:(?:what|the|an?|signature|name|type|behaviou?r|implementation|interface|body|return (?:type|value)|of"
    r"|function|method|class|protocol) )*"
)
_IMPACT = re.compile(
    rf"(?:{_BREAKS})[^.?!\n]{{0,30}}?\b{_CHANGE} {_ASPECT}`?([A-Za-z_]\w*(?:(?:\.|::)\w+)*)", re.IGNORECASE
)
"""What a change of something would lead to: "what would break if I change X", "is it safe to remove X"."""
_FURTHER = re.compile(
    r"`?(?:\(\))?`?,?\s+(?:or|and)\s+(?!(?:what|who|which|where|how|why|when|is|are|does|do|the|its?|their)\b)"
    r"`?([A-Za-z_]\w*(?:(?:\.|::)\w+)*)",
    re.IGNORECASE,
)
"""Another thing whose users are asked for: "X or Y"."""
_OWNER = re.compile(r"`?(?:\(\))?`?\s+(?:on|of|in)\s+(?:the |an? )?(?:class )?`?([A-Z]\w*)")
"""Where they belong: "start on Response"; classes are written with a capital."""
_SPOKEN_OF = frozenset({"it", "this", "that"})
_ANY_NAME = frozenset(
    {"it", "this", "that", "them", "these", "to", "from", "by", "in", "on", "what", "which", "and", "or"}
)


class Relation(Enum):
    """By what somebody uses something; the values say it of the thing used."""

    CALLS = "called by"
    INHERITS = "extended by"
    USES = "used by"


@dataclass(frozen=True, slots=True)
class AskedUsers:
    """
    What a question wants to know the users of, as it is written, and by which relation they use it.

    Args:
        owner: The class that it says these belong to; "" for none.
    """

    names: tuple[str, ...]
    relation: Relation
    owner: str = ""


def asked_users(question: str, meant: str = "") -> AskedUsers | None:
    """
    Return what a question asks the users of; None if it asks for none.

    Args:
        meant: What "it" is, "" if nobody knows.
    """
    for pattern in (_IMPACT, _ACTIVE, _PASSIVE, _NOUN):
        for match in pattern.finditer(question):
            at = next(at for at, each in enumerate(match.groups(), 1) if each and at not in pattern.groupindex.values())
            if meant and match[at].casefold() in _SPOKEN_OF:
                return AskedUsers((meant,), _relation(match.groupdict()))
            if match[at].casefold() not in _ANY_NAME and not (pattern is _IMPACT and _is_of_life(match, at)):
                names, owner = _names_from(question, match[at], match.end(at))
                return AskedUsers(names, _relation(match.groupdict()), owner)
    return None


def _is_of_life(match: re.Match[str], at: int) -> bool:
    """Tell a thing that a program changes ("safe to delete a user"), and a failure whose reason is asked for."""
    question = match.string
    is_word = match[at].islower() and "_" not in match[at] and question[match.end(at) : match.end(at) + 1] not in "`("
    has_article = re.search(r"\b(?:the|an?) $", question[: match.start(at)], re.IGNORECASE) is not None
    return (is_word and has_article) or re.search(r"\bwhy\b", question[: match.start()], re.IGNORECASE) is not None


def _names_from(question: str, first: str, end: int) -> tuple[tuple[str, ...], str]:
    names = [first]
    while further := _FURTHER.match(question, end):
        names.append(further[1])
        end = further.end()
    owner = _OWNER.match(question, end)
    return tuple(dict.fromkeys(names)), owner[1] if owner else ""


def _relation(groups: dict[str, str | None]) -> Relation:
    done = (groups.get("done") or "").casefold()
    if groups.get("calls") or done in {"called", "invoked", "triggered"}:
        return Relation.CALLS
    if groups.get("inherits") or done in {"subclassed", "extended", "inherited"}:
        return Relation.INHERITS
    return Relation.USES
