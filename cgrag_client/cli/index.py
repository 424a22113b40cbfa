"""`cgrag index`: makes a repository answerable."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cgrag_client.cli.console import stderr, stdout
from cgrag_client.cli.exits import Exit, run
from cgrag_client.cli.job_display import JobBars, JobDisplay, JobLines
from cgrag_client.cli.session import open_client, source_of_an_indexer
from cgrag_client.indexes import is_final, is_served, source_of
from cgrag_client.render.job import summary

if TYPE_CHECKING:
    from cgrag.indexer.v1 import indexer_pb2

    from cgrag_client.client import Client

Wait = Literal["core", "all"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("index", rich_help_panel="Ask")(index)


def index(
    source: Annotated[str, typer.Argument(metavar="PATH_OR_URL", help="Folder of the indexer, or git URL.")] = ".",
    name: Annotated[str, typer.Option(help="Name to ask for it by; by default the last part of the source.")] = "",
    revision: Annotated[str, typer.Option(help="Branch, tag or commit of a git URL; by default its HEAD.")] = "",
    exclude: Annotated[list[str] | None, typer.Option(help="Glob of paths to leave out; may be repeated.")] = None,
    wait: Annotated[
        Wait, typer.Option(help="core: until questions can be asked. all: until findings and vectors are there.")
    ] = "core",
    no_vectors: Annotated[bool, typer.Option("--no-vectors", help="Do not make vectors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the job as JSON, a line for each change.")] = False,
) -> None:
    """
    Index a repository, or bring its index up to date.

    Files that did not change are not read again. The old index serves until the new one is there.

    Examples:

        cgrag index .

        cgrag index https://github.com/pallets/flask --revision 3.0.0 --name flask-3
    """
    place = source_of_an_indexer(source)

    async def work() -> None:
        async with open_client() as client:
            job = await client.indexes.start(
                source_of(place, revision), repository=name, exclude=exclude or (), without_vectors=no_vectors
            )
            try:
                job = await follow(client, job, wait=wait, as_json=as_json)
            except asyncio.CancelledError:
                told = f"{job.repository} goes on being indexed; `cgrag status` shows how far it is"
                stderr().print(told, highlight=False, soft_wrap=True)
                raise
        if not is_served(job):
            raise typer.Exit(Exit.FAILED)

    run(work())


async def follow(
    client: Client, job: indexer_pb2.IndexJob, *, wait: Wait, as_json: bool = False
) -> indexer_pb2.IndexJob:
    """Show a job's progress until core is served (or until it ends) and then its summary; returns its last state."""
    with _display(as_json) as display:
        async with aclosing(client.indexes.watch(job.job_id)) as jobs:
            async for job in jobs:
                display.show(job)
                if is_final(job) or (wait == "core" and is_served(job)):
                    break
    if not as_json:
        for line in summary(job):
            stdout().print(line, soft_wrap=True)
    return job


def _display(as_json: bool) -> JobDisplay:
    if as_json:
        return JobDisplay()
    return JobBars(stderr()) if stderr().is_terminal else JobLines(stderr())
