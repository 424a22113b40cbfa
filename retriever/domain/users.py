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
    """What a question wants to know the users of, as it is written, and by which relation they use it."""

    name: str
    relation: Relation


def asked_users(question: str) -> AskedUsers | None:
    """Return what a question asks the users of; None if it asks for none."""
    for pattern in (_ACTIVE, _PASSIVE, _NOUN):
        for match in pattern.finditer(question):
            groups = match.groupdict()
            name = next(
                each for at, each in enumerate(match.groups(), 1) if each and at not in pattern.groupindex.values()
            )
            if name.casefold() in _ANY_NAME:
                continue
            done = (groups.get("done") or "").casefold()
            if groups.get("calls") or done in {"called", "invoked", "triggered"}:
                return AskedUsers(name, Relation.CALLS)
            if groups.get("inherits") or done in {"subclassed", "extended", "inherited"}:
                return AskedUsers(name, Relation.INHERITS)
            return AskedUsers(name, Relation.USES)
    return None
