"""Names in one scope: which slot holds each of them at this point of the code."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from indexer.domain.linking.program import MODULE, NOTHING, Slot

if TYPE_CHECKING:
    from indexer.adapters.languages.emitter import Emitter

Names: TypeAlias = dict[str, Slot]
# Items that were stored or read under a constant key earlier in the same straight-line code.
Items: TypeAlias = dict[tuple[Slot, object], Slot]


class Environment:
    """
    The names of one scope.

    Loops and `try` blocks are regions: a name that is assigned inside has a slot of its own there, which holds all the
    assigned values, because the order of the assignments is not known.

    Args:
        index: Position of the scope in the program.
        kind: As in the program.
        outer: The function around it, None at module level.
        class_scope: The class whose body this is, or whose method.
    """

    def __init__(self, index: int, kind: int, outer: Environment | None, emitter: Emitter) -> None:
        self.index = index
        self.kind = kind
        self.outer = outer
        self.names: Names = {}
        self.items: Items = {}
        self.cells: Names = {}
        self.globals: set[str] = set()
        self.regions: list[Names] = []
        self.log: list[tuple[str, Slot]] = []
        self.lambdas = 0
        self.own_class = -1
        self.first_parameter = NOTHING
        self.result = NOTHING
        self.yielded = NOTHING
        self.parameters: dict[Slot, int] = {}
        self.passed: dict[int, None] = {}
        self._emitter = emitter
        self._outer_names: Names = dict(outer.names) if outer else {}
        self._outer_log = len(outer.log) if outer else 0
        self._captured: Names = {}

    def assign(self, name: str, slot: Slot) -> None:
        """Bind a name from here on."""
        if name in self.cells:
            self._emitter.copy(slot, self.cells[name])
            return
        self.names[name] = slot
        self.log.append((name, slot))
        for region in self.regions:
            if name in region:
                self._emitter.copy(slot, region[name])

    def captured(self, name: str) -> Slot | None:
        """
        Find a name of the functions around this one.

        Its slot holds the last value before this scope was created, and all later ones; None if it is not bound.
        """
        if name in self._captured:
            return self._captured[name]
        outer = self.outer
        if outer is None:
            return None
        if name in outer.cells:
            return outer.cells[name]
        slots = [self._outer_names[name]] if name in self._outer_names else []
        slots += [slot for known, slot in outer.log[self._outer_log :] if known == name]
        if not slots:
            return outer.captured(name)
        self._captured[name] = found = self._emitter.union(slots)
        return found

    def enter_region(self, assigned: dict[str, None]) -> None:
        """Start a region in which the names `assigned` may get values in any order."""
        region: Names = {}
        for name in assigned:
            if name in self.cells or name in self.globals:
                continue
            merged = region[name] = self._emitter.slot()
            self._emitter.copy(self.names.get(name, NOTHING), merged)
            for around in self.regions:
                if name in around:
                    self._emitter.copy(merged, around[name])
        self.regions.append(region)
        self.items = {}
        self.names.update(region)

    def leave_region(self) -> Names:
        """End the innermost region and return the slots of its names."""
        self.items = {}
        return self.regions.pop()

    def merge(self, branches: list[tuple[Names, Items]]) -> None:
        """Merge the branches that join here; without any, the current values stay."""
        if not branches:
            return
        names, items = branches[0]
        for others, other_items in branches[1:]:
            if others is not names:
                for name, slot in others.items():
                    if names.get(name, NOTHING) != slot:
                        names[name] = self._emitter.union([names.get(name, NOTHING), slot])
            items = {key: slot for key, slot in items.items() if other_items.get(key) == slot}
        self.names, self.items = names, items

    @property
    def is_in_class(self) -> bool:
        """Whether this is the scope of a method or within one."""
        return self.own_class >= 0 or (self.outer is not None and self.outer.is_in_class)

    @property
    def is_module(self) -> bool:
        """Whether this is the module's own scope."""
        return self.kind == MODULE
