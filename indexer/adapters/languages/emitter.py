"""Collects the parts of a flow program."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from indexer.domain.linking.program import COPY, DEFINE, NAME, NOTHING, Instruction, Program, Scope, Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

K = TypeVar("K")
# Values that were stored or read under a constant key earlier in the same straight-line code.
Items: TypeAlias = dict[tuple[Slot, object], Slot]


class Emitter:
    """Collects instructions and scopes, and allocates slots."""

    def __init__(self) -> None:
        self._slots = 0
        self._code: list[Instruction] = []
        self._scopes: list[Scope] = []
        self._unions: dict[Slot, list[Slot]] = {}
        self._free: dict[str, Slot] = {}
        self._deferred: deque[Callable[[], None]] = deque()

    def slot(self) -> Slot:
        """Give a new slot."""
        self._slots += 1
        return self._slots - 1

    def emit(self, *instruction: object) -> None:
        """Add an instruction."""
        self._code.append(instruction)

    def filled(self, operation: int, *operands: object) -> Slot:
        """Add an instruction that fills a new slot, and give the slot."""
        slot = self.slot()
        self._code.append((operation, slot, *operands))
        return slot

    def free(self, name: str) -> Slot:
        """Give the slot of a name that the file does not bind."""
        if name not in self._free:
            self._free[name] = self.filled(NAME, name)
        return self._free[name]

    def copy(self, source: Slot, destination: Slot) -> None:
        """Let a slot hold what another one holds."""
        if source != NOTHING and destination != NOTHING and source != destination:
            self._code.append((COPY, destination, source))

    def define(self, index: int, slot: Slot | None = None) -> Slot:
        """Give a slot that holds the definition of a scope."""
        if slot is None:
            return self.filled(DEFINE, index)
        self._code.append((DEFINE, slot, index))
        return slot

    def union(self, slots: Iterable[Slot]) -> Slot:
        """Return a slot that holds the values of all `slots`."""
        known = list(dict.fromkeys(slot for slot in slots if slot != NOTHING))
        if len(known) < 2:
            return known[0] if known else NOTHING
        merged = self.slot()
        for slot in known:
            self._code.append((COPY, merged, slot))
        self._unions[merged] = known
        return merged

    def parts(self, slot: Slot) -> list[Slot]:
        """Return the slots that a union was made of, nested unions resolved; the slot itself if it is no union."""
        if slot not in self._unions:
            return [slot]
        return list(dict.fromkeys(inner for part in self._unions[slot] for inner in self.parts(part)))

    @property
    def place(self) -> tuple[int, int]:
        """The numbers of slots and of instructions so far."""
        return self._slots, len(self._code)

    def add_scope(self, kind: int, name: str, parent: int, symbol: int, line: int) -> int:
        """Reserve a place for a scope; its detail is filled in by `set_detail`."""
        self._scopes.append((kind, name, parent, symbol, line, ()))
        return len(self._scopes) - 1

    def set_detail(self, index: int, detail: tuple[object, ...]) -> None:
        """Complete a scope."""
        self._scopes[index] = (*self._scopes[index][:5], detail)

    def symbol_of(self, index: int) -> int:
        """Return the symbol that a scope belongs to."""
        return self._scopes[index][3]

    def defer(self, work: Callable[[], None]) -> None:
        """Put work off until the enclosing body has been walked."""
        self._deferred.append(work)

    def run_deferred(self) -> None:
        """Do all work that was put off, in order of arrival, including work that it defers itself."""
        while self._deferred:
            self._deferred.popleft()()

    def finish(self, exports: tuple[tuple[str, Slot], ...], stars: tuple[str, ...]) -> Program:
        """Return the program, and empty the code list: reference cycles keep the walkers alive for a while."""
        code = tuple(self._code)
        self._code.clear()
        return self._slots, tuple(self._scopes), exports, stars, code


class FlowState(Generic[K]):
    """
    The slots of names at this point of a function, class or module.

    Loops and `try` blocks are regions: a name that is assigned inside has a slot of its own there, which holds all the
    assigned values, because the order of the assignments is not known.

    Args:
        index: Position of the scope in the program.
    """

    def __init__(self, index: int, emitter: Emitter) -> None:
        self.index = index
        self.names: dict[K, Slot] = {}
        self.items: Items = {}
        self.own_class = -1
        self.result = NOTHING
        self.yielded = NOTHING
        self.parameters: dict[Slot, int] = {}
        self.passed: dict[int, None] = {}
        self._regions: list[dict[K, Slot]] = []
        self._emitter = emitter

    def bind(self, name: K, slot: Slot) -> None:
        """Bind a name from here on."""
        self.names[name] = slot
        for region in self._regions:
            if name in region:
                self._emitter.copy(slot, region[name])

    def joined(self, name: K, slot: Slot) -> None:
        """Handle a name that has a slot for several values from here on."""

    def enter_region(self, assigned: Iterable[K]) -> None:
        """Start a region in which the names `assigned` may get values in any order."""
        region: dict[K, Slot] = {}
        for name in assigned:
            merged = region[name] = self._emitter.slot()
            self._emitter.copy(self.names.get(name, NOTHING), merged)
            for around in self._regions:
                if name in around:
                    self._emitter.copy(merged, around[name])
            self.joined(name, merged)
        self._regions.append(region)
        self.items = {}
        self.names.update(region)

    def leave_region(self) -> dict[K, Slot]:
        """End the innermost region and return the slots of its names."""
        self.items = {}
        return self._regions.pop()

    def branch(self, branches: Iterable[Callable[[], bool]]) -> bool:
        """
        Walk alternative branches from the same state, and merge the states of those that end normally.

        Returns whether control never leaves any of them normally; each branch returns the same of itself.
        """
        names, items = self.names, self.items
        open_ends: list[tuple[dict[K, Slot], Items]] = []
        for walk in branches:
            self.names, self.items = dict(names), dict(items)
            if not walk():
                open_ends.append((self.names, self.items))
        if not open_ends:
            self.names, self.items = names, items
        self.merge(open_ends)
        return not open_ends

    def merge(self, branches: Sequence[tuple[dict[K, Slot], Items]]) -> None:
        """Merge the branches that join here; without any, the current values stay."""
        if not branches:
            return
        names, items = branches[0]
        for others, other_items in branches[1:]:
            for name, slot in others.items():
                known = names.get(name, NOTHING)
                if known != slot:
                    names[name] = merged = self._emitter.union([known, slot])
                    self.joined(name, merged)
            items = {key: slot for key, slot in items.items() if other_items.get(key) == slot}
        self.names, self.items = names, items
