"""Functions, lambdas and classes: their scopes, and when their bodies are walked."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from indexer.adapters.languages.python.flow.annotations import Annotations
from indexer.adapters.languages.python.flow.environment import Environment
from indexer.adapters.languages.python.flow.keeping import gives, keeps
from indexer.adapters.languages.python.messages import last_name
from indexer.domain.linking.program import (
    BODY,
    CLASS,
    DECORATE,
    FUNCTION,
    GIVES,
    IS_CLASS_METHOD,
    IS_SETTER,
    IS_STATIC,
    IS_STUB,
    KEEPS,
    LAMBDA,
    NOTHING,
    PARAMETER,
    POSITIONAL_ONLY,
    STORE,
    Slot,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.adapters.languages.python.flow.context import Context
    from indexer.adapters.languages.python.flow.expressions import Expressions
    from indexer.adapters.languages.python.flow.statements import Statements

_YIELDS = frozenset((ast.Yield, ast.YieldFrom))
_IMPLICIT_STATIC = frozenset(("__new__",))
_IMPLICIT_CLASS = frozenset(("__init_subclass__", "__class_getitem__"))


class Definitions:
    """Walks definitions."""

    def __init__(self, context: Context, expressions: Expressions, statements: Statements) -> None:
        self._context = context
        self._emitter = context.emitter
        self._expressions = expressions
        self._statements = statements
        self.annotations = Annotations(context, expressions)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Define a function, apply its decorators, bind its name, and defer its body."""
        context, environment = self._context, self._context.environment
        decorators = [self._expressions.value(decorator) for decorator in node.decorator_list]
        names = [last_name(decorator) for decorator in node.decorator_list]
        symbol = context.table.positions[node]
        scope = context.emitter.add_scope(FUNCTION, node.name, environment.index, symbol, node.lineno)
        inner = Environment(scope, FUNCTION, _enclosing_function(environment), self._emitter)
        flags = _flags(node, names, context.table.own[symbol], in_class=environment.kind == CLASS)
        if environment.kind == CLASS:
            inner.own_class = environment.index
            flags |= KEEPS if keeps(context.table.own[symbol], node.args) else 0
            flags |= GIVES if gives(context.table.own[symbol], node.args) else 0
        slot = self._emitter.define(scope)
        self._parameters(inner, node.args)
        context.emitter.defer(lambda: self._body(node, inner, environment, flags))
        if flags & IS_SETTER:
            context.assign(f"{node.name}=", slot)
            return
        for decorator, written in zip(reversed(decorators), reversed(node.decorator_list), strict=True):
            slot = self._decorated(decorator, slot, written.lineno)
        if "overload" not in names or node.name not in environment.names:
            context.assign(node.name, slot)

    def _decorated(self, decorator: Slot, slot: Slot, line: int) -> Slot:
        if decorator == NOTHING:
            return slot
        return self._emitter.filled(DECORATE, decorator, slot, self._context.environment.index, line)

    def _parameters(self, inner: Environment, arguments: ast.arguments) -> None:
        """Make a slot for each parameter, which holds its default."""
        positional = arguments.posonlyargs + arguments.args
        every = [*positional, *arguments.kwonlyargs]
        extra = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
        for position, argument in enumerate(every):
            slot = self._emitter.slot()
            inner.names[argument.arg] = slot
            inner.parameters[slot] = position
        for argument in extra:
            inner.names[argument.arg] = self._emitter.slot()
        defaulted = positional[len(positional) - len(arguments.defaults) :]
        pairs = list(zip(defaulted, arguments.defaults, strict=True))
        pairs += [
            (argument, default)
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        ]
        for argument, default in pairs:
            self._emitter.copy(self._expressions.value(default), inner.names[argument.arg])
        if positional:
            inner.first_parameter = inner.names[positional[0].arg]
        inner.result = self._emitter.slot()

    def _body(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, inner: Environment, around: Environment, flags: int
    ) -> None:
        context = self._context
        position = context.table.positions[node]
        own = context.table.own[position]
        start = self._emitter.place
        if not _YIELDS.isdisjoint([item.__class__ for item in own]):
            inner.yielded = self._emitter.slot()
        parameters = dict(inner.names)
        context.environment = around
        self._annotate(node, inner, parameters)
        context.environment = inner
        if context.nonlocal_names:
            self._make_cells(inner, own, context.nonlocal_names[position])
        self._statements.block(node.body)
        self._finish(inner, node.args, parameters, flags)
        self._mark(inner, start)

    def _mark(self, inner: Environment, start: tuple[int, int]) -> None:
        """Mark the range of slots and instructions of a body, if it is that of a method or of a function in one."""
        if inner.is_in_class:
            slots, code = self._emitter.place
            self._emitter.emit(BODY, inner.index, start[0], slots, start[1], code)

    def _make_cells(self, inner: Environment, own: Sequence[ast.AST], captured: set[str]) -> None:
        """Make one slot for all values of each name that an inner function assigns by `nonlocal` (`captured`)."""
        declared = {name for item in own if isinstance(item, ast.Nonlocal) for name in item.names}
        bound = {item.id for item in own if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)}
        for name in sorted((bound | set(inner.names)) & captured - declared):
            inner.cells[name] = cell = self._emitter.slot()
            self._emitter.copy(inner.names.get(name, NOTHING), cell)
        for name in sorted(declared):
            outer = inner.outer
            while outer is not None and name not in outer.cells:
                outer = outer.outer
            if outer is not None:
                inner.cells[name] = outer.cells[name]

    def _annotate(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, inner: Environment, parameters: dict[str, Slot]
    ) -> None:
        arguments = node.args
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
            said = self.annotations.value(argument.annotation)
            if said != NOTHING:
                self._emitter.copy(said, parameters[argument.arg])
            elif inner.own_class < 0 or parameters[argument.arg] != inner.first_parameter:
                self._emitter.emit(PARAMETER, parameters[argument.arg], inner.index, argument.arg)
        self._emitter.copy(self.annotations.value(node.returns), inner.result)

    def _finish(self, inner: Environment, arguments: ast.arguments, parameters: dict[str, Slot], flags: int) -> None:
        positional = arguments.posonlyargs + arguments.args
        every = [*positional, *arguments.kwonlyargs]
        detail = (
            tuple((_called(argument, arguments), parameters[argument.arg]) for argument in every),
            len(positional),
            parameters[arguments.vararg.arg] if arguments.vararg else NOTHING,
            parameters[arguments.kwarg.arg] if arguments.kwarg else NOTHING,
            inner.result,
            inner.yielded,
            flags,
            tuple(inner.passed),
        )
        self._context.emitter.set_detail(inner.index, detail)

    def lambda_(self, node: ast.Lambda) -> Slot:
        """Define a lambda and defer its body."""
        context, environment = self._context, self._context.environment
        symbol = context.emitter.symbol_of(environment.index)
        scope = context.emitter.add_scope(LAMBDA, context.next_lambda(), environment.index, symbol, node.lineno)
        inner = Environment(scope, LAMBDA, _enclosing_function(environment), self._emitter)
        slot = self._emitter.define(scope)
        self._parameters(inner, node.args)
        parameters = dict(inner.names)

        def body() -> None:
            start = self._emitter.place
            context.environment = inner
            result = self._expressions.value(node.body)
            if result in inner.parameters:
                inner.passed[inner.parameters[result]] = None
            else:
                self._emitter.copy(result, inner.result)
            self._finish(inner, node.args, parameters, 0)
            self._mark(inner, start)

        context.emitter.defer(body)
        return slot

    def class_(self, node: ast.ClassDef) -> None:
        """Define a class and walk its body at once, as Python does."""
        context, environment = self._context, self._context.environment
        decorators = [self._expressions.value(decorator) for decorator in node.decorator_list]
        bases = [slot for base in _bases(node) if (slot := self._expressions.value(base)) != NOTHING]
        metaclass = NOTHING
        for keyword in node.keywords:
            slot = self._expressions.value(keyword.value)
            if keyword.arg == "metaclass":
                metaclass = slot
        symbol = context.table.positions[node]
        scope = context.emitter.add_scope(CLASS, node.name, environment.index, symbol, node.lineno)
        slot = self._emitter.define(scope)
        context.remember_class(scope, slot)
        inner = Environment(scope, CLASS, _enclosing_function(environment), self._emitter)
        context.environment = inner
        self._statements.block(node.body)
        context.environment = environment
        members = tuple(self._members(inner))
        fields = tuple(
            (item.target.id, inner.names.get(item.target.id, NOTHING))
            for item in node.body
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
        )
        context.emitter.set_detail(scope, (tuple(bases), metaclass, members, fields))
        for decorator, written in zip(reversed(decorators), reversed(node.decorator_list), strict=True):
            slot = self._decorated(decorator, slot, written.lineno)
        context.assign(node.name, slot)

    def _members(self, body: Environment) -> Iterator[tuple[str, Slot]]:
        """Return the names of a class body with unknown values, and protocol methods that are set to None."""
        for name, held in body.names.items():
            if held != NOTHING:
                yield name, held
            elif name.startswith("__") and name.endswith("__"):
                yield name, self._emitter.slot()

    def annotated(self, node: ast.AnnAssign, slot: Slot) -> None:
        """Bind an annotated target to its value and its annotated type, which may be defined further down."""
        context, environment = self._context, self._context.environment
        target = node.target
        said = self._emitter.slot()
        if environment.kind == FUNCTION:
            meant = self.annotations.value(node.annotation)
            if meant != NOTHING:
                self._emitter.copy(meant, said)
            elif node.value is None:
                return
        else:
            context.emitter.defer(lambda: self._resolve(node, environment, said))
        self._emitter.copy(slot, said)
        if isinstance(target, ast.Attribute):
            owner = self._expressions.value(target.value)
            if owner != NOTHING:
                self._emitter.emit(STORE, owner, target.attr, said, *context.at(target))
        else:
            self._expressions.targets.bind(target, said)

    def _resolve(self, node: ast.AnnAssign, environment: Environment, said: Slot) -> None:
        self._context.environment = environment
        self._emitter.copy(self.annotations.value(node.annotation), said)


def _enclosing_function(environment: Environment) -> Environment | None:
    """Return the nearest enclosing function, whose names a body can use; None in a module or a class at its top."""
    around: Environment | None = environment
    while around is not None and around.kind == CLASS:
        around = around.outer
    return None if around is None or around.is_module else around


def _flags(
    node: ast.FunctionDef | ast.AsyncFunctionDef, decorators: list[str], own: Sequence[ast.AST], *, in_class: bool
) -> int:
    flags = IS_STUB if in_class and _is_stub(node, decorators, own) else 0
    if in_class:
        if node.name in _IMPLICIT_STATIC or "staticmethod" in decorators:
            flags |= IS_STATIC
        elif node.name in _IMPLICIT_CLASS or any(name.endswith("classmethod") for name in decorators):
            flags |= IS_CLASS_METHOD
    for decorator in node.decorator_list:
        match decorator:
            case ast.Attribute(value=ast.Name(id=name), attr="setter" | "deleter" | "getter") if name == node.name:
                flags |= IS_SETTER
    return flags


def _is_stub(node: ast.FunctionDef | ast.AsyncFunctionDef, decorators: list[str], own: Sequence[ast.AST]) -> bool:
    """Return whether a method is a stub to override: abstract, empty, always raising, or returning a constant."""
    if any(name.startswith("abstract") for name in decorators):
        return True
    body = [item for item in node.body if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))]
    match body:
        case [] | [ast.Pass()] | [ast.Return(value=None | ast.Constant() | ast.Name())]:
            return True
        case [ast.Return(value=ast.Call(func=ast.Name(id="cast") | ast.Attribute(attr="cast"), args=[_, ast.Name()]))]:
            return True
        case [*_, ast.Raise()]:
            return not any(isinstance(item, ast.Return | ast.Yield | ast.YieldFrom) for item in own)
    return False


def _bases(node: ast.ClassDef) -> list[ast.expr]:
    """List base classes, those inside `with_metaclass(Meta, Base)` too."""
    found: list[ast.expr] = []
    for base in node.bases:
        if isinstance(base, ast.Call) and last_name(base.func) == "with_metaclass":
            found.extend(base.args[1:])
        else:
            found.append(base)
    return found


def _called(argument: ast.arg, arguments: ast.arguments) -> str:
    """Return the keyword of a parameter; for a positional-only one, a name that no caller can write."""
    return f"{argument.arg}{POSITIONAL_ONLY}" if argument in arguments.posonlyargs else argument.arg
