"""Walks a module, then the bodies of its functions, and puts the program together."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.flow.context import Context
from indexer.adapters.languages.javascript.flow.scan import constructor_names, shared_names
from indexer.adapters.languages.javascript.flow.walkers import Walkers

if TYPE_CHECKING:
    from tree_sitter import Node

    from indexer.adapters.languages.javascript.symbols import SymbolTable
    from indexer.domain.linking.program import Program


def build_program(root: Node, table: SymbolTable, path: str, module: str) -> Program:
    """
    Write the flow program of a module.

    Args:
        path: Of the file; relative imports are resolved against it.
        module: Importable name.
    """
    context = Context(table, path, module, shared_names(root))
    walkers = Walkers(context, constructor_names(root))
    walkers.statements.module(root)
    pending = deque(context.take_deferred())
    while pending:
        pending.popleft()()
        pending.extend(context.take_deferred())
    for parts in walkers.classes.every:
        context.set_detail(parts.scope, parts.detail())
    walkers.modules.finish()
    emitter = context.emitter
    return emitter.slots, tuple(context.scopes), context.exports, tuple(context.stars), tuple(emitter.code)
