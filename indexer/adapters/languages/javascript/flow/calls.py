"""Calls, and the few whose meaning the language fixes: super, require, call, apply, bind, then, Object.assign."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.exports import property_name
from indexer.adapters.languages.javascript.flow.context import Walker
from indexer.adapters.languages.javascript.names import prototype_owner
from indexer.adapters.languages.javascript.syntax import arguments_of, bare, dotted, parse, string_of
from indexer.adapters.languages.syntax import children, field, text_of
from indexer.domain.linking.program import CALL, NOTHING, Slot

if TYPE_CHECKING:
    from tree_sitter import Node


_CALLING = frozenset(("call", "apply", "bind"))
_WAITING = frozenset(("then", "catch", "finally"))


class Calls(Walker):
    """Walks calls."""

    def call(self, node: Node) -> Slot:
        """Walk a call and give the slot of its result."""
        function = bare(field(node, "function"))
        if function is None:
            return NOTHING
        special = self._special(node, function)
        if special is not None:
            return special
        receiver, attribute, callee = self._callee(function)
        if attribute in _WAITING and receiver != NOTHING:
            return self._then(node, receiver, attribute)
        arguments = self.arguments(node)
        if attribute in _CALLING and receiver != NOTHING:
            return self._calling(node, attribute, receiver, arguments)
        return self.emit(node, callee, arguments, dotted(function) or attribute, receiver, attribute)

    def new(self, node: Node) -> Slot:
        """Walk `new X(...)`."""
        constructor = bare(field(node, "constructor"))
        callee = self._walkers.expressions.value(constructor)
        return self.emit(node, callee, self.arguments(node), dotted(constructor))

    def emit(
        self,
        node: Node,
        callee: Slot,
        arguments: tuple[Slot, ...],
        written: str = "",
        receiver: Slot = NOTHING,
        attribute: str = "",
    ) -> Slot:
        """Emit a call of the value of a slot; drop the known values of properties, as the call may change them."""
        result = self._emitter.slot()
        at = self._context.at(node)
        self._emitter.emit(CALL, result, callee, arguments, (), written, *at, receiver, attribute)
        self._context.environment.items = {}
        return result

    def arguments(self, node: Node) -> tuple[Slot, ...]:
        """Walk arguments: slots by position, `-2 - slot` for a spread one."""
        found = []
        for argument in arguments_of(node):
            slot = self._walkers.expressions.value(argument)
            found.append(-2 - slot if argument.type == "spread_element" and slot != NOTHING else slot)
        given = field(node, "arguments")
        if given is not None and given.type == "template_string":
            self._walkers.expressions.value(given)
        return tuple(found)

    def _callee(self, function: Node) -> tuple[Slot, str, Slot]:
        """Return the receiver, the name of the method, and the slot of the callee."""
        if function.type != "member_expression":
            return NOTHING, "", self._walkers.expressions.value(function)
        name = text_of(field(function, "property"))
        exported = self._walkers.modules.own_export(function)
        if exported is not None:
            return NOTHING, name, exported
        owner = field(function, "object")
        if owner is not None and owner.type == "super":
            receiver = self._walkers.classes.super_(function)
        else:
            receiver = self._walkers.expressions.value(owner)
        return receiver, name, self._walkers.objects.load(receiver, name, function)

    def _special(self, node: Node, function: Node) -> Slot | None:
        if function.type == "super":
            owner = self._walkers.classes.super_(function)
            callee = self._walkers.objects.load(owner, "__init__", function)
            return self.emit(node, callee, self.arguments(node), "super")
        if function.type == "import":
            return self._walkers.modules.required(node)
        written = dotted(function)
        if written == "require" and self._context.block.find("require") is None:
            return self._walkers.modules.required(node)
        if written == "eval":
            return self._evaluated(node)
        if written == "Object.assign":
            return self._assign(node)
        if written in ("Object.setPrototypeOf", "util.inherits", "inherits"):
            return self._inherit(node)
        return None

    def _calling(self, node: Node, attribute: str, receiver: Slot, arguments: tuple[Slot, ...]) -> Slot:
        """Walk `f.call(this, x)` as `f(x)`, `f.apply(this, xs)` as `f(...xs)`, and `f.bind(this)` as `f`."""
        written = dotted(field(node, "function"))
        if attribute == "bind":
            return receiver
        rest = arguments[1:]
        if attribute == "apply":
            rest = tuple(-2 - slot if slot >= 0 else slot for slot in rest)
        result = self.emit(node, receiver, rest, written)
        own = self._walkers.objects.load(receiver, attribute, node)
        return self._emitter.union([result, self.emit(node, own, arguments)])

    def _then(self, node: Node, receiver: Slot, attribute: str) -> Slot:
        """Walk `p.then(f)` as `f(p)`: a promise is represented by the value that it resolves to."""
        results = [receiver] if attribute != "then" else []
        for position, argument in enumerate(arguments_of(node)):
            callee = self._walkers.expressions.value(argument)
            given = (receiver,) if attribute == "then" and position == 0 else ()
            if callee != NOTHING:
                results.append(self.emit(node, callee, given))
        own = self._walkers.objects.load(receiver, attribute, node)
        results.append(self.emit(node, own, (), dotted(field(node, "function")), receiver, attribute))
        return self._emitter.union(results)

    def _evaluated(self, node: Node) -> Slot | None:
        """Walk the code in `eval` of a constant; None if the argument is not constant."""
        arguments = arguments_of(node)
        constant = string_of(arguments[0]) if arguments else None
        if constant is None:
            return None
        self._walkers.statements.statements(children(parse("eval.js", constant)))
        return NOTHING

    def _assign(self, node: Node) -> Slot | None:
        """Walk `Object.assign(owner, {...})`: store each property; between prototypes, the second becomes a base."""
        arguments = arguments_of(node)
        if len(arguments) < 2:
            return None
        parts = self._context.classes.get(prototype_owner(arguments[0]))
        owner = self._walkers.expressions.value(arguments[0])
        others: list[Slot] = []
        for argument in arguments[1:]:
            if parts is not None and (base := prototype_owner(argument)):
                parts.bases.insert(0, self._context.lookup(base))
            elif argument.type == "object":
                self._store_all(owner, argument)
            else:
                others.append(self._walkers.expressions.value(argument))
        if others:
            known = self._context.environment.items
            self.emit(node, self._walkers.expressions.value(field(node, "function")), (owner, *others), "Object.assign")
            self._context.environment.items = known
        return owner

    def _store_all(self, owner: Slot, literal: Node) -> None:
        slot = self._walkers.expressions.value(literal)
        items = self._context.environment.items
        for part in children(literal):
            key = property_name(part)
            if key and (stored := items.get((slot, key), NOTHING)) != NOTHING:
                self._walkers.objects.store_in(owner, key, stored, part)

    def _inherit(self, node: Node) -> Slot | None:
        """Walk `Object.setPrototypeOf(A.prototype, B.prototype)` and `inherits(A, B)`, which make B a base of A."""
        arguments = arguments_of(node)
        if len(arguments) != 2:
            return None
        below, above = (prototype_owner(argument) or dotted(argument) for argument in arguments)
        parts = self._context.classes.get(below)
        if parts is None or not above:
            return None
        bare_above = arguments[1] if not prototype_owner(arguments[1]) else field(arguments[1], "object")
        parts.bases.append(self._walkers.expressions.value(bare_above))
        return NOTHING
