"""Walks a module, then the bodies of its functions, and puts the program together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.flow.context import Context
from indexer.adapters.languages.javascript.flow.scan import constructor_names, shared_names
from indexer.adapters.languages.javascript.flow.walkers import Walkers

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.javascript.symbols import JavaScriptSymbols
    from indexer.domain.linking.program import Program


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
    context.deferred.run()
    for parts in walkers.classes.every:
        context.emitter.set_detail(parts.scope, parts.detail())
    walkers.modules.finish()
    return context.emitter.finish(context.exports, tuple(context.stars))
