"""Immutable sets of values; equal ones are one object, so that each of millions of variables costs a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from indexer.domain.linking.solver.values import Function, Method, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# In order of insertion, without repetitions, and made by `ValueSets` only.
ValueSet: TypeAlias = tuple[Value, ...]
# Greatest size of a set. In the tier STATIC plain functions are added up to the second limit, as a popular decorator
# has many.
MAX_VALUES = 16
MAX_FUNCTIONS = 64
_MAX_REMEMBERED = 200_000


class Crowd:
    """
    A mutable set of more than `MAX_FUNCTIONS` values that were called at one site.

    Args:
        receivers: For each function with bound methods in the set, the first receiver.
    """

    __slots__ = ("_values", "receivers")

    def __init__(self, values: Iterable[Value]) -> None:
        self._values: dict[Value, None] = {}
        self.receivers: dict[Function, Value] = {}
        for value in values:
            self.add(value)

    def __contains__(self, value: Value) -> bool:
        return value in self._values

    def __iter__(self) -> Iterator[Value]:
        return iter([*self._values])

    def add(self, value: Value) -> None:
        """Add a value."""
        self._values[value] = None
        if isinstance(value, Method):
            self.receivers.setdefault(value.function, value.receiver)


# Values called at a site, in order. Up to `MAX_FUNCTIONS` a shared set; beyond that, sharing takes too long.
Seen: TypeAlias = "ValueSet | Crowd"


class ValueSets:
    """
    Makes sets by adding to smaller ones.

    A set takes values until it is full; `most` is the size at which a set takes no value of any kind.
    """

    def __init__(self) -> None:
        self._values = MAX_VALUES
        self._functions = MAX_FUNCTIONS
        self.most = MAX_FUNCTIONS
        self._known: dict[ValueSet, ValueSet] = {}
        # By id() of two sets; ids stay valid, as `_known` keeps all sets alive.
        self._unions: dict[tuple[int, int], ValueSet] = {}

    @property
    def size(self) -> int:
        """Size up to which a set takes values other than plain functions."""
        return self._values

    def forget(self) -> None:
        """Release all sets."""
        self._unions.clear()
        self._known.clear()

    def limit_values(self, number: int) -> None:
        """Lower the limit for values other than plain functions from here on."""
        if number < self._values:
            self._values = number
            self._unions.clear()

    def limit_functions(self, number: int) -> None:
        """Lower the limit for plain functions from here on."""
        if number < self._functions:
            self._functions = number
            self.most = max(number, self._values)
            self._unions.clear()

    def with_value(self, held: ValueSet, value: Value) -> ValueSet:
        """Return a set with one more value; the same set if it is full or has the value."""
        if len(held) >= (self._functions if value.__class__ is Function else self._values) or value in held:
            return held
        return self._extended(held, value)

    def seen(self, held: Seen, value: Value) -> Seen:
        """Return `held` with one more value, which it must not contain yet, without limit of size."""
        if not isinstance(held, Crowd):
            if len(held) < MAX_FUNCTIONS:
                return self._extended(held, value)
            held = Crowd(held)
        held.add(value)
        return held

    def _extended(self, held: ValueSet, value: Value) -> ValueSet:
        grown = (*held, value)
        return self._known.setdefault(grown, grown)

    def union(self, held: ValueSet, more: ValueSet) -> ValueSet:
        """Return a set with the values of a second one added, until it is full."""
        if held is more or not more:
            return held
        if not held and len(more) <= self._values:
            return more
        key = (id(held), id(more))
        found = self._unions.get(key)
        if found is None:
            found = self._united(held, more)
            if len(self._unions) >= _MAX_REMEMBERED:
                self._unions.clear()
            self._unions[key] = found
        return found

    def _united(self, held: ValueSet, more: ValueSet) -> ValueSet:
        """Return the union as if values were added one by one."""
        grown = [*held]
        for value in more:
            if len(grown) < (self._functions if value.__class__ is Function else self._values) and value not in grown:
                grown.append(value)
        found = tuple(grown)
        return held if len(found) == len(held) else self._known.setdefault(found, found)
