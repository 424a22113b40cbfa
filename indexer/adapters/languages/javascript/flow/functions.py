"""Functions and methods: their scopes, parameters, `this`, and when their bodies are walked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.flow.context import Walker
from indexer.adapters.languages.javascript.flow.environment import Block, Environment
from indexer.adapters.languages.javascript.flow.scan import function_variables
from indexer.adapters.languages.javascript.names import bound_name, chained_names, own_name
from indexer.adapters.languages.javascript.symbols import scope_name
from indexer.adapters.languages.javascript.syntax import FUNCTION_EXPRESSIONS, has_word
from indexer.adapters.languages.syntax import children, field, line_of, text_of
from indexer.domain.linking.program import (
    FUNCTION,
    IS_ARROW,
    IS_STATIC,
    LAMBDA,
    NOTHING,
    STORE,
    Slot,
)

if TYPE_CHECKING:
    from tree_sitter import Node


_SIMPLE = ("identifier",)


@dataclass(frozen=True, slots=True)
class FunctionPlace:
    """
    Where a function stands.

    Args:
        owner: Scope of the class whose member it is; -1 for none.
        this: Slot of its `this`, where that is known from the text.
        flags: As in the program.
    """

    owner: int = -1
    this: Slot = NOTHING
    flags: int = 0


class Functions(Walker):
    """Walks functions."""

    def declared(self, node: Node) -> None:
        """Bind a function declaration, which holds from the start of its block."""
        name = own_name(node) or "default"
        self._context.declare(name)
        if name in self._walkers.constructors:
            slot = self._walkers.classes.constructor_function(node, name)
        else:
            slot = self.define(node, name, FunctionPlace())
        self._context.assign(name, slot)

    def expression(self, node: Node, this: Slot = NOTHING) -> Slot:
        """Return the slot of a function that is a value."""
        name = scope_name(node)
        if node.type == "arrow_function":
            environment = self._context.environment
            environment.arrows += 1
            return self.define(
                node, name or f"<arrow{environment.arrows}>", FunctionPlace(this=environment.this, flags=IS_ARROW)
            )
        names = (bound_name(node) or own_name(node), *chained_names(node))
        made = next((each for each in names if each in self._walkers.constructors), "")
        if made and this == NOTHING:
            return self._walkers.classes.constructor_function(node, made)
        if name is None:
            self._context.environment.anonymous += 1
            name = f"<anonymous{self._context.environment.anonymous}>"
        return self.define(node, name, FunctionPlace(this=this))

    def method_of_object(self, node: Node, owner: Slot) -> Slot:
        """Return the slot of a method in an object literal."""
        return self.define(node, scope_name(node) or "<computed>", FunctionPlace(this=owner))

    def define(self, node: Node, name: str, place: FunctionPlace) -> Slot:
        """Define a function and defer its body."""
        context = self._context
        outer = context.environment
        symbol = context.table.positions.get(node.id, context.symbol())
        kind = LAMBDA if name.startswith("<") else FUNCTION
        parent = place.owner if place.owner >= 0 else outer.index
        scope = context.emitter.add_scope(kind, name, parent, symbol, line_of(node))
        slot = self._emitter.define(scope)
        context.time += 1
        inner = Environment(scope, outer, context)
        inner.result = self._emitter.slot()
        inner.yielded = self._emitter.slot() if has_word(node, "*") else NOTHING
        inner.own_class = place.owner if place.owner >= 0 else outer.own_class
        inner.is_static = bool(place.flags & IS_STATIC) if place.owner >= 0 else outer.is_static
        around = context.block

        def body() -> None:
            context.environment, context.block = inner, Block(around)
            self._walk(node, inner, place, slot)

        context.emitter.defer(body)
        return slot

    def signature(self, node: Node, name: str, owner: int, flags: int) -> Slot:
        """Define a method without body: of an interface, or abstract."""
        context = self._context
        symbol = context.table.positions.get(node.id, context.symbol())
        scope = context.emitter.add_scope(FUNCTION, name, owner, symbol, line_of(node))
        slot, result = self._emitter.define(scope), self._walkers.types.annotation(field(node, "return_type"))
        parameters = [("this", self._emitter.slot())]
        given = children(field(node, "parameters"))
        parameters += [(text_of(field(part, "pattern")), self._emitter.slot()) for part in given]
        result = result if result != NOTHING else self._emitter.slot()
        context.emitter.set_detail(
            scope, (tuple(parameters), len(parameters), NOTHING, NOTHING, result, NOTHING, flags, ())
        )
        return slot

    def _walk(self, node: Node, inner: Environment, place: FunctionPlace, slot: Slot) -> None:
        if place.owner >= 0 and not place.flags & IS_STATIC:
            inner.this = self._emitter.slot()
            inner.named.append(("this", inner.this))
        else:
            inner.this = place.this
        own = field(node, "name")
        if node.type in FUNCTION_EXPRESSIONS and own is not None:
            self._context.declare(text_of(own))
            self._context.assign(text_of(own), slot)
        body = field(node, "body")
        if body is not None:
            for name in function_variables(body):
                self._context.declare(name)
        self._parameters(node, inner)
        said = self._walkers.types.annotation(field(node, "return_type"))
        self._emitter.copy(said, inner.yielded if inner.yielded != NOTHING else inner.result)
        if body is not None and body.type == "statement_block":
            self._walkers.statements.statements(children(body))
        elif body is not None:
            self._walkers.statements.give_back(self._walkers.expressions.value(body))
        detail = (
            tuple(inner.named),
            len(inner.named),
            inner.rest,
            NOTHING,
            inner.result,
            inner.yielded,
            place.flags,
            tuple(inner.passed),
        )
        self._context.emitter.set_detail(inner.index, detail)

    def _parameters(self, node: Node, inner: Environment) -> None:
        single = field(node, "parameter")
        for part in [single] if single is not None else children(field(node, "parameters")):
            pattern = field(part, "pattern") or part
            if pattern.type == "this":
                this = self._this_slot(inner)
                self._emitter.copy(self._walkers.types.annotation(field(part, "type")), this)
            elif pattern.type == "rest_pattern":
                inner.rest = self._emitter.slot()
                self._walkers.patterns.declare(pattern)
                self._walkers.patterns.bind(children(pattern)[0], inner.rest)
            elif part.type != "decorator":
                self._parameter(part, pattern, inner)

    def _this_slot(self, inner: Environment) -> Slot:
        if inner.this == NOTHING:
            inner.this = self._emitter.slot()
        return inner.this

    def _parameter(self, part: Node, pattern: Node, inner: Environment) -> None:
        slot = self._emitter.slot()
        default = field(part, "value")
        if pattern.type == "assignment_pattern":
            default, pattern = field(pattern, "right"), field(pattern, "left") or pattern
        said = self._walkers.types.annotation(field(part, "type"))
        for source in (said, self._walkers.expressions.value(default)):
            self._emitter.copy(source, slot)
        name = text_of(pattern) if pattern.type in _SIMPLE else ""
        if name and said == NOTHING and default is None:
            inner.parameters[slot] = len(inner.named)
        inner.named.append((name or f"<{len(inner.named)}>", slot))
        self._walkers.patterns.declare(pattern)
        self._walkers.patterns.bind(pattern, slot)
        if (
            name
            and inner.this != NOTHING
            and any(
                child.type in ("accessibility_modifier", "readonly", "override_modifier") for child in part.children
            )
        ):
            self._emitter.emit(STORE, inner.this, name, slot, *self._context.at(part))
