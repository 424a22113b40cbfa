"""`cgrag replay`: replays an answer from its log."""

from __future__ import annotations

from typing import Annotated

import typer

from cgrag_client.cli.answers.session import open_client
from cgrag_client.cli.console import print_line, print_message
from cgrag_client.cli.exits import Exit, run
from cgrag_client.connecting.settings import MOST_SECONDS
from cgrag_client.render import replay as render


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("replay", rich_help_panel="Ask")(replay)


def replay(
    answer_id: Annotated[str, typer.Argument(help="Id of the answer, from its last line.", show_default=False)],
    timeout: Annotated[float, typer.Option(min=1, max=MOST_SECONDS, help="Seconds for the whole replay.")] = 120.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one ReplayAnswerResponse as JSON.")] = False,
) -> None:
    """
    Make an answer again from its log, and say what is different now.

    The answer is made over the snapshot that it read. What models wrote then is played, so that no model is asked and
    nothing is paid; classification by rules, search, gaps, loop and checks run anew, as this version and its settings
    have them. Nothing is kept of it.

    Where everything is the same but times and costs, the exit code is 0. Where it is not, the exit code is 7, and the
    first difference is where it began: evidence that is ranked otherwise, for example, before a text that cites it.

    Use it before and after an upgrade, or a change of settings, on answers that were rated badly, or well.

    Examples:

        cgrag replay ans_156265765d474ed99a077645bc2b4e43

        for id in $(cat answers.txt); do cgrag replay $id > $id.txt || echo $id; done

        cgrag replay ans_156265765d474ed99a077645bc2b4e43 --json | jq '.differences[0]'
    """

    async def work() -> bool:
        async with open_client() as client:
            response = await client.answers.replay(answer_id, timeout_seconds=timeout)
        if as_json:
            print_message(response)
        else:
            for line in render.replay(response):
                print_line(line)
        return not response.differences

    if not run(work()):
        raise typer.Exit(Exit.DIFFERENT)
