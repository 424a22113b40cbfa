"""Shows the services while they start: one line each, live on a terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.console import Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from cgrag_client.suite import ServiceState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console, RenderableType

    from cgrag_client.connecting.settings import ClientSettings


class SuiteDisplay:
    """
    A context manager that shows the states of services; the last state stays on the screen.

    Args:
        console: Where to show the states.
        settings: Has the address of each service.
    """

    def __init__(self, console: Console, settings: ClientSettings) -> None:
        self._console = console
        self._settings = settings
        self._began = time.monotonic()
        self._took: dict[str, float] = {}
        self._spinners: dict[str, Spinner] = {}
        self._live = Live(console=console, refresh_per_second=12) if console.is_terminal else None

    def show(self, states: Mapping[str, ServiceState]) -> None:
        """Show the new states of all services."""
        fresh = [name for name, state in states.items() if state is ServiceState.SERVING and name not in self._took]
        for name in fresh:
            self._took[name] = time.monotonic() - self._began
        if self._live is not None:
            self._live.update(Group(*(self._row(name, state) for name, state in states.items())))
            return
        for name in fresh:
            self._console.print(f"{name} serves on {self._settings.address(name)}", highlight=False)

    def _row(self, name: str, state: ServiceState) -> RenderableType:
        label = Text.assemble(f"{name:<13}", (self._settings.address(name), "cyan"))
        if state is ServiceState.STARTING:
            spinner = self._spinners.setdefault(name, Spinner("dots", style="cyan"))
            spinner.update(text=label)
            return spinner
        if state is ServiceState.SERVING:
            return Text.assemble(("✓ ", "green"), label, (f"  {self._took[name]:.1f} s", "dim"))
        return Text.assemble(("· ", "dim"), label, ("  stopped", "dim"))

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
