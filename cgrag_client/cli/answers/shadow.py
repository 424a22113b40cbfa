"""`cgrag shadow`: compares an answer with the one that another configuration gives."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cgrag_client.cli.answers.session import links_for, open_client
from cgrag_client.cli.console import print_message, stdout
from cgrag_client.render.shadow import plain_shadow, rich_shadow


async def shadow(
    answer_id: Annotated[str, typer.Argument(help="Id of the answer that was served.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print one Shadow as JSON.")] = False,
) -> None:
    """
    Show an answer beside its shadow, and how far they agree.

    If the orchestrator's `shadow_percent` is set, some answers are made a second time with another model, engine,
    number of passes or strategy; no caller gets the second one. The orchestrator logs `shadow.compared` with both ids
    and figures. If the services have an access file, this command is for admins.

    Examples:

        cgrag shadow ans_156265765d474ed99a077645bc2b4e43

        cgrag shadow ans_156265765d474ed99a077645bc2b4e43 --json | jq '.served.text, .shadow.text'
    """

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
