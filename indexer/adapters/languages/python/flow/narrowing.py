"""Narrows names by the condition that guards the code."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from indexer.domain.linking.program import NARROW, NOTHING

if TYPE_CHECKING:
    from indexer.adapters.languages.python.flow.context import Context
    from indexer.adapters.languages.python.flow.expressions import Expressions


def narrow(context: Context, expressions: Expressions, test: ast.expr, *, holds: bool) -> None:
    """Narrow the names tested by `isinstance`, for the branch where `test` is true or, with `holds` False, false."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            narrow(context, expressions, operand, holds=not holds)
        case ast.BoolOp(op=ast.And(), values=values) if holds:
            for value in values:
                narrow(context, expressions, value, holds=True)
        case ast.BoolOp(op=ast.Or(), values=values) if not holds:
            for value in values:
                narrow(context, expressions, value, holds=False)
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kinds]) if holds:
            _bind(context, expressions, name, kinds)


def _bind(context: Context, expressions: Expressions, name: str, kinds: ast.expr) -> None:
    environment, emitter = context.environment, context.emitter
    if name in environment.cells or name in environment.globals:
        return
    classes = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    before = context.lookup(name)
    slots = []
    for kind in classes:
        class_slot = expressions.value(kind) if isinstance(kind, ast.Name | ast.Attribute) else NOTHING
        if class_slot != NOTHING:
            slot = emitter.filled(NARROW, before, class_slot, *context.at(kind))
            slots.append(slot)
    if len(slots) == len(classes):
        environment.names[name] = emitter.union(slots)
