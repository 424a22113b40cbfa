"""Errors that a body throws, named as in the source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.syntax import arguments_of, bare, dotted, string_of
from indexer.adapters.languages.syntax import field, first_child, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

_REJECTING = ("Promise.reject", "reject")


class Raises:
    """Names what each `throw` of one body throws, and what its promises are rejected with."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._assigned: dict[str, list[str]] = {}
        for node in nodes:
            if node.type == "variable_declarator":
                self._assign(text_of(field(node, "name")), field(node, "value"))
            elif node.type == "assignment_expression":
                self._assign(dotted(field(node, "left")), field(node, "right"))

    def _assign(self, name: str, value: Node | None) -> None:
        made = bare(value)
        if name and made is not None and made.type in ("new_expression", "call_expression"):
            self._assigned.setdefault(name, []).append(_callee(made))

    def of(self, node: Node) -> tuple[str, ...]:
        """
        Name the thrown types.

        A name that is bound to `new X()` or `f()` gives `X` or `f`; a string gives `string`. Other expressions than
        names and calls of named classes or functions give ().
        """
        if node.type == "throw_statement":
            return self._thrown(first_child(node))
        if node.type == "call_expression" and dotted(field(node, "function")) in _REJECTING:
            given = bare(next(iter(arguments_of(node)), None))
            return self._thrown(given) if given is not None and given.type == "new_expression" else ()
        return ()

    def _thrown(self, node: Node | None) -> tuple[str, ...]:
        thrown = bare(node)
        if thrown is None:
            return ()
        if thrown.type in ("new_expression", "call_expression"):
            name = _callee(thrown)
            return (name,) if name else ()
        if string_of(thrown) is not None or thrown.type == "template_string":
            return ("string",)
        if thrown.type == "ternary_expression":
            found = [*self._thrown(field(thrown, "consequence")), *self._thrown(field(thrown, "alternative"))]
            return tuple(dict.fromkeys(found))
        name = dotted(thrown)
        known = [made for made in self._assigned.get(name, ()) if made]
        return tuple(dict.fromkeys(known)) or ((name,) if name else ())


def _callee(node: Node) -> str:
    return dotted(field(node, "constructor") or field(node, "function"))
