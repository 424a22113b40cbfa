"""Propagates values between variables until a fixed point is reached."""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, Any, TypeAlias

from indexer.domain.failures import Failures
from indexer.domain.linking.solver.value_sets import ValueSets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from indexer.domain.linking.solver.value_sets import ValueSet
    from indexer.domain.linking.solver.values import Value, Variable

# (function, argument): called as `function(argument, value)`.
Reaction: TypeAlias = "tuple[Callable[[Any, Value], None], Any]"
# A variable to copy to, a reaction, or only the argument of the reaction that `expect` set for its class.
Use: TypeAlias = Any
# If there are more copied values than this for each variable, values flow everywhere and large sets cost more than they
# tell: from there on variables take only `FEW_VALUES`.
MAX_COPIES = 6
FEW_VALUES = 3


class Solver:
    """
    Inclusion constraints over small value sets (Andersen, 1994), solved variable by variable.

    A variable keeps only the first values that reach it, up to the limits of the sets: more of them tell nothing.
    """

    def __init__(self) -> None:
        self.sets = ValueSets()
        self.values: list[ValueSet] = []
        # By variable; without a list where there is one use (the use itself) or none, as for most.
        self._uses: list[list[Use] | Use | None] = []
        self._usual: dict[type, Callable[[Any, Value], None]] = {}
        self._reacting: dict[Callable[[Any, Value], None], Callable[[Any, Value], None]] = {}
        # By variable: number of its values that were passed on to its uses; 0 without uses.
        self._passed = bytearray()
        self._once: set[tuple[Variable, Callable[[Any, Value], None], object]] = set()
        self._copies = 0
        # Work done so far, in recorded uses and passed values, and the limit of it.
        self.steps = 0
        self.limit = sys.maxsize
        self.failures = Failures()
        self._work: deque[Variable] = deque()
        self._late: deque[tuple[Use, ValueSet]] = deque()

    @property
    def is_spent(self) -> bool:
        """Return whether more steps were taken than the limit allows."""
        return self.steps > self.limit

    def variable(self) -> Variable:
        """Make a variable."""
        self.values.append(())
        self._uses.append(None)
        self._passed.append(0)
        return len(self.values) - 1

    def variables(self, count: int) -> Variable:
        """Make several consecutive variables and return the first."""
        first = len(self.values)
        self.values.extend([()] * count)
        self._uses.extend([None] * count)
        self._passed.extend(bytes(count))
        return first

    def union(self, variables: Iterable[Variable]) -> Variable:
        """Make a variable that holds the values of several others."""
        found = self.variable()
        for each in variables:
            self.copy(each, found)
        return found

    def settle(self) -> None:
        """Drop the dependencies between slots; the solution is final."""
        self._uses.clear()
        self._once.clear()

    def release(self) -> None:
        """Forget everything."""
        self.settle()
        self.values.clear()
        self.sets.forget()

    def add(self, variable: Variable, value: Value) -> None:
        """Let a variable hold a value."""
        held = self.values[variable]
        grown = self.sets.with_value(held, value)
        if grown is not held:
            self._grow(variable, held, grown)

    def copy(self, source: Variable, destination: Variable) -> None:
        """Let all values of one variable flow to another, now and later."""
        there = self.values[destination]
        if source == destination or len(there) >= self.sets.most:
            return
        self._use(source, destination)
        if held := self.values[source]:
            grown = self.sets.union(there, held)
            if grown is not there:
                self._grow(destination, there, grown)

    def expect(self, react: Callable[[Any, Value], None], *kinds: type) -> None:
        """Store `react` with less memory for arguments of some classes, which must not be tuples, lists or numbers."""
        self._usual.update(dict.fromkeys(kinds, react))

    def watch(self, variable: Variable, react: Callable[[Any, Value], None], argument: object) -> None:
        """Have `react(argument, value)` called for each value that a variable holds, now and later."""
        is_usual = self._usual.get(argument.__class__) == react
        reaction = argument if is_usual else (self._reacting.setdefault(react, react), argument)
        self._use(variable, reaction)
        if passed := self._passed[variable]:
            self._late.append((reaction, self.values[variable][:passed]))

    def watch_once(self, variable: Variable, react: Callable[[Any, Value], None], argument: object) -> None:
        """Watch, except if already watched with equal arguments: for reactions that may cause themselves again."""
        key = (variable, react, argument)
        if key not in self._once:
            self._once.add(key)
            self.watch(variable, react, argument)

    def run(self) -> None:
        """
        Propagate until a fixed point or the limit of steps is reached; at the limit all waiting work is dropped.

        If a reaction raises an exception, it and the remaining uses of the same values are dropped.
        """
        while self._work or self._late:
            with self.failures.contained():
                self._run()

    def _run(self) -> None:
        work, late = self._work, self._late
        while work or late:
            if self.steps > self.limit:
                work.clear()
                late.clear()
            elif late:
                use, held = late.popleft()
                self.steps += len(held)
                react, argument = self._reaction(use)
                for value in held:
                    react(argument, value)
            else:
                self._pass_on(work.popleft())

    def _reaction(self, use: Use) -> Reaction:
        return use if use.__class__ is tuple else (self._usual[use.__class__], use)

    def _use(self, variable: Variable, use: Use) -> None:
        """Record a use; a first one counts as having received all present values, others those passed on so far."""
        self.steps += 1
        uses = self._uses[variable]
        if uses is None:
            self._uses[variable] = use
            self._passed[variable] = len(self.values[variable])
        elif uses.__class__ is list:
            uses.append(use)
        else:
            self._uses[variable] = [uses, use]

    def _grow(self, variable: Variable, held: ValueSet, grown: ValueSet) -> None:
        self.values[variable] = grown
        if self._uses[variable] is not None and self._passed[variable] == len(held):
            self._work.append(variable)  # else it is in the queue already

    def _pass_on(self, variable: Variable) -> None:
        """Pass a variable's new values on to its uses."""
        uses = self._uses[variable]
        assert uses is not None  # only variables with uses are queued
        uses = uses.copy() if isinstance(uses, list) else [uses]
        held = self.values[variable]
        new = held[self._passed[variable] :]
        self._passed[variable] = len(held)
        self._note_copies(len(uses) * len(new))
        all_values, all_uses, passed = self.values, self._uses, self._passed
        union, most, usual = self.sets.union, self.sets.most, self._usual
        full = 0
        for use in uses:
            if use.__class__ is int:
                there = all_values[use]
                if there is held:
                    continue
                if len(there) >= most:
                    full += 1
                    continue
                grown = union(there, held)
                if grown is not there:
                    all_values[use] = grown
                    if all_uses[use] is not None and passed[use] == len(there):
                        self._work.append(use)
            else:
                react, argument = use if use.__class__ is tuple else (usual[use.__class__], use)
                for value in new:
                    react(argument, value)
        if full > len(uses) // 2:
            self._drop_full(variable)

    def _drop_full(self, variable: Variable) -> None:
        """Remove the uses that are copies to full variables."""
        uses = self._uses[variable]
        if isinstance(uses, list):
            most, values = self.sets.most, self.values
            uses[:] = [use for use in uses if not isinstance(use, int) or len(values[use]) < most]

    def _note_copies(self, number: int) -> None:
        self._copies += number
        self.steps += number
        if self._copies > MAX_COPIES * len(self.values):
            self.sets.limit_values(FEW_VALUES)
