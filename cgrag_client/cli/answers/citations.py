"""`cgrag citations`: what became of the places that an answer cites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from cgrag.retriever.v1 import retriever_pb2

from cgrag_client.cli.answers.session import links_for, open_client
from cgrag_client.cli.console import print_line, print_message
from cgrag_client.cli.exits import Exit
from cgrag_client.errors import NothingThere
from cgrag_client.render.answer import resolved_citation

if TYPE_CHECKING:
    from cgrag.type.v1 import evidence_pb2


async def citations(
    answer_id: Annotated[str, typer.Argument(help="Id of the answer, from its last line.", show_default=False)],
    number: Annotated[int, typer.Option("--number", "-n", min=0, help="Only this citation; 0 for all.")] = 0,
    at: Annotated[str, typer.Option(help="Snapshot or commit to look in, its first digits do; else the current.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one ResolveCitationResponse as JSON a line.")] = False,
) -> None:
    """
    Look for the places that an answer cites in what is indexed now, or in another revision.

    Lines are the same, moved elsewhere, changed within their symbol, or gone. Exits with 7 if one is not the same.

    Examples:

        cgrag citations ans_156265765d474ed99a077645bc2b4e43

        cgrag citations ans_156265765d474ed99a077645bc2b4e43 -n 2 --at c0ffee1 --json
    """

    async with open_client() as client:
        answer = await client.answers.get(answer_id)
        cited = [each for each in answer.citations if number in (0, each.number)]
        if not cited:
            raise NothingThere(f"the answer has no citation {number}" if number else "the answer cites nothing")
        revision = await client.indexes.revision(answer.repository, at)
        found: list[tuple[evidence_pb2.Citation, retriever_pb2.ResolveCitationResponse]] = [
            (each, await client.code.resolve_citation(each, repository=answer.repository, revision=revision))
            for each in cited
        ]
        links = await links_for(client, answer.repository)
    for citation, now in found:
        if as_json:
            print_message(now)
        else:
            print_line(resolved_citation(citation, now, links))
    if any(now.state != retriever_pb2.CITATION_STATE_SAME for _, now in found):
        raise typer.Exit(Exit.DIFFERENT)
