"""Opens the store of callers' spending: a file of each replica, and a server that replicas share if configured."""

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
    Return the store of callers' spending, which the stack closes.

    Args:
        folder: Folder of the file.
        url: URL of a server that replicas share; empty for none.

    Raises:
        StartupError: if the URL is invalid.
    """

    def caller() -> str:
        return current_caller().name

    own = SqliteSpending(folder / "spending.db", clock, caller, is_priced=is_priced)
    stack.push_async_callback(own.close)
    if not url:
        return own
    from orchestrator.adapters.spending.valkey import ValkeySpending  # slow to import, seldom used

    shared = ValkeySpending.at(url, own, clock, caller)
    stack.push_async_callback(shared.close)
    return shared
