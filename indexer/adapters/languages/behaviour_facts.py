"""
What bodies do that is read alike in all languages: errors that they catch, hand over or raise with a message, changes.

Captures of the query files: @caught, a type that is caught or that an error is compared with; @handed, the type of an
error that is made for the call of @function; @changed with @name, what is assigned to; @global, a variable of the file;
@raising, @returning and @asserting, statements whose messages are those of an error.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.adapters.languages.syntax import children, end_line_of, line_of, one_line, text_of
from indexer.adapters.languages.value_calls import last_name
from indexer.domain.model import Fact, FactKind, Origin, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tree_sitter import Node

    from indexer.domain.model import SymbolDef

_STATEMENTS = {"raising": Origin.RAISED, "asserting": Origin.RAISED, "returning": Origin.RETURNED}
BEHAVIOUR = frozenset((*_STATEMENTS, "caught", "handed", "changed", "global"))
_ASSERTED = "AssertionError"
_LONGEST = 20
"""Lines of a statement whose messages are those of an error; one that goes on is a closure that is returned."""
_MEMBERS = ("field", "member", "instance_variable", "class_variable", "navigation", "call", "attribute")
_DEREFERENCES = ("pointer_expression", "unary_expression")
_MAX_NAME = 120


def behaved(
    matches: Sequence[tuple[str, Mapping[str, list[Node]]]],
    facts: Sequence[Fact],
    symbols: Sequence[SymbolDef],
    owner_of: Callable[[int], int],
) -> tuple[Fact, ...]:
    """Return the facts of a file, messages with how they are raised, and those that the matches show."""
    variables = {each.name for each in symbols if each.kind == SymbolKind.VARIABLE}
    found: list[Fact] = []
    raised: dict[int, tuple[Origin, str]] = {}
    for kind, captures in matches:
        node = captures[kind][0]
        if kind in _STATEMENTS:
            told = _STATEMENTS[kind], _ASSERTED if kind == "asserting" else ""
            for line in range(line_of(node), min(end_line_of(node), line_of(node) + _LONGEST) + 1):
                raised[line] = told
        elif kind == "global":
            variables.add(text_of(node))
        elif kind == "changed":
            name = _changed(captures["name"][0], variables)
            if name:
                found.append(Fact(owner_of(line_of(node)), FactKind.MUTATES, name, line_of(node)))
        else:
            through = last_name(text_of(captures["function"][0])) if kind == "handed" else ""
            known = FactKind.HANDED if kind == "handed" else FactKind.CATCHES
            found += [
                Fact(owner_of(line_of(each)), known, name, line_of(each), 0, through) for name, each in _types(node)
            ]
    said = (
        replace(each, origin=raised[each.line][0], detail=raised[each.line][1])
        if each.kind == FactKind.ERROR_STRING and each.line in raised
        else each
        for each in facts
    )
    return (*said, *dict.fromkeys(found))


def _types(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the dotted names of types that are caught together."""
    if node.type == "as_pattern":
        node = children(node)[0]
    for each in children(node) if node.type in ("tuple", "parenthesized_expression", "binary_operator") else [node]:
        name = one_line(text_of(each)).lstrip("&*\\").replace("::", ".").partition("{")[0].partition("(")[0].strip()
        if name and " " not in name and len(name) <= _MAX_NAME and last_name(name)[:1].isupper():
            yield name, each


def _changed(node: Node, variables: set[str]) -> str:
    """Return the dotted name of what is assigned to; "" for a local variable."""
    if any(part in node.type for part in _MEMBERS):
        name = text_of(node).replace("->", ".").replace("::", ".").lstrip("@$*(")
        return name if "\n" not in name and len(name) <= _MAX_NAME else ""
    if node.type in _DEREFERENCES and children(node) and children(node)[-1].type == "identifier":
        return text_of(children(node)[-1])
    return text_of(node) if text_of(node) in variables else ""
