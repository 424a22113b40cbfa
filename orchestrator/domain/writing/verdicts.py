"""The yes or no of questions that want one, where the index carries it; nothing is said where it does not."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.terms import split_identifier, stem, words
from orchestrator.domain.evidence import Relation
from orchestrator.domain.names import is_called, is_member_of, is_spelled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orchestrator.domain.evidence import User, UserList
    from orchestrator.domain.evidence_data import Setting

_NAME = r"`?(?P<name>[A-Za-z_]\w*(?:(?:\.|::|#)\w+)*)`?(?:\(\))?"
_ASKS_WHETHER = re.compile(r"\W*(?:does|do|did|is|are|will|can|could|would)\b", re.IGNORECASE)
_ASKS_OF_ONE = re.compile(rf"{_ASKS_WHETHER.pattern} (?:the |an? )?(?:function |method |class )?{_NAME}", re.IGNORECASE)
_KIND = r"(?:the |an? )?(?:function |method |class )?"
_ASKS_FOR_BEING = re.compile(
    rf"\W*(?:(?:does|do) {_KIND}{_NAME} (?:still |really |actually )?exist\b"
    rf"|is there (?:still )?{_KIND}(?:called |named )?{_NAME.replace('name', 'there')}\W*\Z)",
    re.IGNORECASE,
)
_LIKE_NAME = re.compile(r"[A-Z_.]")
_DENIES = re.compile(r"\b(?:not|no|never|without)\b|n't\b", re.IGNORECASE)
_TURNED = re.compile(
    r"(?:dis|no$|not|non|never|skip|ignor|without|exclud|silen|hid|suppress|off$|den|block|forbid|prevent|omit|un)",
    re.IGNORECASE,
)
"""How words begin that turn the meaning of a setting round: a question may say the same the other way."""
_DOES: Mapping[Relation, str] = MappingProxyType(
    {
        Relation.CALLS: "calls",
        Relation.INHERITS: "extends",
        Relation.IMPLEMENTS: "implements",
        Relation.OVERRIDES: "overrides",
        Relation.USES: "uses",
        Relation.RAISES: "raises",
        Relation.CATCHES: "catches",
    }
)


def doer_asked(question: str, found: UserList) -> tuple[User, str] | None:
    """Return the one of a list of whom a question asks whether it does so, with what it does; None if none is asked."""
    name = _one_asked(question, found)
    user = next((each for each in found.listed if is_spelled(each.name, name)), None) if name else None
    return (user, _DOES[found.relation]) if user else None


def not_among(question: str, found: UserList) -> str:
    """
    Return whom a question asks that is not among those who are known to call a thing; "" for none.

    A type calls it by its members, and who asks of the thing itself ("is it called?") asks for no caller.
    """
    name = _one_asked(question, found) if found.relation is Relation.CALLS and found.count else ""
    is_whole = found.count == len(found.listed) and not found.unsure
    if not name or not is_whole or is_called(found.name, name):
        return ""
    return "" if any(is_called(each.name, name) or is_member_of(each.name, name) for each in found.listed) else name


def _one_asked(question: str, found: UserList) -> str:
    asked = _ASKS_OF_ONE.match(question)
    is_asked = asked and not _DENIES.search(question) and found.relation in _DOES
    return asked["name"] if asked and is_asked and _LIKE_NAME.search(asked["name"]) else ""


def by_default(question: str, setting: Setting) -> str:
    """
    Return what a line that switches something on or off says to a question whether that is done; "" if it is unsure.

    The question has each word of the setting's name, and neither turns the meaning round.
    """
    name = setting.dotted.rpartition(".")[2]
    parts = [each for each in split_identifier(name) if each.casefold() != "default"]
    value = setting.value.casefold()
    if not _ASKS_WHETHER.match(question) or _DENIES.search(question) or value not in {"true", "false"}:
        return ""
    said = {stem(part.casefold()) for word in words(question) for part in split_identifier(word)}
    if any(map(_TURNED.match, parts)) or not parts or not {stem(each.casefold()) for each in parts} <= said:
        return ""
    return "Yes, by default: " if value == "true" else "Not by default: "


def asks_for_being(question: str, qualified_name: str) -> bool:
    """Tell whether a question is if there is something of the name of a definition."""
    asked = _ASKS_FOR_BEING.match(question)
    return asked is not None and is_spelled(qualified_name, asked["name"] or asked["there"])
