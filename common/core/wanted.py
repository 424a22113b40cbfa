"""Whether anybody waits for what a thread works at: a thread cannot be called off, so its work asks."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from common.core.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Iterator


class Wish:
    """What a call wants, until it ends."""

    __slots__ = ("is_over",)

    def __init__(self) -> None:
        self.is_over = False


_wish: ContextVar[Wish | None] = ContextVar("cgrag_wish", default=None)


def begin_wish() -> Wish:
    """Let the rest of this task, and the threads that it starts, work for a call; whoever runs it says when it ends."""
    wish = Wish()
    _wish.set(wish)
    return wish


def require_wanted() -> None:
    """Go on if the call still runs that this is done for. Raises Cancelled, which nobody is left to be told."""
    wish = _wish.get()
    if wish is not None and wish.is_over:
        raise Cancelled("the call that this was done for has ended")


@contextmanager
def wanted_by_others() -> Iterator[None]:
    """Do what is kept for later calls too: broken off, it would be begun anew by each caller with little time."""
    token = _wish.set(None)
    try:
        yield
    finally:
        _wish.reset(token)
