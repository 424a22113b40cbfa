"""Scopes: the declaration of each name, and the slot of its value at this point of the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.emitter import FlowState
from indexer.domain.linking.program import NOTHING, Slot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.adapters.languages.javascript.flow.context import Context


class Binding:
    """
    One declared name.

    Args:
        home: The function (or module) whose variable it is.
        cell: Its one slot for all of its values if inner functions assign to it; else NOTHING.
        history: (time, slot) of every assignment.
    """

    __slots__ = ("cell", "history", "home", "name")

    def __init__(self, name: str, home: Environment, cell: Slot) -> None:
        self.name = name
        self.home = home
        self.cell = cell
        self.history: list[tuple[int, Slot]] = []


class Block:
    """The names of one block, inside those of the block around it."""

    __slots__ = ("names", "outer")

    def __init__(self, outer: Block | None) -> None:
        self.outer = outer
        self.names: dict[str, Binding] = {}

    def find(self, name: str) -> Binding | None:
        """Return the variable that a name refers to in this scope."""
        block: Block | None = self
        while block is not None:
            found = block.names.get(name)
            if found is not None:
                return found
            block = block.outer
        return None


class Environment(FlowState[Binding]):
    """
    The state of one function or module.

    Args:
        outer: The function or module around it; None for the module itself.
        context: Its time now is that at which the function was created.
    """

    def __init__(self, index: int, outer: Environment | None, context: Context) -> None:
        super().__init__(index, context.emitter)
        self.outer = outer
        self.birth = context.time
        self.this = NOTHING
        self.named: list[tuple[str, Slot]] = []
        self.rest = NOTHING
        self.is_static = False
        self.arrows = 0
        self.anonymous = 0
        self._context = context
        self._captured: dict[Binding, Slot] = {}

    def assign(self, binding: Binding, slot: Slot) -> None:
        """Bind a name from here on."""
        if binding.cell != NOTHING:
            self._emitter.copy(slot, binding.cell)
            return
        self.joined(binding, slot)
        self.bind(binding, slot)

    def joined(self, name: Binding, slot: Slot) -> None:
        """Keep the slot in the history of the name."""
        name.history.append((self._context.time, slot))

    def read(self, binding: Binding) -> Slot:
        """Return the slot of a name's value."""
        if binding.cell != NOTHING:
            return binding.cell
        if binding.home is self:
            return self.names.get(binding, NOTHING)
        found = self._captured.get(binding)
        if found is None:
            found = self._captured[binding] = self._capture(binding)
        return found

    def _capture(self, binding: Binding) -> Slot:
        """Return the last value of a name before the inner function was created, and all values assigned later."""
        inner = self
        while inner.outer is not None and inner.outer is not binding.home:
            inner = inner.outer
        before = [slot for time, slot in binding.history if time < inner.birth][-1:]
        after = [slot for time, slot in binding.history if time >= inner.birth]
        return self._emitter.union([*before, *after])

    def enter_region(self, assigned: Iterable[Binding]) -> None:
        """Start a region in which some names may get values in any order."""
        super().enter_region(each for each in assigned if each.cell == NOTHING and each.home is self)

    def leave_region(self) -> dict[Binding, Slot]:
        """End the innermost region; its names keep their slots from the region."""
        region = super().leave_region()
        self.names.update(region)
        return region
