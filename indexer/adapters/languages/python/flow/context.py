"""State that the walkers of one file share: the current scope, all scopes, and deferred work."""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TYPE_CHECKING

from indexer.adapters.languages.emitter import Emitter
from indexer.domain.linking.program import CLASS, Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.adapters.languages.python.flow.definitions import Definitions
    from indexer.adapters.languages.python.flow.environment import Environment
    from indexer.adapters.languages.python.flow.expressions import Expressions
    from indexer.adapters.languages.python.symbols import PythonSymbols


class Context:
    """State of the walk through one file."""

    definitions: Definitions
    environment: Environment
    module_environment: Environment

    def __init__(self, table: PythonSymbols) -> None:
        self.table = table
        self.emitter = Emitter()
        self.stars: list[str] = []
        self.global_names: dict[str, None] = {}
        # By symbol: names that nested functions declare `nonlocal`.
        self.nonlocal_names: defaultdict[int, set[str]] = defaultdict(set)
        self._classes: dict[int, Slot] = {}
        for position, nodes in table.own.items():
            for node in nodes:
                if node.__class__ is ast.Global:
                    self.global_names.update(dict.fromkeys(node.names))
                elif node.__class__ is ast.Nonlocal:
                    self._note_nonlocal(table.symbols[position].parent, node.names)

    def _note_nonlocal(self, position: int, names: Sequence[str]) -> None:
        while position >= 0:
            self.nonlocal_names[position].update(names)
            position = self.table.symbols[position].parent

    def remember_class(self, scope: int, slot: Slot) -> None:
        """Note which slot holds the class of a scope."""
        self._classes[scope] = slot

    def class_slot(self, scope: int) -> Slot:
        """Return the slot that holds the class of a scope."""
        return self._classes[scope]

    def next_lambda(self) -> str:
        """Name the next lambda of the scope; those in a class body count with the scope around it."""
        environment = self.environment
        while environment.kind == CLASS and environment.outer is not None:
            environment = environment.outer
        environment.lambdas += 1
        return f"<lambda{environment.lambdas}>"

    def lookup(self, name: str) -> Slot:
        """Find the slot of a name by Python's scoping rules; NOTHING if its value is not followed."""
        environment = self.environment
        if name not in environment.globals:
            found = environment.cells.get(name)
            if found is None:
                found = environment.names.get(name)
            if found is None:
                found = environment.captured(name)
            if found is not None:
                return found
        module = self.module_environment
        found = module.cells.get(name)
        if found is None:
            found = module.names.get(name)
        return found if found is not None else self.emitter.free(name)

    def assign(self, name: str, slot: Slot) -> None:
        """Bind a name in the current scope, or in that of `global` and `nonlocal`."""
        environment = self.environment
        if name in environment.globals:
            self.module_environment.assign(name, slot)
        else:
            environment.assign(name, slot)

    def at(self, node: ast.expr | ast.stmt | ast.pattern) -> tuple[int, int]:
        """Return the current scope and a node's line."""
        return self.environment.index, node.lineno


class Walker:
    """Walks one kind of construct, with the expressions in it."""

    def __init__(self, context: Context, expressions: Expressions) -> None:
        self._context = context
        self._emitter = context.emitter
        self._expressions = expressions
