"""Reflection and method handles, where the class and the name of the method are constants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.flow.constants import Constants
from indexer.adapters.languages.java.syntax import arguments_of
from indexer.adapters.languages.syntax import line_of
from indexer.domain.linking.program import LIST, NOTHING, Slot

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.flow_writer import FlowWriter
    from indexer.adapters.languages.java.flow.names import Names

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
        self._constants = Constants()

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
