"""Containment of defects: an unexpected exception costs the file or the language that it arose in, not the index."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_UNIT = -1
"""Key of a failure that belongs to no single file."""


class UnitsFailed(Exception):
    """Raised by a linker that cannot load some units; it can link the others once these have no program."""

    def __init__(self, reasons: dict[int, str]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


class Failures:
    """Reasons of contained exceptions, by unit; of several in one unit the first. `count` is the number of all."""

    def __init__(self) -> None:
        self.reasons: dict[int, str] = {}
        self.count = 0

    @contextmanager
    def contained(self, unit: int = NO_UNIT) -> Iterator[None]:
        """Note an exception of the block as a failure of the unit, and go on behind the block."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 (the boundary that keeps a defect from ending the index)
            self.count += 1
            self.reasons.setdefault(unit, failure_reason(error))

    @property
    def reason(self) -> str:
        """Return the first reason; "" if nothing failed."""
        return next(iter(self.reasons.values()), "")

    def require_none(self) -> None:
        """Raise UnitsFailed if there are any."""
        if self.reasons:
            raise UnitsFailed(self.reasons)


def failure_reason(error: Exception) -> str:
    """Return type and place of an exception; equal for equal sources, so no place of where the stack ran out."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" in {trace.tb_frame.f_code.co_qualname}" if trace is not None else ""
    return f"{type(error).__name__}{place}"
