"""Opening what callers have spent: a file of each replica's own, and a server that replicas share if there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.rpc.callers import current_caller
from orchestrator.adapters.spending.sqlite import SqliteSpending

if TYPE_CHECKING:
    from contextlib import AsyncExitStack
    from pathlib import Path

    from common.core.clock import Clock
    from orchestrator.adapters.spending.valkey import ValkeySpending


def open_spending(
    folder: Path, url: str, clock: Clock, stack: AsyncExitStack, *, is_priced: bool
) -> SqliteSpending | ValkeySpending:
    """
    Return what callers have spent, closed with the stack.

    Args:
        folder: Of the file.
        url: Of a server that replicas share; empty for none.

    Raises:
        StartupError: if the URL is none.
    """

    def caller() -> str:
        return current_caller().name

    own = SqliteSpending(folder / "spending.db", clock, caller, is_priced=is_priced)
    stack.push_async_callback(own.close)
    if not url:
        return own
    from orchestrator.adapters.spending.valkey import ValkeySpending  # its client is slow to load, few have one

    shared = ValkeySpending.at(url, own, clock, caller)
    stack.push_async_callback(shared.close)
    return shared
