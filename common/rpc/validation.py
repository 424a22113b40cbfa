"""Collects all violations of a request, so that the caller gets them at once."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from common.core.errors import InvalidArgument, Violation
from common.core.words.numbers import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")


class Violations:
    """
    The wrong fields of one request.

    Fields are named by their path in the message: `options.max_passes`, `ids[2]`.
    """

    def __init__(self) -> None:
        self._found: list[Violation] = []

    def __bool__(self) -> bool:
        """Return whether any field is wrong."""
        return bool(self._found)

    def add(self, field: str, description: str) -> None:
        """Add one invalid field, and how to correct it."""
        self._found.append(Violation(field, description))

    def require(self, condition: bool, field: str, description: str) -> bool:
        """Add the field unless the condition holds; return the condition."""
        if not condition:
            self.add(field, description)
        return condition

    def text(self, value: str, field: str, *, max_length: int, min_length: int = 0) -> str:
        """Require a text of so many characters (surrounding blanks do not count) without NUL; return it."""
        length = len(value.strip())
        if length < min_length:
            self.add(field, "must not be empty" if min_length == 1 else f"must have at least {min_length} characters")
        self.require(len(value) <= max_length, field, f"must have at most {max_length} characters, has {len(value)}")
        self.require("\0" not in value, field, "must not contain NUL")
        return value

    def number(self, value: float, field: str, *, minimum: float, maximum: float) -> None:
        """Require a number within bounds, both inclusive; NaN is out of bounds."""
        inside = minimum <= value <= maximum
        self.require(inside, field, f"must be between {plain(minimum)} and {plain(maximum)}, is {plain(value)}")

    def items(self, values: Sequence[T], field: str, *, maximum: int, minimum: int = 0) -> Iterator[tuple[str, T]]:
        """
        Require `minimum` to `maximum` values; yield (field path, value) of the first `maximum` for further checks.

        A message may hold a million values, and checking each would block all other calls for seconds.
        """
        self.number(len(values), field, minimum=minimum, maximum=maximum)
        return ((f"{field}[{index}]", each) for index, each in enumerate(islice(values, maximum)))

    def raise_if_any(self) -> None:
        """Raise InvalidArgument with every violation noted so far."""
        if self._found:
            raise InvalidArgument.of(self._found)
