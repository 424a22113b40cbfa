"""Statements: control flow, assignment, imports."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from indexer.adapters.languages.python.flow.assigned import assigned_names
from indexer.adapters.languages.python.flow.narrowing import narrow
from indexer.adapters.languages.python.flow.patterns import bind_pattern
from indexer.adapters.languages.python.messages import last_name
from indexer.domain.linking.program import CLASS, ENTER, IMPORT, NOTHING, OPERATE, RAISE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.adapters.languages.emitter import Items
    from indexer.adapters.languages.python.flow.context import Context
    from indexer.adapters.languages.python.flow.expressions import Expressions


class Statements:
    """Walks statements in order."""

    def __init__(self, context: Context, expressions: Expressions) -> None:
        self._context = context
        self._emitter = context.emitter
        self._expressions = expressions
        self._value = expressions.value
        self._walkers: dict[type, Callable[[Any], bool | None]] = {
            ast.Expr: self._expression,
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.Return: self._return,
            ast.If: self._if,
            **dict.fromkeys((ast.For, ast.AsyncFor), self._for),
            ast.While: self._while,
            **dict.fromkeys((ast.Try, ast.TryStar), self._try),
            **dict.fromkeys((ast.With, ast.AsyncWith), self._with),
            ast.Raise: self._raise,
            ast.Assert: self._assert,
            ast.Delete: self._delete,
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Global: self._global,
            ast.FunctionDef: lambda node: context.definitions.function(node),
            ast.AsyncFunctionDef: lambda node: context.definitions.function(node),
            ast.ClassDef: lambda node: context.definitions.class_(node),
            ast.Match: self._match,
            **dict.fromkeys((ast.Break, ast.Continue), lambda _: True),
        }

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Walk statements; return whether control never leaves them normally."""
        walkers = self._walkers
        ended = False
        for statement in body:
            walk = walkers.get(statement.__class__)
            if walk is not None and walk(statement):
                ended = True
        return ended

    def _expression(self, node: ast.Expr) -> None:
        if node.value.__class__ is not ast.Constant:
            self._value(node.value)

    def _assign(self, node: ast.Assign) -> None:
        targets = node.targets
        if len(targets) == 1:
            self._expressions.targets.assign(targets[0], node.value)
            return
        slot = self._value(node.value)
        for target in targets:
            if isinstance(target, ast.Tuple | ast.List) and isinstance(node.value, ast.Tuple | ast.List):
                self._expressions.targets.assign(target, node.value)
            else:
                self._expressions.targets.bind(target, slot)

    def _annotated(self, node: ast.AnnAssign) -> None:
        slot = self._value(node.value)
        self._context.definitions.annotated(node, slot)

    def _augmented(self, node: ast.AugAssign) -> None:
        load = ast.copy_location(ast.BinOp(left=_as_load(node.target), op=node.op, right=node.value), node)
        self._expressions.targets.bind(node.target, self._value(load))

    def _return(self, node: ast.Return) -> bool:
        slot = self._value(node.value)
        environment = self._context.environment
        if slot != NOTHING and environment.result != NOTHING:
            parts = self._emitter.parts(slot)
            passed = [part for part in parts if part in environment.parameters]
            environment.passed.update((environment.parameters[part], None) for part in passed)
            for part in [part for part in parts if part not in passed] if passed else [slot]:
                self._emitter.copy(part, environment.result)
        return True

    def _if(self, node: ast.If) -> bool:
        self._expressions.truth(node.test)

        def then() -> bool:
            narrow(self._context, self._expressions, node.test, holds=True)
            names, is_ended = dict(self._context.environment.names), self.block(node.body)
            is_for_types = last_name(node.test) == "TYPE_CHECKING" and not node.orelse
            if is_for_types and self._context.environment.kind == CLASS:
                self._forget_methods(node.body, names)
            return is_ended

        def otherwise() -> bool:
            narrow(self._context, self._expressions, node.test, holds=False)
            return self.block(node.orelse)

        return self._context.environment.branch([then, otherwise])

    def _forget_methods(self, body: Sequence[ast.stmt], names: dict[str, int]) -> None:
        """Drop methods defined for type checkers only, so that they do not hide those of base classes."""
        known = self._context.environment.names
        for each in body:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name in known:
                del known[each.name]
                known.update({each.name: names[each.name]} if each.name in names else {})

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        environment = self._context.environment
        element = self._expressions.iterate(node.iter)
        environment.enter_region(assigned_names(node.body, [node.target]))
        self._expressions.targets.bind(node.target, element)
        self.block(node.body)
        environment.names.update(environment.leave_region())
        self.block(node.orelse)

    def _while(self, node: ast.While) -> bool:
        environment = self._context.environment
        environment.enter_region(assigned_names(node.body, [node.test]))
        self._expressions.truth(node.test)
        narrow(self._context, self._expressions, node.test, holds=True)
        self.block(node.body)
        environment.names.update(environment.leave_region())
        self.block(node.orelse)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return endless and not any(isinstance(inner, ast.Break) for inner in ast.walk(node))

    def _try(self, node: ast.Try) -> bool:
        environment = self._context.environment
        names, items = dict(environment.names), environment.items
        environment.enter_region(assigned_names(node.body, []))
        environment.names, environment.items = names, dict(items)
        ended = self.block(node.body)
        after_body = environment.names
        during = {**after_body, **environment.leave_region()}
        ends: list[tuple[dict[str, int], Items]] = []
        environment.names = after_body
        if not ended and not self.block(node.orelse):
            ends.append((environment.names, {}))
        for handler in node.handlers:
            environment.names, environment.items = dict(during), {}
            if handler.type is not None:
                self._caught(handler)
            if not self.block(handler.body):
                ends.append((environment.names, {}))
        if not ends:
            environment.names = during
        environment.merge(ends)
        return self.block(node.finalbody) or not ends

    def _caught(self, handler: ast.ExceptHandler) -> None:
        assert handler.type is not None
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        slots = [self._context.definitions.annotations.value(kind) for kind in kinds]
        if handler.name:
            self._context.assign(handler.name, self._emitter.union(slots))

    def _with(self, node: ast.With | ast.AsyncWith) -> bool:
        for item in node.items:
            slot = self._value(item.context_expr)
            entered = NOTHING
            if slot != NOTHING:
                entered = self._emitter.filled(ENTER, slot, *self._context.at(item.context_expr))
            if item.optional_vars is not None:
                self._expressions.targets.bind(item.optional_vars, entered)
        # `with suppress(...)` may swallow what ends the block, so only what surely leaves counts.
        return self.block(node.body)

    def _raise(self, node: ast.Raise) -> bool:
        slot = self._value(node.exc)
        self._value(node.cause)
        if slot != NOTHING and not isinstance(node.exc, ast.Call):
            self._emitter.emit(RAISE, slot, *self._context.at(node))
        return True

    def _assert(self, node: ast.Assert) -> None:
        self._expressions.truth(node.test)
        self._value(node.msg)
        narrow(self._context, self._expressions, node.test, holds=True)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                slot = self._value(target.value)
                self._value(target.slice)
                if slot != NOTHING:
                    self._emitter.emit(OPERATE, NOTHING, ("__delitem__",), slot, (), *self._context.at(target))
            elif isinstance(target, ast.Attribute):
                self._value(target.value)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            slot = self._emitter.filled(IMPORT, name, "", *self._context.at(node))
            self._context.assign(alias.asname or name, slot)
            if name != alias.name:
                self._emitter.emit(IMPORT, self._emitter.slot(), alias.name, "", *self._context.at(node))

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name == "*":
                self._context.stars.append(module)
                self._emitter.emit(IMPORT, self._emitter.slot(), module, "", *self._context.at(node))
                continue
            slot = self._emitter.filled(IMPORT, module, alias.name, *self._context.at(node))
            self._context.assign(alias.asname or alias.name, slot)

    def _global(self, node: ast.Global) -> None:
        if not self._context.environment.is_module:
            self._context.environment.globals.update(node.names)

    def _match(self, node: ast.Match) -> bool:
        subject = self._value(node.subject)

        def branch(case: ast.match_case) -> Callable[[], bool]:
            def walk() -> bool:
                bind_pattern(self._context, self._expressions, case.pattern, subject)
                if case.guard is not None:
                    self._expressions.truth(case.guard)
                return self.block(case.body)

            return walk

        complete = any(isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None for case in node.cases)
        return self._context.environment.branch([*map(branch, node.cases), *([] if complete else [lambda: False])])


def _as_load(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            return ast.copy_location(ast.Name(id=name, ctx=ast.Load()), target)
        case ast.Attribute(value=value, attr=name):
            return ast.copy_location(ast.Attribute(value=value, attr=name, ctx=ast.Load()), target)
        case ast.Subscript(value=value):
            return ast.copy_location(ast.Subscript(value=value, slice=target.slice, ctx=ast.Load()), target)
    return target
