"""Propagates values between variables until nothing changes."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, TypeAlias

from indexer.domain.linking.values import Function

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.domain.linking.values import Value, Variable

# Called with its second part and a value.
Reaction: TypeAlias = "tuple[Callable[[Any, Value], None], Any]"
# A variable to copy to, or a reaction.
Use: TypeAlias = "int | Reaction"
# What a variable holds at most; of the surest tier, plain functions may be more (those under a popular decorator).
MAX_VALUES = 16
MAX_FUNCTIONS = 64
# Where values are copied more often than this for each variable, everything flows everywhere and no set is worth its
# cost: from there on variables take only a few.
MAX_COPIES = 6
FEW_VALUES = 3


class Solver:
    """
    Inclusion constraints over small value sets (Andersen, 1994), solved value by value.

    A variable takes the first `limit` values that reach it and no more: what can be anything tells nothing.
    """

    def __init__(self) -> None:
        self.limit = MAX_VALUES
        self.function_limit = MAX_FUNCTIONS
        self._copies = 0
        self.values: list[dict[Value, None]] = []
        self._uses: list[list[Use]] = []
        self._work: deque[tuple[Variable, Value]] = deque()
        self._late: deque[tuple[Reaction, Value]] = deque()

    def variable(self) -> Variable:
        """Make a variable."""
        self.values.append({})
        self._uses.append([])
        return len(self.values) - 1

    def variables(self, count: int) -> Variable:
        """Make several variables and give the first."""
        first = len(self.values)
        self.values.extend([{} for _ in range(count)])
        self._uses.extend([[] for _ in range(count)])
        return first

    def release(self) -> None:
        """Forget everything."""
        self.values.clear()
        self._uses.clear()

    def add(self, variable: Variable, value: Value) -> None:
        """Let a variable hold a value."""
        held = self.values[variable]
        if value not in held and len(held) < (self.function_limit if value.__class__ is Function else self.limit):
            held[value] = None
            if self._uses[variable]:
                self._work.append((variable, value))

    def copy(self, source: Variable, destination: Variable) -> None:
        """Let a variable hold all that another one holds, now and later."""
        if source != destination:
            self._uses[source].append(destination)
            for value in self.values[source]:
                self.add(destination, value)

    def watch(self, variable: Variable, react: Callable[[Any, Value], None], argument: object) -> None:
        """Have `react(argument, value)` called for each value that a variable holds, now and later."""
        use = (react, argument)
        self._uses[variable].append(use)
        for value in self.values[variable]:
            self._late.append((use, value))

    def run(self) -> None:
        """Go on until no value moves any more."""
        limit = self.limit
        work, late, all_uses, all_values = self._work, self._late, self._uses, self.values
        while work or late:
            while late:
                (react, argument), value = late.popleft()
                react(argument, value)
            if not work:
                continue
            variable, value = work.popleft()
            self._copies += len(all_uses[variable])
            if self._copies > MAX_COPIES * len(all_values):
                self.limit = limit = min(self.limit, FEW_VALUES)
            room = self.function_limit if value.__class__ is Function else limit
            for use in list(all_uses[variable]):
                if isinstance(use, int):
                    held = all_values[use]
                    if value not in held and len(held) < room:
                        held[value] = None
                        if all_uses[use]:
                            work.append((use, value))
                else:
                    use[0](use[1], value)
