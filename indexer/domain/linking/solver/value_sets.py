"""Sets of values, of which equal ones are one object: what millions of variables hold costs a reference each."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from indexer.domain.linking.solver.values import Function, Method, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# In order of insertion, without repetitions, and made by `ValueSets` only.
ValueSet: TypeAlias = tuple[Value, ...]
# What a set holds at most; of the surest tier, plain functions may be more (those under a popular decorator).
MAX_VALUES = 16
MAX_FUNCTIONS = 64
_MAX_REMEMBERED = 200_000


class Crowd:
    """
    Very many values, one by one: those that a call was seen with which may have any number of targets.

    Args:
        receivers: The first receiver of each function that is bound in them.
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
        """Take in a value."""
        self._values[value] = None
        if isinstance(value, Method):
            self.receivers.setdefault(value.function, value.receiver)


# What a place has seen, in order. A set up to `MAX_FUNCTIONS`: beyond that, making sets of sets takes too long.
Seen: TypeAlias = "ValueSet | Crowd"


class ValueSets:
    """
    Makes sets out of smaller ones.

    A set takes what comes until it is full; `most` is the size from which no set takes anything any more.
    """

    def __init__(self) -> None:
        self._values = MAX_VALUES
        self._functions = MAX_FUNCTIONS
        self.most = MAX_FUNCTIONS
        self._known: dict[ValueSet, ValueSet] = {}
        # By the identities of two sets, which stay what they are as no known set is ever forgotten.
        self._unions: dict[tuple[int, int], ValueSet] = {}

    @property
    def size(self) -> int:
        """How many values other than plain functions a set takes."""
        return self._values

    def forget(self) -> None:
        """Forget all sets."""
        self._unions.clear()
        self._known.clear()

    def limit_values(self, number: int) -> None:
        """Lower the limit of values in a set from here on, except for plain functions."""
        if number < self._values:
            self._values = number
            self._unions.clear()

    def limit_functions(self, number: int) -> None:
        """Let sets take fewer plain functions from here on."""
        if number < self._functions:
            self._functions = number
            self.most = max(number, self._values)
            self._unions.clear()

    def with_value(self, held: ValueSet, value: Value) -> ValueSet:
        """Give a set with one value more; the same set if it is full or has the value."""
        if len(held) >= (self._functions if value.__class__ is Function else self._values) or value in held:
            return held
        return self._extended(held, value)

    def seen(self, held: Seen, value: Value) -> Seen:
        """Give what has one value more, however many there are; it is not there yet."""
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
        """Give a set with the values of another one in addition, as far as they fit."""
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
        """Make the set that comes out when values are added one by one."""
        grown = [*held]
        for value in more:
            if len(grown) < (self._functions if value.__class__ is Function else self._values) and value not in grown:
                grown.append(value)
        found = tuple(grown)
        return held if len(found) == len(held) else self._known.setdefault(found, found)
