"""Names in one scope: which slot holds each of them at this point of the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.emitter import FlowState
from indexer.domain.linking.program import MODULE, NOTHING, Slot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.adapters.languages.emitter import Emitter


class Environment(FlowState[str]):
    """
    The names of one scope.

    Args:
        kind: As in the program.
        outer: The function around it, None at module level.
    """

    def __init__(self, index: int, kind: int, outer: Environment | None, emitter: Emitter) -> None:
        super().__init__(index, emitter)
        self.kind = kind
        self.outer = outer
        self.cells: dict[str, Slot] = {}
        self.globals: set[str] = set()
        self.log: list[tuple[str, Slot]] = []
        self.lambdas = 0
        self.first_parameter = NOTHING
        self._outer_names: dict[str, Slot] = dict(outer.names) if outer else {}
        self._outer_log = len(outer.log) if outer else 0
        self._captured: dict[str, Slot] = {}

    def assign(self, name: str, slot: Slot) -> None:
        """Bind a name from here on."""
        if name in self.cells:
            self._emitter.copy(slot, self.cells[name])
            return
        self.bind(name, slot)
        self.log.append((name, slot))

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

    def enter_region(self, assigned: Iterable[str]) -> None:
        """Start a region in which the names `assigned` may get values in any order."""
        super().enter_region(name for name in assigned if name not in self.cells and name not in self.globals)

    @property
    def is_in_class(self) -> bool:
        """Whether this is the scope of a method or within one."""
        return self.own_class >= 0 or (self.outer is not None and self.outer.is_in_class)

    @property
    def is_module(self) -> bool:
        """Whether this is the module's own scope."""
        return self.kind == MODULE
