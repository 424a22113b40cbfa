"""`cgrag status`, `repos`, `sessions` and `rate`: services, repositories, sessions and ratings."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Annotated

import typer
from google.protobuf.json_format import MessageToDict
from rich.text import Text

from cgrag_client.cli.answers.session import open_client
from cgrag_client.cli.console import M, print_found, print_json, print_line, print_table, stderr, stdout
from cgrag_client.cli.exits import Exit
from cgrag_client.connecting.health import Health, check
from cgrag_client.connecting.settings import SERVICES, data_folder
from cgrag_client.connecting.tls import channel_credentials
from cgrag_client.errors import ClientError
from cgrag_client.render import status as render
from cgrag_client.render.clean import printable
from cgrag_client.suite.running import running_here, settings_in_force

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgrag.retriever.v1 import retriever_pb2
    from google.protobuf.message import Message
    from rich.table import Table

    from cgrag_client.client import Client
    from cgrag_client.connecting.health import ServiceHealth

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for scripts.")]


async def status(as_json: Json = False) -> None:
    """
    Show services, the folder of their data, repositories, jobs, and what cannot be used.

    Exits with 3 if a service does not serve.

    Example:

        until cgrag status > /dev/null; do sleep 1; done
    """

    settings = settings_in_force(os.environ)[0]
    running = running_here(os.environ)
    folder = str(data_folder(os.environ).resolve()) if running is not None else ""
    credentials = channel_credentials(settings)
    services = await asyncio.gather(
        *(check(name, settings.address(name), credentials=credentials) for name in SERVICES)
    )
    healthy = {each.service for each in services if each.health is Health.SERVING}
    if not as_json:  # health is for everybody, what is indexed may not be
        _print_tables(render.services_table(services))
        if running is not None:
            print_line(f"\nData in {folder}")
    async with open_client() as client:
        indexed = await client.indexes.repositories() if "indexer" in healthy else ()
        jobs = await client.indexes.recent_jobs() if "indexer" in healthy else ()
        problems = await _problems(client) if "retriever" in healthy else ()
    if as_json:
        rows = [{"service": each.service, "address": each.address, "health": each.health.value} for each in services]
        found = {"repositories": _dicts(indexed), "jobs": _dicts(jobs), "layerProblems": _dicts(problems)}
        print_json({"services": rows, "dataFolder": folder, **found})
    elif indexed:
        stdout().print()
        _print_tables(render.repositories_table(indexed), render.jobs_table(jobs))
    for each in () if as_json else problems:
        place = (f"\n{each.repository} is searched without {each.layer}: ", "yellow")
        stdout().print(Text.assemble(place, printable(each.problem)), soft_wrap=False)
    if len(healthy) < len(SERVICES):
        if not as_json:
            stderr().print(Text.assemble("\n", ("Next:", "bold"), f" {_next_step(services)}"))
        raise typer.Exit(Exit.UNREACHABLE)


async def _problems(client: Client) -> tuple[retriever_pb2.LayerProblem, ...]:
    """Return the layers that the retriever cannot use; empty for an earlier release, which does not report them."""
    try:
        return await client.code.layer_problems()
    except ClientError:
        return ()


def _next_step(services: Sequence[ServiceHealth]) -> str:
    if any(each.health is Health.UNREACHABLE for each in services):
        return "`cgrag up` starts the services of this machine"
    return "a service that is not ready says why in its log: logs/SERVICE.jsonl in the folder for data of `cgrag up`"


async def repos(
    removed: Annotated[bool, typer.Option("--removed", help="List what was deleted within the last year.")] = False,
    as_json: Json = False,
) -> None:
    """
    List what is indexed.

    The commit is the one that answers are about; +changes if files differed from it.

    Example:

        cgrag repos --json | jq -r ".repositories[].repository"
    """

    async with open_client() as client:
        if removed:
            nothing = "nothing was deleted; `cgrag delete REPOSITORY` deletes an index"
            gone = await client.code.removals()
            _print_named("removals", gone, render.removals_table, nothing, as_json=as_json)
            return
        found = await client.indexes.repositories()
    nothing = "nothing is indexed yet; start with `cgrag index PATH_OR_URL`"
    _print_named("repositories", found, render.repositories_table, nothing, as_json=as_json)


async def sessions(
    delete: Annotated[str, typer.Option(help="Forget the session of this id.")] = "", as_json: Json = False
) -> None:
    """
    List your sessions, last used first, or forget one.

    Questions of one session share evidence; it ends after half an hour without use.

    Example:

        cgrag ask "And who calls it?" --session $(cgrag sessions --json | jq -r ".sessions[0].sessionId")
    """

    async with open_client() as client:
        if delete:
            await client.answers.delete_session(delete)
            stderr().print(f"forgot {delete}", highlight=False)
            return
        found = await client.answers.sessions()
    nothing = "no session yet; `cgrag ask` opens one"
    _print_named("sessions", found, render.sessions_table, nothing, as_json=as_json)


async def rate(
    answer_id: Annotated[str, typer.Argument(help="Id of the answer, from its last line.", show_default=False)],
    rating: Annotated[int, typer.Argument(min=1, max=5, help="1 (bad) to 5 (good).", show_default=False)],
    comment: Annotated[str, typer.Option(help="What was good or bad about it.")] = "",
    as_json: Json = False,
) -> None:
    """
    Rate an answer; operators see ratings in their metrics.

    Rating it again replaces the first.

    Example:

        cgrag rate ans_156265765d474ed99a077645bc2b4e43 2 --comment "cites the tests only"
    """

    async with open_client() as client:
        await client.answers.rate(answer_id, rating, comment)
    if as_json:
        print_json({"answerId": answer_id, "rating": rating})
    else:
        stderr().print(f"rated {answer_id} with {rating}", highlight=False)


def _print_named(
    name: str, found: Sequence[M], table: Callable[[Sequence[M]], Table], nothing: str, *, as_json: bool
) -> None:
    """Print a list of results as `print_found` does, but all of it as one JSON object under a name."""
    if as_json:
        print_json({name: _dicts(found)})
    else:
        print_found(found, table, nothing, as_json=False)


def _print_tables(*tables: Table) -> None:
    for number, table in enumerate(tables):
        if number:
            stdout().print()
        print_table(table)


def _dicts(messages: Sequence[Message]) -> list[object]:
    return [MessageToDict(message) for message in messages]
