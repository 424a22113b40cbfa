"""State that the walkers of one file share: the current scope, all scopes, and deferred work."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from indexer.adapters.languages.emitter import Emitter
from indexer.adapters.languages.javascript.flow.environment import Binding, Block, Environment
from indexer.adapters.languages.syntax import line_of
from indexer.domain.linking.program import MODULE, NOTHING, Slot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from tree_sitter import Node

    from indexer.adapters.languages.javascript.flow.builder import Walkers
    from indexer.adapters.languages.javascript.flow.classes import ClassParts
    from indexer.adapters.languages.javascript.symbols import JavaScriptSymbols


class Context:
    """
    State of the walk through one file.

    Args:
        shared: Names that a function assigns without declaring them; each has one slot for all of its values.
    """

    def __init__(self, table: JavaScriptSymbols, path: str, module: str, shared: Collection[str]) -> None:
        self.table = table
        self.path = path
        self.emitter = Emitter()
        self.stars: list[str] = []
        self.classes: dict[str, ClassParts] = {}
        self.time = 0
        self._shared = shared
        self._exports: dict[str, Slot] = {}
        index = self.emitter.add_scope(MODULE, module, -1, 0, 1)
        self.module_environment = self.environment = Environment(index, None, self)
        self.block = self.root = Block(None)

    @contextmanager
    def inner_block(self) -> Iterator[Block]:
        """Enter a block; the names declared in it are dropped at its end."""
        around = self.block
        self.block = Block(around)
        yield self.block
        self.block = around

    def declare(self, name: str, block: Block | None = None) -> Binding:
        """Return the variable of a name in a block; create it if the name is new."""
        place = block or self.block
        found = place.names.get(name)
        if found is None:
            cell = self.emitter.slot() if name in self._shared else NOTHING
            found = place.names[name] = Binding(name, self.environment, cell)
        return found

    def lookup(self, name: str) -> Slot:
        """Find the slot of a name; names that the file does not declare are free."""
        binding = self.block.find(name)
        return self.environment.read(binding) if binding is not None else self.emitter.free(name)

    def assign(self, name: str, slot: Slot) -> None:
        """Bind a name; one that is declared nowhere becomes a global variable."""
        binding = self.block.find(name)
        if binding is None:
            binding = self.root.names[name] = Binding(name, self.module_environment, self.emitter.slot())
        self.environment.assign(binding, slot)

    def export_slot(self, name: str) -> Slot:
        """Return the slot of an exported name; it holds all values that are exported under the name."""
        found = self._exports.get(name)
        if found is None:
            found = self._exports[name] = self.emitter.slot()
        return found

    def export(self, name: str, slot: Slot) -> None:
        """Export a value."""
        if slot != NOTHING:
            self.emitter.copy(slot, self.export_slot(name))

    @property
    def exports(self) -> tuple[tuple[str, Slot], ...]:
        """Exported names with their slots."""
        return tuple(self._exports.items())

    def at(self, node: Node) -> tuple[int, int]:
        """Return the current scope and a node's line."""
        return self.environment.index, line_of(node)

    def symbol(self) -> int:
        """Return the symbol of the current scope."""
        return self.emitter.symbol_of(self.environment.index)


class Walker:
    """Walks one kind of construct; `Walkers` leads to the others."""

    def __init__(self, walkers: Walkers) -> None:
        self._walkers = walkers
        self._context = walkers.context
        self._emitter = walkers.context.emitter
