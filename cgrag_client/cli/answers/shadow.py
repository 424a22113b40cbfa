"""`cgrag shadow`: compares an answer with the one that another configuration gives."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cgrag_client.cli.answers.session import links_for, open_client
from cgrag_client.cli.console import print_message, stdout
from cgrag_client.cli.exits import run
from cgrag_client.render.shadow import plain_shadow, rich_shadow


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("shadow", rich_help_panel="Operate")(shadow)


def shadow(
    answer_id: Annotated[str, typer.Argument(help="Id of the answer that was served.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print one Shadow as JSON.")] = False,
) -> None:
    """
    Show an answer beside its shadow, and how far they agree.

    Where the orchestrator has a `shadow_percent`, some answers are made a second time by another model, engine, number
    of passes or strategy, for nobody. Its log names them: `shadow.compared` with both ids and figures. Where callers
    have to show who they are, this is for admins.

    Examples:

        cgrag shadow ans_156265765d474ed99a077645bc2b4e43

        cgrag shadow ans_156265765d474ed99a077645bc2b4e43 --json | jq '.served.text, .shadow.text'
    """

    async def work() -> None:
        async with open_client() as client:
            found = await client.answers.shadow(answer_id)
            if as_json:
                print_message(found)
                return
            links = await links_for(client, found.served.repository)
        console = stdout()
        if console.is_terminal:
            console.print(rich_shadow(found, links))
        else:
            sys.stdout.write(plain_shadow(found))

    run(work())
