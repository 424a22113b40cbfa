"""Shows an answer in the making: lines that stay, and below them what goes on just now."""

from __future__ import annotations

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


class LiveProgress:
    """
    A context manager; without a terminal it prints the lines alone.

    Args:
        console: Where to show it.
        links: Where places lead.
    """

    def __init__(self, console: Console, links: Links) -> None:
        self._console = console
        self._progress = AnswerProgress(links)
        self._spinner = Spinner("dots", style="cyan")
        self._live = Live(console=console, transient=True, refresh_per_second=12) if console.is_terminal else None

    def show(self, event: orchestrator_pb2.AnswerEvent) -> None:
        """Take up one event."""
        for line in self._progress.lines(event):
            self._console.print(line, soft_wrap=not self._console.is_terminal, no_wrap=self._console.is_terminal)
        if self._live is not None:
            self._spinner.update(text=Text(f"{self._progress.activity} ..."))
            tail = Padding(Text(self._progress.tail, style="dim"), (0, 0, 0, 4))
            self._live.update(Group(self._spinner, tail) if self._progress.tail else self._spinner)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
