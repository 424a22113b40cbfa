"""Walks a module, then the bodies of its functions, and puts the program together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.python.flow.context import Context
from indexer.adapters.languages.python.flow.definitions import Definitions
from indexer.adapters.languages.python.flow.environment import Environment
from indexer.adapters.languages.python.flow.expressions import Expressions
from indexer.adapters.languages.python.flow.statements import Statements
from indexer.domain.linking.program import MODULE, NOTHING, Program

if TYPE_CHECKING:
    import ast

    from indexer.adapters.languages.python.symbols import PythonSymbols


def build_program(tree: ast.Module, table: PythonSymbols, module: str) -> Program:
    """Write the flow program of a module."""
    context = Context(table)
    expressions = Expressions(context)
    statements = Statements(context, expressions)
    context.definitions = Definitions(context, expressions, statements)
    environment = Environment(context.emitter.add_scope(MODULE, module, -1, 0, 1), MODULE, None, context.emitter)
    environment.cells = {name: context.emitter.slot() for name in context.global_names}
    context.module_environment = context.environment = environment
    statements.block(tree.body)
    exported = {**environment.names, **environment.cells}
    context.emitter.run_deferred()
    exports = tuple((name, slot) for name, slot in exported.items() if slot != NOTHING)
    return context.emitter.finish(exports, tuple(context.stars))
