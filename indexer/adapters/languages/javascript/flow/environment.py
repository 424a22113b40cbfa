"""Scopes: the declaration of each name, and the slot of its value at this point of the code."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from indexer.domain.linking.program import NOTHING, Slot

if TYPE_CHECKING:
    from indexer.adapters.languages.emitter import Emitter

Values: TypeAlias = "dict[Binding, Slot]"
# Values that were stored under a constant key earlier in the same straight-line code.
Items: TypeAlias = dict[tuple[Slot, object], Slot]


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


class Environment:
    """
    The state of one function or module.

    Loops and `try` blocks are regions: a name that is assigned inside has a slot of its own there, which holds all the
    assigned values, because the order of the assignments is not known.

    Args:
        index: Position of the scope in the program.
        outer: The function or module around it; None for the module itself.
        birth: Time at which the function was created.
    """

    def __init__(self, index: int, outer: Environment | None, emitter: Emitter, birth: int) -> None:
        self.index = index
        self.outer = outer
        self.birth = birth
        self.values: Values = {}
        self.items: Items = {}
        self.regions: list[Values] = []
        self.this = NOTHING
        self.result = NOTHING
        self.yielded = NOTHING
        self.own_class = -1
        self.is_static = False
        self.arrows = 0
        self.anonymous = 0
        self.parameters: dict[Slot, int] = {}
        self.passed: dict[int, None] = {}
        self._emitter = emitter
        self._captured: Values = {}

    def assign(self, binding: Binding, slot: Slot, time: int) -> None:
        """Bind a name from here on."""
        if binding.cell != NOTHING:
            self._emitter.copy(slot, binding.cell)
            return
        self.values[binding] = slot
        binding.history.append((time, slot))
        for region in self.regions:
            if binding in region:
                self._emitter.copy(slot, region[binding])

    def read(self, binding: Binding) -> Slot:
        """Return the slot of a name's value."""
        if binding.cell != NOTHING:
            return binding.cell
        if binding.home is self:
            return self.values.get(binding, NOTHING)
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

    def enter_region(self, assigned: list[Binding], time: int) -> None:
        """Start a region in which some names may get values in any order."""
        region: Values = {}
        for binding in assigned:
            if binding.cell != NOTHING or binding.home is not self:
                continue
            merged = region[binding] = self._emitter.slot()
            self._emitter.copy(self.values.get(binding, NOTHING), merged)
            for around in self.regions:
                if binding in around:
                    self._emitter.copy(merged, around[binding])
            binding.history.append((time, merged))
        self.regions.append(region)
        self.items = {}
        self.values.update(region)

    def leave_region(self) -> None:
        """End the innermost region; its names keep their slots from the region."""
        self.items = {}
        self.values.update(self.regions.pop())

    def merge(self, branches: list[tuple[Values, Items]], time: int) -> None:
        """Merge the branches that join here; without any, the current values stay."""
        if not branches:
            return
        values, items = branches[0]
        for others, other_items in branches[1:]:
            for binding, slot in others.items():
                known = values.get(binding, NOTHING)
                if known != slot:
                    values[binding] = merged = self._emitter.union([known, slot])
                    binding.history.append((time, merged))
            items = {key: slot for key, slot in items.items() if other_items.get(key) == slot}
        self.values, self.items = values, items
