"""Cost of the model requests made for one call."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from common.model.values import ModelRole


@dataclass(slots=True)
class CallCost:
    """Cost in US dollars so far."""

    usd: float = 0.0


_counting: ContextVar[CallCost | None] = ContextVar("cgrag_call_cost", default=None)


@contextmanager
def counting_cost() -> Iterator[CallCost]:
    """Sum the cost added inside the block and in tasks started there."""
    cost = CallCost()
    token = _counting.set(cost)
    try:
        yield cost
    finally:
        _counting.reset(token)


def add_cost(_role: ModelRole, usd: float) -> None:
    """Add the cost of a model's answer to the current call, if costs are summed; a callback for `open_model_client`."""
    cost = _counting.get()
    if cost is not None:
        cost.usd += usd
