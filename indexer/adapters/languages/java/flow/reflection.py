"""Reflection and method handles, where the class and the name of the method are constants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.syntax import arguments_of, string_of
from indexer.adapters.languages.syntax import field, first_child, line_of, text_of, walk
from indexer.domain.linking.program import LIST, NOTHING, Slot

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.flow_writer import FlowWriter
    from indexer.adapters.languages.java.flow.names import Names

_BINDING = frozenset(("variable_declarator", "formal_parameter", "catch_formal_parameter", "enhanced_for_statement"))
_WITH_DEFAULT = frozenset(("getProperty", "getOrDefault", "getenv", "getString"))
MAX_DEPTH = 8
_BY_NAME = frozenset(("getMethod", "getDeclaredMethod"))
_OF_CLASS = frozenset(("findStatic", "findVirtual", "findSpecial"))
_GETTERS = frozenset(("findGetter", "findStaticGetter"))
_FIELDS = frozenset(("getField", "getDeclaredField"))
_NAMED = frozenset(("forName", *_BY_NAME, *_OF_CLASS, *_GETTERS, *_FIELDS))
_CONSTRUCTORS = frozenset(("getConstructor", "getDeclaredConstructor"))


class Reflection:
    """Resolves calls of the reflection library to the classes, methods and fields that they look up."""

    def __init__(self, writer: FlowWriter, names: Names) -> None:
        self._writer = writer
        self._names = names
        self._constants = _Constants()

    def found(self, node: Node, name: str, receiver: Slot, arguments: tuple[Slot, ...]) -> Slot:
        """
        Return the slot of the object that a call of the reflection library looks up.

        It is a class, a constructor (the class itself), methods of a name, a field (a container of its values), or a
        proxy (the `invoke` of its handler). NOTHING for all other calls, and if the name is not constant.
        """
        line = line_of(node)
        if name in _CONSTRUCTORS:
            return receiver
        if name == "newInstance" and receiver != NOTHING:
            return self._writer.call(receiver, arguments, "", line)
        if name == "findConstructor" and arguments:
            return arguments[0]
        if name == "cast" and len(arguments) == 1:
            return arguments[0]
        if name == "newProxyInstance" and len(arguments) == 3:
            return self._writer.load(arguments[2], "invoke(3)", line)
        if name not in _NAMED:
            return NOTHING
        texts = [self._constants.text(argument) for argument in arguments_of(node)[:2]]
        if texts and texts[0]:
            return self._by_name(name, texts[0], receiver, line)
        if len(texts) > 1 and texts[1]:
            return self._of_class(name, texts[1], arguments[0], line)
        return NOTHING

    def _by_name(self, name: str, said: str, receiver: Slot, line: int) -> Slot:
        if name == "forName":
            return self._names.qualified(said, line)
        if name in _BY_NAME:
            return self._writer.load(receiver, f"{said}(*)", line)
        if name in _FIELDS:
            return self._writer.container(LIST, self._field(receiver, said, line))
        return NOTHING

    def _of_class(self, name: str, said: str, cls: Slot, line: int) -> Slot:
        if name in _OF_CLASS:
            return self._writer.load(cls, f"{said}(*)", line)
        if name in _GETTERS:
            return self._writer.container(LIST, self._field(cls, said, line))
        return NOTHING

    def _field(self, cls: Slot, name: str, line: int) -> Slot:
        """Return the values of a field of the class or of its instances."""
        if cls == NOTHING:
            return NOTHING
        instance = self._writer.instance(cls, line)
        return self._writer.union([self._writer.load(cls, name, line), self._writer.load(instance, name, line)])


class _Constants:
    """Evaluates constant texts in one file; all bindings of the file are collected at the first use."""

    def __init__(self) -> None:
        self._bound: dict[str, Node | None] | None = None

    def text(self, node: Node | None, depth: int = 0) -> str | None:
        """Return the text of an expression; None if it is not known."""
        if node is None or depth > MAX_DEPTH:
            return None
        if node.type == "parenthesized_expression":
            return self.text(first_child(node), depth + 1)
        if node.type == "binary_expression" and text_of(field(node, "operator")) == "+":
            left = self.text(field(node, "left"), depth + 1)
            right = self.text(field(node, "right"), depth + 1)
            return None if left is None or right is None else left + right
        if node.type == "method_invocation":
            arguments = arguments_of(node)
            has_default = len(arguments) == 2 and text_of(field(node, "name")) in _WITH_DEFAULT
            return self.text(arguments[1], depth + 1) if has_default else None
        if node.type in ("identifier", "field_access"):
            return self._named(node, depth)
        return string_of(node)

    def _named(self, node: Node, depth: int) -> str | None:
        """Return the text of a name that is bound exactly once in the file, in whatever scope."""
        if self._bound is None:
            self._bound = _bindings(node)
        return self.text(self._bound.get(text_of(node).rpartition(".")[2]), depth + 1)


def _bindings(node: Node) -> dict[str, Node | None]:
    root = node
    while root.parent is not None:
        root = root.parent
    found: dict[str, Node | None] = {}
    for each in walk(root):
        name = None
        if each.type in _BINDING:
            name = text_of(field(each, "name"))
        elif each.type == "assignment_expression":
            name = text_of(field(each, "left")).rpartition(".")[2]
        if name:
            found[name] = field(each, "value") if each.type == "variable_declarator" and name not in found else None
    return found
