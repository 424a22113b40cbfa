"""`cgrag snapshots` lists snapshots and rolls back; `cgrag debt` lists unresolved gaps of answers."""

from __future__ import annotations

from typing import Annotated

import typer

from cgrag_client.cli.answers.session import choose_repository, open_client, open_repository, require_known
from cgrag_client.cli.console import print_found, print_line, print_message
from cgrag_client.cli.options import Commands, Json, Repo
from cgrag_client.errors import NothingThere, UsageError
from cgrag_client.render.status import debts_table, ratings_table, snapshots_table

Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="At most so many.")]
GROUP = Commands(
    no_args_is_help=True, rich_markup_mode="markdown", help="List what is published of a repository, or go back."
)


@GROUP.command("list")
async def list_snapshots(repo: Repo = "", as_json: Json = False) -> None:
    """
    List the published snapshots of a repository, newest first.

    Questions are answered from the current one; a few earlier ones are kept for `cgrag snapshots rollback`.

    Example:

        cgrag snapshots list --repo flask
    """

    async with open_client() as client:
        found = await client.indexes.snapshots(await choose_repository(client, repo))
    print_found(found, snapshots_table, "nothing is published yet; `cgrag jobs list` shows what runs", as_json=as_json)


@GROUP.command("rollback")
async def rollback(
    snapshot: Annotated[
        str, typer.Argument(help="Its id, of which the beginning is enough.", metavar="SNAPSHOT", show_default=False)
    ],
    repo: Repo = "",
    as_json: Json = False,
) -> None:
    """
    Make an earlier snapshot the current one; nothing is rebuilt.

    Running answers continue with the snapshot that they use. The next index job publishes a newer one again.

    Example:

        cgrag snapshots rollback 6573bfe107a7 --repo flask
    """

    if not snapshot:
        raise UsageError("the snapshot is empty; give its id or a beginning of it, as `cgrag snapshots list` shows it")

    async with open_repository(repo) as (client, repository):
        kept = [each.snapshot_id for each in await client.indexes.snapshots(repository)]
        meant = [each for each in kept if each.startswith(snapshot)]
        if not meant:
            raise NothingThere(f"{repository} has no snapshot {snapshot}; `cgrag snapshots list` shows them")
        if len(meant) > 1:
            raise UsageError(f"{snapshot} is the beginning of {len(meant)} snapshots; give more of it")
        done = await client.indexes.rollback(repository, meant[0])
    if as_json:
        print_message(done)
    else:
        print_line(f"{repository} is at snapshot {done.snapshot_id} again")


async def ratings(repo: Repo = "", limit: Limit = 20, as_json: Json = False) -> None:
    """
    List ratings of answers with their comments, newest answers first.

    Where callers have to show who they are, this is for operators and admins. `cgrag rate` gives a rating.

    Example:

        cgrag ratings --repo flask --limit 10
    """

    async with open_client() as client:
        found = await client.answers.ratings(await choose_repository(client, repo), limit=limit)
        if not found:
            await require_known(client, repo)
    print_found(found, ratings_table, "no answer was rated", as_json=as_json)


async def debt(repo: Repo = "", limit: Limit = 20, as_json: Json = False) -> None:
    """
    List what answers looked for in vain, and why, most frequent first.

    For "out of coverage", index the files that are left out; for "below floor", vectors may help. "Absent" and
    "external" need no action: the code has no such name, or it belongs to another package.

    Example:

        cgrag debt --repo flask --limit 10
    """

    async with open_client() as client:
        found = await client.answers.debts(await choose_repository(client, repo), limit=limit)
        if not found:
            await require_known(client, repo)
    print_found(found, debts_table, "no debt: nothing was looked for in vain", as_json=as_json)
