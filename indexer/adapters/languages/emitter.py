"""Collects the parts of a flow program."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from indexer.domain.linking.program import COPY, DEFINE, NOTHING, Instruction, Program, Scope, Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Emitter:
    """Collects instructions and scopes, and allocates slots."""

    def __init__(self) -> None:
        self._slots = 0
        self._code: list[Instruction] = []
        self._scopes: list[Scope] = []
        self._unions: dict[Slot, list[Slot]] = {}

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

    def finish(self, exports: tuple[tuple[str, Slot], ...], stars: tuple[str, ...]) -> Program:
        """Return the program, and empty the code list: reference cycles keep the walkers alive for a while."""
        code = tuple(self._code)
        self._code.clear()
        return self._slots, tuple(self._scopes), exports, stars, code


class Deferred:
    """Work that is put off until the enclosing body has been walked; done in order of arrival."""

    def __init__(self) -> None:
        self._work: deque[Callable[[], None]] = deque()

    def add(self, work: Callable[[], None]) -> None:
        """Defer a piece of work."""
        self._work.append(work)

    def run(self) -> None:
        """Run all deferred work, including work that it defers itself."""
        while self._work:
            self._work.popleft()()
