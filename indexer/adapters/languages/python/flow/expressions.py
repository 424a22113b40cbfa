"""Expressions: each returns the slot of its value and emits the instructions of its evaluation."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from indexer.adapters.languages.python.flow import operators
from indexer.adapters.languages.python.flow.calls import Calls
from indexer.adapters.languages.python.flow.displays import Displays
from indexer.adapters.languages.python.flow.narrowing import narrow
from indexer.adapters.languages.python.flow.targets import Targets
from indexer.domain.linking.program import (
    GET_ITEM,
    ITERATE,
    LIST,
    LITERAL,
    LOAD,
    MAPPING,
    NOTHING,
    OPERATE,
    SLICE,
    TUPLE,
    Slot,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.adapters.languages.python.flow.context import Context

MAX_LITERAL = 40


class Expressions:
    """Walks expressions."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._emitter = context.emitter
        self.targets = Targets(context, self)
        self.calls = Calls(context, self)
        displays = Displays(context, self)
        self._loads: dict[tuple[int, Slot, str], Slot] = {}
        self._walkers: dict[type, Callable[[Any], Slot]] = {
            ast.Name: lambda node: context.lookup(node.id),
            ast.Attribute: lambda node: self.load(self.value(node.value), node.attr, node),
            ast.Call: self.calls.value,
            ast.Constant: self._constant,
            ast.Subscript: self._subscript,
            ast.BinOp: self._binary,
            ast.UnaryOp: self._unary,
            ast.Compare: self._compare,
            ast.BoolOp: self._boolean,
            ast.IfExp: self._conditional,
            ast.Lambda: lambda node: context.definitions.lambda_(node),
            ast.Tuple: lambda node: displays.elements(node.elts, TUPLE),
            **dict.fromkeys((ast.List, ast.Set), lambda node: displays.elements(node.elts, LIST)),
            ast.Dict: displays.mapping,
            ast.ListComp: lambda node: displays.comprehension(node.generators, node.elt, LIST),
            ast.SetComp: lambda node: displays.comprehension(node.generators, node.elt, LIST),
            ast.GeneratorExp: lambda node: displays.comprehension(node.generators, node.elt, LIST),
            ast.DictComp: lambda node: displays.comprehension(node.generators, node.value, MAPPING, node.key),
            ast.JoinedStr: self._joined,
            ast.NamedExpr: self._named,
            ast.Starred: lambda node: self.value(node.value),
            ast.Await: self._await,
            ast.Yield: self._yield,
            ast.YieldFrom: self._yield_from,
            ast.Slice: self._slice_bounds,
        }

    def value(self, node: ast.expr | None) -> Slot:
        """Walk an expression and give the slot of its value."""
        walk = self._walkers.get(node.__class__)
        return walk(node) if walk else NOTHING

    def truth(self, node: ast.expr) -> None:
        """Walk a condition; testing its value may call `__bool__` or `__len__`."""
        if isinstance(node, ast.BoolOp):
            self._boolean(node, is_tested=True)
        else:
            self._ask(self.value(node), node)

    def _ask(self, slot: Slot, node: ast.expr) -> None:
        if slot != NOTHING and isinstance(node, ast.Name | ast.Attribute | ast.Call):
            self._emitter.emit(OPERATE, NOTHING, ("__bool__", "__len__"), slot, (), *self._context.at(node))

    def key(self, node: ast.expr) -> tuple[object, Slot]:
        """Give a subscript as (constant, NOTHING) or (None, slot)."""
        match node:
            case ast.Constant(value=str() | int() as constant) if not isinstance(constant, bool):
                return constant, NOTHING
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(constant))):
                return -constant, NOTHING
        return None, self.value(node)

    def load(self, owner: Slot, name: str, node: ast.expr) -> Slot:
        """Read an attribute; repeated reads of it from the same slot in a scope share one instruction."""
        if owner == NOTHING:
            return NOTHING
        index = self._context.environment.index
        known = self._loads.get((index, owner, name))
        if known is None:
            known = self._loads[index, owner, name] = self._emitter.filled(LOAD, owner, name, index, node.lineno)
        return known

    def _constant(self, node: ast.Constant) -> Slot:
        """Return the slot of a literal: only short words and small numbers, which may be keys, have one."""
        value = node.value
        if isinstance(value, str):
            if not 0 < len(value) <= MAX_LITERAL or " " in value:
                return NOTHING
        elif not isinstance(value, int) or isinstance(value, bool) or not -10 <= value <= 100:
            return NOTHING
        return self._emitter.filled(LITERAL, value, 0)

    def _subscript(self, node: ast.Subscript) -> Slot:
        match node:  # `Annotated[X, ...]` is `X`
            case ast.Subscript(
                value=ast.Name(id="Annotated") | ast.Attribute(attr="Annotated"), slice=ast.Tuple(elts=[kind, *said])
            ):
                return self._emitter.union([self.value(kind), *self._context.definitions.annotations.injected(said)])
        owner = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            self.value(node.slice)
            first = node.slice.lower
            if owner == NOTHING or node.slice.step is not None:
                return owner
            start = first.value if isinstance(first, ast.Constant) and isinstance(first.value, int) else None
            if first is not None and start is None:
                return owner
            return self._emitter.filled(SLICE, owner, start or 0, *self._context.at(node))
        key, key_slot = self.key(node.slice)
        if owner == NOTHING:
            return NOTHING
        items = self._context.environment.items
        if key is not None and (owner, key) in items:
            return items[owner, key]
        slot = self._emitter.filled(GET_ITEM, owner, key, key_slot, *self._context.at(node))
        if key is not None:
            items[owner, key] = slot
        return slot

    def _slice_bounds(self, node: ast.Slice) -> Slot:
        for bound in (node.lower, node.upper, node.step):
            self.value(bound)
        return NOTHING

    def _operand(self, node: ast.expr) -> Slot:
        """Walk an operand; NOTHING for a constant, as the project does not define its operators."""
        return NOTHING if isinstance(node, ast.Constant) else self.value(node)

    def _binary(self, node: ast.BinOp) -> Slot:
        chain = [node]
        while isinstance(chain[-1].left, ast.BinOp):
            chain.append(chain[-1].left)
        slot = self._operand(chain[-1].left)
        left: ast.expr = chain[-1].left
        for step in reversed(chain):
            right = self._operand(step.right)
            prefix = operators.prefix_of(step, left)
            if prefix:
                slot = self._emitter.filled(LITERAL, prefix, 1)
            elif slot != NOTHING or right != NOTHING:
                result = self._emitter.slot()
                at = self._context.at(step)
                direct, reflected = operators.BINARY[step.op.__class__]
                if slot != NOTHING:
                    self._emitter.emit(OPERATE, result, (direct,), slot, (right,), *at)
                if right != NOTHING:
                    self._emitter.emit(OPERATE, result, (reflected,), right, (slot,), *at)
                slot = result
            left = step
        return slot

    def _unary(self, node: ast.UnaryOp) -> Slot:
        if isinstance(node.op, ast.Not):
            self.truth(node.operand)
            return NOTHING
        slot = self._operand(node.operand)
        if slot == NOTHING:
            return NOTHING
        result = self._emitter.slot()
        methods = (operators.UNARY[node.op.__class__],)
        self._emitter.emit(OPERATE, result, methods, slot, (), *self._context.at(node))
        return result

    def _compare(self, node: ast.Compare) -> Slot:
        left = self._operand(node.left)
        for operator, comparator in zip(node.ops, node.comparators, strict=True):
            right = self._operand(comparator)
            at = self._context.at(node)
            if isinstance(operator, ast.In | ast.NotIn):
                if right != NOTHING:
                    self._emitter.emit(OPERATE, NOTHING, ("__contains__", "__iter__"), right, (left,), *at)
            elif (names := operators.COMPARE.get(operator.__class__)) is not None and left != NOTHING:
                self._emitter.emit(OPERATE, NOTHING, names, left, (right,), *at)
            left = right
        return NOTHING

    def _boolean(self, node: ast.BoolOp, *, is_tested: bool = False) -> Slot:
        """Walk `and` and `or`: the truth of each operand is tested, of the last one only if `is_tested`."""
        environment = self._context.environment
        names, items = dict(environment.names), dict(environment.items)
        slots = []
        for operand in node.values:
            slots.append(self.value(operand))
            if is_tested or operand is not node.values[-1]:
                self._ask(slots[-1], operand)
            narrow(self._context, self, operand, holds=isinstance(node.op, ast.And))
        changed = environment.names
        environment.names, environment.items = names, items
        for name, slot in changed.items():
            if name not in names:  # bound by `:=` on the way
                names[name] = slot
        return self._emitter.union(slots)

    def _conditional(self, node: ast.IfExp) -> Slot:
        self.truth(node.test)
        environment = self._context.environment
        names = dict(environment.names)
        narrow(self._context, self, node.test, holds=True)
        first = self.value(node.body)
        environment.names = dict(names)
        narrow(self._context, self, node.test, holds=False)
        second = self.value(node.orelse)
        environment.names = names
        return self._emitter.union([first, second])

    def iterate(self, node: ast.expr) -> Slot:
        """Walk what is iterated over and give the slot of an element."""
        slot = self.value(node)
        if slot == NOTHING:
            return NOTHING
        return self._emitter.filled(ITERATE, slot, *self._context.at(node))

    def _joined(self, node: ast.JoinedStr) -> Slot:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                slot = self.value(part.value)
                if slot != NOTHING and not isinstance(part.value, ast.Constant):
                    methods = ("__repr__",) if part.conversion == ord("r") else ("__format__", "__str__", "__repr__")
                    self._emitter.emit(OPERATE, NOTHING, methods, slot, (), *self._context.at(part.value))
                if part.format_spec is not None:
                    self.value(part.format_spec)
        first = node.values[0] if node.values else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value.isidentifier():
            return self._emitter.filled(LITERAL, first.value, 1)
        return NOTHING

    def _named(self, node: ast.NamedExpr) -> Slot:
        slot = self.value(node.value)
        self.targets.bind(node.target, slot)
        return slot

    def _await(self, node: ast.Await) -> Slot:
        """A coroutine is represented by its result, so only objects with `__await__` need a call."""
        slot = self.value(node.value)
        if slot != NOTHING and not isinstance(node.value, ast.Call):
            self._emitter.emit(OPERATE, NOTHING, ("__await__",), slot, (), *self._context.at(node))
        return slot

    def _yield(self, node: ast.Yield) -> Slot:
        self._emitter.copy(self.value(node.value), self._context.environment.yielded)
        return NOTHING

    def _yield_from(self, node: ast.YieldFrom) -> Slot:
        self._emitter.copy(self.iterate(node.value), self._context.environment.yielded)
        return NOTHING
