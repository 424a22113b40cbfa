"""Shows the progress of an answer: finished lines, and below them the current activity."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from rich.console import Group
from rich.live import Live
from rich.padding import Padding
from rich.spinner import Spinner
from rich.text import Text

from cgrag_client.render.progress import AnswerProgress

if TYPE_CHECKING:
    from cgrag.orchestrator.v1 import orchestrator_pb2
    from rich.console import Console

    from cgrag_client.render.links import Links


FRAME_SECONDS = 1 / 12
# Longer than every step without a model takes; after such a pause, the display says how long nothing has arrived.
QUIET_SECONDS = 3.0


class LiveProgress:
    """
    A context manager within a running event loop; without a terminal it prints only the finished lines.

    The frames are drawn by the event loop: rich's own thread leaves parts of a frame on the screen if it draws while a
    line is being printed.

    Args:
        console: Where to show the progress.
        links: Makes links of places in the source.
        quiet_seconds: After so long without an event, the time since the last one is shown.
    """

    def __init__(self, console: Console, links: Links, quiet_seconds: float = QUIET_SECONDS) -> None:
        self._console = console
        self._progress = AnswerProgress(links)
        self._spinner = Spinner("dots", style="cyan")
        self._live = Live(console=console, transient=True, auto_refresh=False) if console.is_terminal else None
        self._next_frame: asyncio.TimerHandle | None = None
        self._quiet_seconds = quiet_seconds
        self._heard_at = 0.0

    def show(self, event: orchestrator_pb2.AnswerEvent) -> None:
        """Print the lines of one event, and show the current activity below them."""
        self._heard_at = asyncio.get_running_loop().time()
        for line in self._progress.lines(event):
            if self._console.is_terminal:
                self._console.print(line, no_wrap=True, overflow="ellipsis")
            else:
                self._console.print(line, soft_wrap=True)
        if self._live is not None:
            self._tell_activity()
            tail = Padding(Text(self._progress.tail, style="dim"), (0, 0, 0, 4))
            self._live.update(Group(self._spinner, tail) if self._progress.tail else self._spinner)

    def __enter__(self) -> Self:
        self._heard_at = asyncio.get_running_loop().time()
        if self._live is not None:
            self._tell_activity()
            self._live.update(self._spinner)
            self._live.start()
            self._draw(self._live)
        return self

    def __exit__(self, *_: object) -> None:
        if self._next_frame is not None:
            self._next_frame.cancel()
        if self._live is not None:
            self._live.stop()

    def _tell_activity(self) -> None:
        """Show the current activity and, if it is long, the time since the last event."""
        quiet = asyncio.get_running_loop().time() - self._heard_at
        since = f" nothing new for {quiet:.0f} s" if quiet >= self._quiet_seconds else ""
        self._spinner.update(text=Text(f"{self._progress.activity} ...{since}"))

    def _draw(self, live: Live) -> None:
        self._tell_activity()
        live.refresh()
        self._next_frame = asyncio.get_running_loop().call_later(FRAME_SECONDS, self._draw, live)
