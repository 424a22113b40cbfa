"""`cgrag jobs`: indexing jobs, listed, watched and cancelled; `cgrag delete`: the end of what they made."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from cgrag_client.cli.answers.session import open_client, require_known
from cgrag_client.cli.console import print_found, print_json, print_line, print_message, stderr
from cgrag_client.cli.exits import Exit, run
from cgrag_client.cli.options import Commands
from cgrag_client.cli.repositories.index import follow
from cgrag_client.errors import NothingThere, UsageError
from cgrag_client.indexes import is_final, is_served
from cgrag_client.render import words
from cgrag_client.render.job import summary
from cgrag_client.render.status import jobs_table

if TYPE_CHECKING:
    from cgrag.indexer.v1 import indexer_pb2

    from cgrag_client.client import Client

Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts, a line for each job.")]
_ID_PREFIX = "job_"
_MOST = 200
_JOB_HELP = "A repository, for its jobs that have not ended, or a job's id, of which the beginning is enough."
GROUP = Commands(no_args_is_help=True, rich_markup_mode="markdown", help="List, watch or cancel indexing jobs.")


@GROUP.command("list")
async def list_jobs(
    repo: Annotated[str, typer.Option("--repo", "-r", help="Only jobs of this repository.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help="So many at most.")] = 20,
    as_json: Json = False,
) -> None:
    """
    List indexing jobs, newest first: those that wait and run, and what became of the others.

    The beginning of an id is enough for `jobs watch` and `jobs cancel`.

    Example:

        cgrag jobs list --repo flask --limit 5
    """

    async with open_client() as client:
        found = await client.indexes.recent_jobs(repository=repo, limit=limit)
        if not found:
            await require_known(client, repo)
    print_found(found, jobs_table, "no jobs; `cgrag index PATH_OR_URL` starts one", as_json=as_json)


@GROUP.command("watch")
async def watch(
    job: Annotated[str, typer.Argument(metavar="REPOSITORY_OR_JOB", help=_JOB_HELP, show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, a line for each change.")] = False,
) -> None:
    """
    Watch a job to its end, as `cgrag index` does.

    Leaving with Ctrl-C ends the watching, not the job.

    Examples:

        cgrag jobs watch flask

        cgrag jobs watch job_1f0c9a6b
    """

    async with open_client() as client:
        found = (await _meant(client, job))[0]
        found = await follow(client, found, wait="all", as_json=as_json)
    if not is_served(found):
        raise typer.Exit(Exit.FAILED)


@GROUP.command("cancel")
async def cancel(
    jobs: Annotated[list[str], typer.Argument(metavar="REPOSITORY_OR_JOB", help=_JOB_HELP, show_default=False)],
    as_json: Json = False,
) -> None:
    """
    Cancel jobs: their processes end, and what was published stays.

    A job that has ended is left as it is.

    Examples:

        cgrag jobs cancel flask

        cgrag jobs cancel job_1f0c9a6b job_77ab03de
    """

    async with open_client() as client:
        meant = {each.job_id: each for name in jobs for each in await _meant(client, name)}
        for each in meant.values():
            ended = each if is_final(each) else await client.indexes.cancel(each.job_id)
            if as_json:
                print_message(ended)
            elif is_final(each):
                told = f"{each.job_id} of {each.repository} has ended: {words.job_state(each.state)}"
                print_line(told, stderr())
            else:
                for line in summary(ended):
                    print_line(line)


def delete(
    repository: Annotated[str, typer.Argument(help="Name, as `cgrag repos` shows it.", show_default=False)],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for scripts; asks for --yes.")] = False,
) -> None:
    """
    Delete a repository's index with all that is kept for it.

    Snapshots, imports and jobs go at once; answers, sessions, tasks and decisions about it within a minute. The
    repository itself stays as it is. If it cannot be finished, as without the vector server, call it again.

    Example:

        cgrag delete flask --yes
    """
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise UsageError(f"nothing was deleted; give --yes to delete {repository} without being asked")
        if run(_is_there(repository)) and not _confirmed(repository):
            stderr().print("nothing was deleted")
            raise typer.Exit(Exit.INTERRUPTED)

    async def work() -> None:
        async with open_client() as client:
            removed = await client.indexes.delete_repository(repository)
        if as_json:
            print_json({"repository": repository, "snapshotsRemoved": removed})
        else:
            told = f"deleted {repository}: {words.count(removed, 'snapshot')}, and what was kept of it"
            print_line(told)

    run(work())


async def _is_there(repository: str) -> bool:
    """Return whether the repository exists; for a missing one no confirmation is asked, and the service reports it."""
    async with open_client() as client:
        if any(each.repository == repository for each in await client.indexes.repositories()):
            return True
        return bool(await client.indexes.recent_jobs(repository=repository, limit=1))


def _confirmed(repository: str) -> bool:
    try:
        return typer.confirm(f"Delete {repository} with its snapshots, answers and sessions?", err=True)
    except typer.Abort:  # Ctrl-C, or Ctrl-D
        typer.echo(err=True)
        return False


async def _meant(client: Client, name: str) -> tuple[indexer_pb2.IndexJob, ...]:
    """
    Return the unfinished jobs of a repository, newest first; or the one job whose id starts with `name`.

    Raises:
        NothingThere: if the repository has no unfinished job.
        UsageError: if several ids start with `name`; or if it is empty, as that would select all jobs.
    """
    if not name:
        raise UsageError("the name is empty; give a repository, or the id of a job as `cgrag jobs list` shows it")
    if name.startswith(_ID_PREFIX):
        recent = await client.indexes.recent_jobs(limit=_MOST)
        found = tuple(each for each in recent if each.job_id.startswith(name))
        if len(found) > 1:
            raise UsageError(f"{name} is the beginning of {len(found)} jobs; give more of it")
        return found or (await client.indexes.get_job(name),)
    found = tuple(each for each in await client.indexes.recent_jobs(repository=name, limit=_MOST) if not is_final(each))
    if not found:
        raise NothingThere(f"no job of {name} waits or runs; `cgrag jobs list` shows those of before")
    return found
