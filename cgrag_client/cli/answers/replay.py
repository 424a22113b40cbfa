"""`cgrag replay`: replays an answer from its log."""

from __future__ import annotations

from typing import Annotated

import typer

from cgrag_client.cli.answers.session import open_client
from cgrag_client.cli.console import print_line, print_message
from cgrag_client.cli.exits import Exit
from cgrag_client.connecting.settings import MOST_SECONDS
from cgrag_client.render import replay as render


async def replay(
    answer_id: Annotated[str, typer.Argument(help="Id of the answer, from its last line.", show_default=False)],
    seconds: Annotated[
        float, typer.Option("--timeout", min=1, max=MOST_SECONDS, help="Seconds for the whole replay.")
    ] = 120.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one ReplayAnswerResponse as JSON.")] = False,
) -> None:
    """
    Make an answer again from its log, and say what is different now.

    The answer is made over the snapshot that it used. The outputs of models are taken from the log, so no model is
    asked and nothing is paid; classification by rules, search, gaps, loop and checks run again, with this version and
    its settings. The new answer is not stored.

    The exit code is 0 if everything is the same except times and costs, else 7. The first difference is usually the
    cause of the others: evidence that is ranked differently, for example, comes before the text that cites it.

    Use it before and after an upgrade, or a change of settings, on answers that were rated badly, or well.

    Examples:

        cgrag replay ans_156265765d474ed99a077645bc2b4e43

        for id in $(cat answers.txt); do cgrag replay $id > $id.txt || echo $id; done

        cgrag replay ans_156265765d474ed99a077645bc2b4e43 --json | jq '.differences[0]'
    """

    async with open_client() as client:
        response = await client.answers.replay(answer_id, timeout_seconds=seconds)
    if as_json:
        print_message(response)
    else:
        for line in render.replay(response):
            print_line(line)
    if response.differences:
        raise typer.Exit(Exit.DIFFERENT)
