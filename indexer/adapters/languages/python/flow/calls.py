"""Calls, and the few functions whose calls mean something else: super, getattr, setattr, cast."""

from __future__ import annotations

import ast

from indexer.adapters.languages.python.flow.context import Walker
from indexer.adapters.languages.python.messages import dotted
from indexer.domain.linking.program import CALL, NOTHING, SET_ITEM, STORE, SUPER, Slot

_SPECIAL = frozenset(("super", "getattr", "setattr", "cast", "eval"))
# Methods that may change items that were read before.
_CHANGING = frozenset(("update", "clear", "pop", "popitem", "insert", "remove", "append", "extend", "sort", "reverse"))


class Calls(Walker):
    """Walks calls."""

    def value(self, node: ast.Call) -> Slot:
        """Walk a call and give the slot of its result."""
        function = node.func
        if isinstance(function, ast.Name | ast.Attribute):
            name = function.id if isinstance(function, ast.Name) else function.attr
            if name in _SPECIAL and (slot := self._special(name, node)) is not None:
                return slot
        receiver, attribute = NOTHING, ""
        if isinstance(function, ast.Attribute):
            receiver, attribute = self._expressions.value(function.value), function.attr
            callee = self._expressions.load(receiver, attribute, function)
            if attribute in _CHANGING and receiver != NOTHING:
                self._changed(node, receiver, attribute)
        else:
            callee = self._expressions.value(function)
        arguments, keywords = self._arguments(node)
        result = self._emitter.slot()
        written = dotted(function) or attribute
        self._emitter.emit(
            CALL, result, callee, arguments, keywords, written, *self._context.at(node), receiver, attribute
        )
        return result

    def _arguments(self, node: ast.Call) -> tuple[tuple[Slot, ...], tuple[tuple[str, Slot], ...]]:
        """Give positional slots (`-2 - slot` for a spread one) and (name, slot) of the rest, "" for a spread one."""
        value = self._expressions.value
        arguments = tuple(
            [
                -2 - value(argument.value) if isinstance(argument, ast.Starred) else value(argument)
                for argument in node.args
            ]
        )
        keywords = tuple([(keyword.arg or "", value(keyword.value)) for keyword in node.keywords])
        return arguments, keywords

    def _changed(self, node: ast.Call, receiver: Slot, attribute: str) -> None:
        """Apply a mutating method to the known items; `update({...})` stores each item."""
        items = self._context.environment.items
        for key in [key for key in items if key[0] == receiver]:
            if attribute != "update":
                del items[key]
        if attribute == "update" and len(node.args) == 1 and isinstance(node.args[0], ast.Dict):
            for key_node, value_node in zip(node.args[0].keys, node.args[0].values, strict=True):
                if isinstance(key_node, ast.Constant):
                    slot = self._expressions.value(value_node)
                    items[receiver, key_node.value] = slot
                    at = self._context.at(node)
                    self._emitter.emit(SET_ITEM, receiver, key_node.value, NOTHING, slot, *at)

    def _special(self, name: str, node: ast.Call) -> Slot | None:
        match name, node.args:
            case "super", arguments if isinstance(node.func, ast.Name):
                return self._super(arguments, node)
            case "getattr", [owner, ast.Constant(value=str(attribute)), *default]:
                loaded = self._expressions.load(self._expressions.value(owner), attribute, node)
                return self._emitter.union([loaded, *(self._expressions.value(item) for item in default)])
            case "setattr", [owner, ast.Constant(value=str(attribute)), stored]:
                owner_slot, slot = self._expressions.value(owner), self._expressions.value(stored)
                if owner_slot != NOTHING:
                    self._emitter.emit(STORE, owner_slot, attribute, slot, *self._context.at(node))
                return NOTHING
            case "eval", [ast.Constant(value=str(text))]:
                return self._evaluated(text, node)
            case "cast", [kind, stored]:
                slot = self._expressions.value(stored)
                said = self._context.definitions.annotations.value(kind)
                return self._emitter.union([said, slot])
        return None

    def _evaluated(self, text: str, node: ast.Call) -> Slot | None:
        """Walk the expression in `eval` of a constant."""
        try:
            expression = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return None
        for inner in ast.walk(expression):
            ast.copy_location(inner, node)
        return self._expressions.value(expression)

    def _super(self, arguments: list[ast.expr], node: ast.Call) -> Slot | None:
        context = self._context
        environment = context.environment
        if arguments:
            owner = self._expressions.value(arguments[0])
            receiver = self._expressions.value(arguments[1]) if len(arguments) > 1 else NOTHING
        else:
            while environment.own_class < 0 and environment.outer is not None:
                environment = environment.outer
            if environment.own_class < 0:
                return None
            owner, receiver = context.class_slot(environment.own_class), environment.first_parameter
        if owner == NOTHING or receiver == NOTHING:
            return None
        return context.emitter.filled(SUPER, owner, receiver, *context.at(node))
