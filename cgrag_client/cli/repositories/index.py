"""`cgrag index`: makes a repository answerable."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path  # noqa: TC003 (typer reads annotations)
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from cgrag.indexer.v1 import indexer_pb2
from rich.text import Text

from cgrag_client.cli.answers.session import open_client, source_of_an_indexer
from cgrag_client.cli.console import print_line, print_message, stderr, stdout
from cgrag_client.cli.exits import Exit, report, run
from cgrag_client.cli.options import file_option
from cgrag_client.cli.repositories.job_display import JobBars, JobDisplay, JobLines
from cgrag_client.errors import ClientError, UsageError
from cgrag_client.indexes import is_final, is_served, source_of
from cgrag_client.render.clean import printable
from cgrag_client.render.job import summary
from cgrag_client.repositories import Listed, read_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgrag_client.client import Client

Wait = Literal["core", "all"]


def index(
    source: Annotated[
        str, typer.Argument(metavar="PATH_OR_URL", help="Folder that the indexer can read, or git URL.")
    ] = ".",
    name: Annotated[str, typer.Option(help="Name to ask for it by; by default the last part of the source.")] = "",
    revision: Annotated[
        str, typer.Option(help="Branch, tag or commit; by default a folder as it is, a git URL at its HEAD.")
    ] = "",
    exclude: Annotated[list[str] | None, typer.Option(help="Glob of paths to leave out; may be repeated.")] = None,
    wait: Annotated[
        Wait, typer.Option(help="core: until questions can be asked. all: until findings and vectors are there.")
    ] = "core",
    no_vectors: Annotated[bool, typer.Option("--no-vectors", help="Make no vectors at all.")] = False,
    listed: Annotated[
        Path | None,
        file_option("Index all that a TOML file lists, one by one.", "--list"),
    ] = None,
    request_id: Annotated[
        str, typer.Option(help="Asking again with the same id takes up the same jobs, whatever became of them.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the job as JSON, a line for each change.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Check the new index against what is true of every index; 1 if it is not.")
    ] = False,
) -> None:
    """
    Index a repository, or bring its index up to date.

    Files that did not change are not read again. The old index serves until the new one is there. The file of --list
    has a table [NAME] for each repository: source (a git URL, or an absolute path on the indexer's machine), optionally
    revision, exclude and vectors. If one repository fails, the others are still indexed, and the exit code is 1.

    Examples:

        cgrag index .

        cgrag index ~/src/flask --revision 3.0.0 --name flask-3

        cgrag index https://github.com/pallets/flask --revision 3.0.0 --name flask-3

        cgrag index --list repositories.toml --wait all
    """
    if listed is not None:
        if source != "." or name or revision or exclude or no_vectors:
            raise UsageError("with --list, everything about a repository stands in the list; write it there")
        run(_index_all(read_list(listed), request_id, wait=wait, as_json=as_json, check=check))
        return
    one = Listed(name, source_of_an_indexer(source, revision), revision, tuple(exclude or ()), vectors=not no_vectors)
    run(_index_one(one, request_id, wait=wait, as_json=as_json, check=check))


async def _index_one(one: Listed, request_id: str, *, wait: Wait, as_json: bool, check: bool) -> None:
    async with open_client() as client:
        if not await _is_indexed(client, one, request_id, wait=wait, as_json=as_json, check=check):
            raise typer.Exit(Exit.FAILED)


async def _index_all(repositories: Sequence[Listed], run_id: str, *, wait: Wait, as_json: bool, check: bool) -> None:
    failed = False
    async with open_client() as client:
        for each in repositories:
            try:
                name = each.request_id(run_id)
                served = await _is_indexed(client, each, name, wait=wait, as_json=as_json, check=check)
            except ClientError as error:
                print_line(f"{each.name}:", stderr())
                code = report(error)
                if code in (Exit.UNREACHABLE, Exit.BUSY):
                    raise typer.Exit(code) from None
                served = False
            failed = failed or not served
    if failed:
        raise typer.Exit(Exit.FAILED)


async def _is_indexed(client: Client, one: Listed, request_id: str, *, wait: Wait, as_json: bool, check: bool) -> bool:
    job = await client.indexes.start(
        source_of(one.source, one.revision),
        repository=one.name,
        exclude=one.exclude,
        without_vectors=not one.vectors,
        request_id=request_id,
    )
    try:
        served = is_served(await follow(client, job, wait=wait, as_json=as_json))
        return served and (not check or await _is_sound(client, job.repository, as_json=as_json))
    except asyncio.CancelledError:
        ways = f"`cgrag jobs watch {job.repository}` shows how far it is, `cgrag jobs cancel {job.repository}` ends it"
        told = f"{job.repository} goes on being indexed; {ways}"
        print_line(told, stderr())
        raise


async def _is_sound(client: Client, repository: str, *, as_json: bool) -> bool:
    """Check an index and print the violations."""
    checked = await client.indexes.check(repository)
    if as_json:
        print_message(checked)
    else:
        told = f"{checked.total} violations in {checked.edges} edges and {checked.symbols} symbols"
        stdout().print(told, highlight=False, soft_wrap=True)
        for each in checked.violations:
            name = indexer_pb2.Invariant.Name(each.invariant).removeprefix("INVARIANT_").lower()
            print_line(Text(printable(f"  {each.path}:{each.line} {name}: {each.message}")), stdout())
    return checked.total == 0


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
            print_line(line)
    return job


def _display(as_json: bool) -> JobDisplay:
    if as_json:
        return JobDisplay()
    return JobBars(stderr()) if stderr().is_terminal else JobLines(stderr())
