"""Walks a module, then the bodies of its functions, and puts the program together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.flow.calls import Calls
from indexer.adapters.languages.javascript.flow.classes import Classes
from indexer.adapters.languages.javascript.flow.context import Context
from indexer.adapters.languages.javascript.flow.expressions import Expressions
from indexer.adapters.languages.javascript.flow.functions import Functions
from indexer.adapters.languages.javascript.flow.jsx import Jsx
from indexer.adapters.languages.javascript.flow.module_system import ModuleSystem
from indexer.adapters.languages.javascript.flow.objects import Objects
from indexer.adapters.languages.javascript.flow.patterns import Patterns
from indexer.adapters.languages.javascript.flow.scan import constructor_names, shared_names
from indexer.adapters.languages.javascript.flow.statements import Statements
from indexer.adapters.languages.javascript.flow.types import Types

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.javascript.symbols import JavaScriptSymbols
    from indexer.domain.linking.program import Program


class Walkers:
    """One of each walker."""

    def __init__(self, context: Context, constructors: frozenset[str]) -> None:
        self.context = context
        self.constructors = constructors
        self.expressions = Expressions(self)
        self.calls = Calls(self)
        self.classes = Classes(self)
        self.functions = Functions(self)
        self.jsx = Jsx(self)
        self.modules = ModuleSystem(self)
        self.objects = Objects(self)
        self.patterns = Patterns(self)
        self.statements = Statements(self)
        self.types = Types(self)


def build_program(root: Node, table: JavaScriptSymbols, path: str, module: str) -> Program:
    """
    Write the flow program of a module.

    Args:
        path: Of the file; relative imports are resolved against it.
        module: Importable name.
    """
    context = Context(table, path, module, shared_names(root))
    walkers = Walkers(context, constructor_names(root))
    walkers.statements.module(root)
    context.emitter.run_deferred()
    for parts in walkers.classes.every:
        context.emitter.set_detail(parts.scope, parts.detail())
    walkers.modules.finish()
    return context.emitter.finish(context.exports, tuple(context.stars))
