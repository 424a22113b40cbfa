"""How many arguments a callable takes, and how many a call gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.adapters.languages.syntax import children, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_ANY_NUMBER = re.compile(r"\.\.\.|(?:^|[(,\s])params\s|^\*")
_SPREAD = ("splat", "spread", "keyword", "hash", "block", "pair", "variadic")


def arity_of(parameters: Node | None) -> tuple[int, int]:
    """Return the least and the greatest number of arguments; the latter is -1 if it is not bounded."""
    if parameters is None:
        return 0, 0
    least = most = 0
    if _ANY_NUMBER.search(text_of(parameters)):
        return 0, -1
    for child in children(parameters):
        if any(word in child.type for word in _SPREAD):
            return 0, -1
        if child.type in ("self_parameter", "attribute_item") or text_of(child) == "void":
            continue
        most += 1
        least += "optional" not in child.type and "=" not in text_of(child)
    return least, most


def argument_count(arguments: Node | None) -> int:
    """Return the number of arguments of a call; -1 if it is unknown."""
    if arguments is None:
        return 0
    given = children(arguments)
    if any(word in child.type for child in given for word in _SPREAD) or "..." in text_of(arguments):
        return -1
    return len(given)
