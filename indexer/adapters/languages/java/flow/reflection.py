"""Reflection and method handles, where the class and the name of the method are written as constants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.java.syntax import string_of
from indexer.domain.linking.program import NOTHING, Slot

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.flow_writer import FlowWriter
    from indexer.adapters.languages.java.flow.names import Names

_BY_NAME = frozenset(("getMethod", "getDeclaredMethod"))
_OF_CLASS = frozenset(("findStatic", "findVirtual", "findSpecial"))
_FIELDS = frozenset(("getField", "getDeclaredField"))
_CONSTRUCTORS = frozenset(("getConstructor", "getDeclaredConstructor"))


class Reflection:
    """Gives what calls of the reflection library find."""

    def __init__(self, writer: FlowWriter, names: Names) -> None:
        self._writer = writer
        self._names = names

    def found(self, name: str, receiver: Slot, nodes: list[Node], arguments: tuple[Slot, ...], line: int) -> Slot:
        """
        Give what a call of the library finds: a class, a constructor (the class itself) or methods of a name.

        NOTHING for all other calls, and where the name is not constant.
        """
        texts = [string_of(node) for node in nodes[:2]]
        if name in _CONSTRUCTORS:
            return receiver
        if name == "findConstructor" and arguments:
            return arguments[0]
        if name == "newInstance" and receiver != NOTHING:
            return self._writer.call(receiver, arguments, "", line)
        if texts and texts[0]:
            if name == "forName":
                return self._names.qualified(texts[0], line)
            if name in _BY_NAME:
                return self._writer.load(receiver, f"{texts[0]}(*)", line)
            if name in _FIELDS:
                return self._writer.load(receiver, texts[0], line)
        if name in _OF_CLASS and len(texts) > 1 and texts[1]:
            return self._writer.load(arguments[0], f"{texts[1]}(*)", line)
        return NOTHING
