"""
Behaviour facts that are found in the same way in all languages: errors caught, passed or raised, and state changed.

Captures of the query files: @caught, a type that is caught or that an error is compared with; @caught.all, a clause
that catches errors of every type; @handed, the type of an error that is passed to the call of @function; @changed with
@name, the target of an assignment; @implemented, an interface that @name or the enclosing definition implements;
@global, a variable of the file; @raising, @returning and @asserting, statements whose texts are error messages.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.adapters.languages.syntax import children, end_line_of, line_of, one_line, text_of
from indexer.adapters.languages.value_calls import last_name, on_one_line
from indexer.domain.model import Fact, FactKind, Origin, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tree_sitter import Node

    from indexer.domain.model import SymbolDef

_STATEMENTS = {"raising": Origin.RAISED, "asserting": Origin.ASSERTED, "returning": Origin.RETURNED}
BEHAVIOUR = frozenset((*_STATEMENTS, "caught", "caught.all", "handed", "changed", "global", "implemented"))
_ASSERTED = "AssertionError"
_EVERYTHING = "*"
"""Recorded as the type of a clause that names no type, or the base type of all errors."""
_LONGEST = 20
"""Only texts within so many lines of such a statement are error messages: a longer one is a returned closure."""
_MEMBERS = ("field", "member", "instance_variable", "class_variable", "navigation", "call", "attribute")
_DEREFERENCES = ("pointer_expression", "unary_expression")
_MAX_NAME = 120
_SCOPES = ("function", "method", "lambda", "closure", "class", "block_argument")
_GUARDED = frozenset((FactKind.ERROR_STRING, FactKind.RAISES, FactKind.TEXT))
_BRANCHES = ("if", "unless", "elsif", "conditional")


def behaved(
    matches: Sequence[tuple[str, Mapping[str, list[Node]]]],
    facts: Sequence[Fact],
    symbols: Sequence[SymbolDef],
    owner_of: Callable[[int], int],
    root: Node,
) -> tuple[Fact, ...]:
    """Return the facts of a file, with origin and condition added to its errors, and new facts from the matches."""
    variables = {each.name for each in symbols if each.kind == SymbolKind.VARIABLE}
    found: list[Fact] = []
    raised: dict[int, Origin] = {}
    guards: dict[int, tuple[str, int]] = {}
    for kind, captures in matches:
        node = captures[kind][0]
        if kind in _STATEMENTS:
            guards.setdefault(line_of(node), _guard(node))
            for line in range(line_of(node), min(end_line_of(node), line_of(node) + _LONGEST) + 1):
                raised[line] = _STATEMENTS[kind]
        elif kind == "global":
            variables.add(text_of(node))
        elif kind == "caught.all":
            found.append(Fact(owner_of(line_of(node)), FactKind.CATCHES, _EVERYTHING, line_of(node)))
        elif kind == "implemented":
            by = _type_name(captures["name"][0]) if "name" in captures else ""
            place = line_of(node)
            found.append(Fact(owner_of(place), FactKind.IMPLEMENTS, _type_name(node), place, detail=by))
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
    lines = (root.text or b"").split(b"\n")
    said = (_completed(each, raised, guards, root, lines) for each in facts)
    return (*said, *dict.fromkeys(found))


def _completed(
    fact: Fact,
    raised: Mapping[int, Origin],
    guards: Mapping[int, tuple[str, int]],
    root: Node,
    lines: Sequence[bytes],
) -> Fact:
    """Return a fact of an error or text with its origin (raised, returned, asserted) and its condition."""
    if fact.kind not in _GUARDED or fact.line > len(lines):
        return fact
    if fact.kind == FactKind.ERROR_STRING and fact.line in raised:
        fact = replace(fact, origin=raised[fact.line])
    if fact.origin == Origin.ASSERTED:
        return replace(fact, detail=_ASSERTED)
    text = lines[fact.line - 1]
    at = (fact.line - 1, len(text) - len(text.lstrip()))
    condition, line = guards.get(fact.line) or _guard(root.descendant_for_point_range(at, at) or root)
    return replace(fact, detail=condition, above=fact.line - line) if condition else fact


def _guard(node: Node) -> tuple[str, int]:
    """Return the condition of the innermost branch around a statement, and its line; ("", 0) without one."""
    inner, around = node, node.parent
    while around is not None and not any(part in around.type for part in _SCOPES):
        condition = around.child_by_field_name("condition")
        if condition is not None and condition != inner and any(part in around.type for part in _BRANCHES):
            text = on_one_line(condition)
            text = text[1:-1] if text.startswith("(") and text.endswith(")") and "(" not in text[1:] else text
            is_negated = ("unless" in around.type) != (inner in around.children_by_field_name("alternative"))
            return (f"not ({text})" if is_negated else text) if text else "", line_of(condition)
        inner, around = around, around.parent
    return "", 0


def _type_name(node: Node) -> str:
    """Return the dotted name of a type without its arguments and references."""
    return text_of(node).partition("<")[0].lstrip("&* ").removeprefix("mut ").replace("::", ".").strip()


def _types(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the dotted names, with their nodes, of the types that one clause catches."""
    if node.type == "as_pattern":
        node = children(node)[0]
    for each in children(node) if node.type in ("tuple", "parenthesized_expression", "binary_operator") else [node]:
        name = one_line(text_of(each)).lstrip("&*\\").replace("::", ".").partition("{")[0].partition("(")[0].strip()
        if name and " " not in name and len(name) <= _MAX_NAME and last_name(name)[:1].isupper():
            yield name, each


def _changed(node: Node, variables: set[str]) -> str:
    """Return the dotted name of the target of an assignment; "" for a local variable."""
    if any(part in node.type for part in _MEMBERS):
        name = text_of(node).replace("->", ".").replace("::", ".").lstrip("@$*(")
        return name if "\n" not in name and len(name) <= _MAX_NAME else ""
    if node.type in _DEREFERENCES and children(node) and children(node)[-1].type == "identifier":
        return text_of(children(node)[-1])
    return text_of(node) if text_of(node) in variables else ""
