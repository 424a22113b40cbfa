"""Collects the instructions of a flow program, for languages whose names get a slot with each assignment."""

from __future__ import annotations

from indexer.domain.linking.program import COPY, NOTHING, Instruction, Slot


class Emitter:
    """Collects instructions and hands out slots."""

    def __init__(self) -> None:
        self.slots = 0
        self.code: list[Instruction] = []
        self._unions: dict[Slot, list[Slot]] = {}

    def slot(self) -> Slot:
        """Give a new slot."""
        self.slots += 1
        return self.slots - 1

    def emit(self, *instruction: object) -> None:
        """Add an instruction."""
        self.code.append(instruction)

    def union(self, slots: list[Slot]) -> Slot:
        """Give a slot that holds what any of `slots` holds."""
        known = list(dict.fromkeys(slot for slot in slots if slot != NOTHING))
        if len(known) < 2:
            return known[0] if known else NOTHING
        merged = self.slot()
        for slot in known:
            self.code.append((COPY, merged, slot))
        self._unions[merged] = known
        return merged

    def parts(self, slot: Slot) -> list[Slot]:
        """Give the slots that a union was made of, those of unions in it too; the slot itself if it is none."""
        if slot not in self._unions:
            return [slot]
        return list(dict.fromkeys(inner for part in self._unions[slot] for inner in self.parts(part)))
