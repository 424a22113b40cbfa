"""Contains unexpected exceptions: the file or language in which one is raised loses data, the index is still made."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_UNIT = -1
"""Key of a failure that belongs to no single file."""


class UnitsFailed(Exception):
    """Raised by a linker that cannot load some units; without the programs of these it can link all other units."""

    def __init__(self, reasons: dict[int, str]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


class Failures:
    """First contained exception of each unit, as a text; `count` is the number of all contained exceptions."""

    def __init__(self) -> None:
        self.reasons: dict[int, str] = {}
        self.count = 0

    @contextmanager
    def contained(self, unit: int = NO_UNIT) -> Iterator[None]:
        """Catch an exception of the `with` block and record it for the unit; execution continues after the block."""
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
        """Raise UnitsFailed if an exception was contained."""
        if self.reasons:
            raise UnitsFailed(self.reasons)


def failure_reason(error: Exception) -> str:
    """
    Return the type of an exception and the function that raised it.

    The text is the same at each run over the same source. The function in which the stack overflows is not, so a
    RecursionError is "nested too deeply" without a function.
    """
    if isinstance(error, RecursionError):
        return "nested too deeply"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" in {trace.tb_frame.f_code.co_qualname}" if trace is not None else ""
    return f"{type(error).__name__}{place}"
