"""Writes flow programs of statically typed languages: slots, scopes, and names in nested blocks."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from indexer.adapters.languages.emitter import Emitter
from indexer.domain.linking import program as op
from indexer.domain.linking.program import NOTHING, Slot

if TYPE_CHECKING:
    from collections.abc import Iterator


class Frame:
    """
    One function, lambda, class or module body while it is walked through.

    A variable has one slot for its whole scope, for all assignments: its declared type is mostly exact enough.

    Args:
        index: Position of its scope in the program.
        outer: The frame around it.
        this: Slot of the receiver; NOTHING without one.
        result: Slot of what is returned.
    """

    def __init__(self, index: int, outer: Frame | None, this: Slot = NOTHING, result: Slot = NOTHING) -> None:
        self.index = index
        self.outer = outer
        self.this = this
        self.result = result
        self.lambdas = 0
        self.blocks: list[dict[str, Slot]] = [{}]

    def bind(self, name: str, slot: Slot) -> None:
        """Declare a name in the innermost block."""
        self.blocks[-1][name] = slot

    def own(self, name: str) -> Slot | None:
        """Find a name declared in this frame."""
        for block in reversed(self.blocks):
            if name in block:
                return block[name]
        return None

    def find(self, name: str) -> Slot | None:
        """Find a name declared in this frame or around it, innermost first."""
        frame: Frame | None = self
        while frame is not None:
            found = frame.own(name)
            if found is not None:
                return found
            frame = frame.outer
        return None


class FlowWriter(Emitter):
    """Collects the parts of a flow program; `frame` is the function, class or module body that is being read."""

    def __init__(self) -> None:
        super().__init__()
        self.frame = Frame(0, None)

    @contextmanager
    def block(self) -> Iterator[None]:
        """Open a block; the names that are declared in it are dropped at its end."""
        self.frame.blocks.append({})
        yield
        self.frame.blocks.pop()

    def load(self, owner: Slot, name: str, line: int) -> Slot:
        """Read an attribute."""
        if owner == NOTHING:
            return NOTHING
        return self.filled(op.LOAD, owner, name, self.frame.index, line)

    def call(
        self,
        callee: Slot,
        arguments: tuple[Slot, ...],
        written: str,
        line: int,
        receiver: Slot = NOTHING,
        attribute: str = "",
        keywords: tuple[tuple[str, Slot], ...] = (),
        given: tuple[str, ...] = (),
    ) -> Slot:
        """Call the value of a slot and return the slot of the result."""
        where = (self.frame.index, line)
        types = (given,) if given else ()
        return self.filled(op.CALL, callee, arguments, keywords, written, *where, receiver, attribute, *types)

    def store(self, owner: Slot, name: str, value: Slot, line: int) -> None:
        """Set an attribute."""
        if owner != NOTHING and value != NOTHING:
            self.emit(op.STORE, owner, name, value, self.frame.index, line)

    def item(self, owner: Slot, line: int) -> Slot:
        """Read an element of a container, whatever its index or key."""
        if owner == NOTHING:
            return NOTHING
        return self.filled(op.GET_ITEM, owner, None, NOTHING, self.frame.index, line)

    def set_item(self, owner: Slot, value: Slot, line: int) -> None:
        """Set an element of a container, whatever its index or key."""
        if owner != NOTHING and value != NOTHING:
            self.emit(op.SET_ITEM, owner, None, NOTHING, value, self.frame.index, line)

    def iterate(self, owner: Slot, line: int) -> Slot:
        """Return a slot for the items of an iteration; it is empty if nothing is known of the iterable."""
        if owner == NOTHING:
            return self.slot()
        return self.filled(op.ITERATE, owner, self.frame.index, line)

    def narrow(self, value: Slot, cls: Slot, line: int) -> Slot:
        """Narrow a value to a class."""
        return self.filled(op.NARROW, value, cls, self.frame.index, line)

    def instance(self, cls: Slot, line: int) -> Slot:
        """Give a slot that holds an instance of a class."""
        return self.filled(op.INSTANCE, cls, self.frame.index, line)

    def declare(self, slot: Slot, cls: Slot, line: int, *, unless_known: Slot = NOTHING) -> None:
        """Let a slot hold instances of its declared class; with `unless_known`, only if that slot holds nothing."""
        if slot != NOTHING and cls != NOTHING:
            self.emit(op.DECLARE, slot, cls, unless_known, self.frame.index, line)

    def container(self, kind: int, element: Slot, slot: Slot | None = None) -> Slot:
        """Let a slot, or a new one, hold a container whose elements are the values of `element`; return it."""
        slot = self.slot() if slot is None else slot
        self.emit(op.CONTAINER, slot, kind, ((None, element),) if element != NOTHING else (), ())
        return slot

    def next_lambda(self) -> str:
        """Return a name for the next anonymous function of the current frame."""
        self.frame.lambdas += 1
        return f"<lambda{self.frame.lambdas}>"
