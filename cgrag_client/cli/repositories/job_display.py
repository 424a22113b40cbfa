"""Shows an indexing job while it runs: bars on a terminal, a line for each phase elsewhere, or JSON."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Self

from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Column

from cgrag_client.cli.console import print_message
from cgrag_client.indexes import is_final, is_served
from cgrag_client.render import job as render
from cgrag_client.render import words

if TYPE_CHECKING:
    from cgrag.indexer.v1 import indexer_pb2
    from rich.console import Console


class JobDisplay(AbstractContextManager["JobDisplay", None]):
    """Shows each state of a job as JSON on stdout; the base of those that show it to people."""

    def show(self, job: indexer_pb2.IndexJob) -> None:
        """Show the new state of the job."""
        print_message(job)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class JobLines(JobDisplay):
    """Shows a line whenever the phase changes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._phase: int = -1

    def show(self, job: indexer_pb2.IndexJob) -> None:
        """Show the new state of the job."""
        if job.progress.phase != self._phase and not is_final(job):
            self._phase = job.progress.phase
            self._console.print(f"{job.repository}: {render.phase_line(job)}", highlight=False)


class JobBars(JobDisplay):
    """Shows a bar for each phase, with counts, rate and estimated time to go."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            SpinnerColumn(finished_text="[green]✓[/]"),
            TextColumn("{task.description:<11}"),
            BarColumn(bar_width=14),
            # Wide enough from the start: columns that grow make the lines jump. All fit into 80 characters.
            TextColumn("{task.fields[amount]}", table_column=Column(min_width=17, justify="right")),
            TextColumn("[dim]{task.fields[note]}[/]", table_column=Column(min_width=25, no_wrap=True)),
            TimeElapsedColumn(),
            console=console,
        )
        self._task: TaskID | None = None
        self._phase: int = -1
        self._served = False

    def show(self, job: indexer_pb2.IndexJob) -> None:
        """Show the new state of the job."""
        progress = job.progress
        self._served = is_served(job)
        if self._task is None or progress.phase != self._phase:
            self._finish()
            self._phase = progress.phase
            self._task = self._progress.add_task(words.phase(progress.phase), total=None, amount="", note="")
        amount = words.number(progress.done) if progress.done else ""
        if progress.total:
            amount = f"{words.number(progress.done)} of {words.number(progress.total)}"
        rate = f"{words.number(progress.rate)}/s " if progress.rate else ""
        left = words.time_to_go(progress.eta) if progress.HasField("eta") else ""
        self._progress.update(
            self._task, completed=progress.done, total=progress.total or None, amount=amount, note=f"{rate}{left}"
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._served:
            self._finish()
        self._progress.stop()

    def _finish(self) -> None:
        if self._task is not None:
            task = self._progress.tasks[-1]
            amount = words.number(task.total or task.completed) if task.total or task.completed else ""
            self._progress.update(self._task, total=1, completed=1, amount=amount, note="")
