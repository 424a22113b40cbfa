"""`cgrag ask` and `cgrag explain`: the answer, and how it would be found."""

from __future__ import annotations

import sys
from contextlib import aclosing
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.type.v1 import question_pb2
from rich.text import Text

from cgrag_client.cli.answers.session import latest_job, links_for, links_of, open_repository
from cgrag_client.cli.console import print_line, print_message, stderr, stdout
from cgrag_client.cli.live import LiveProgress
from cgrag_client.cli.options import Json, Repo  # noqa: TC001 - used by typer itself at run time
from cgrag_client.cli.pages import open_page
from cgrag_client.connecting.settings import MOST_SECONDS
from cgrag_client.errors import UsageError
from cgrag_client.render.answer import plain_answer, rich_answer
from cgrag_client.render.explanation import explanation
from cgrag_client.render.job import following

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Collection

    from cgrag_client.client import Client

    Events = AsyncGenerator[orchestrator_pb2.AnswerEvent]

ModeName = Literal["auto", "conceptual", "diagnostic", "exploratory", "analytical"]
StrategyName = Literal["gaps", "sufficiency"]
DepthName = Literal["quick", "deep"]


class Part(StrEnum):
    """Parts of the retrieval that can be turned off."""

    GAPS = "gaps"
    GRAPH = "graph"
    SOURCE = "source"
    INDEX = "index"
    ROUTING = "routing"
    VECTORS = "vectors"


Question = Annotated[str, typer.Argument(help="The question; - reads it from stdin.", show_default=False)]
Mode = Annotated[ModeName, typer.Option("--mode", "-m", help="How to look; auto lets the classifier decide.")]
Strategy = Annotated[
    StrategyName | None,
    typer.Option(help="Who says what to fetch next. gaps: who writes the answer. sufficiency: a judge."),
]
Budget = Annotated[
    int, typer.Option(min=0, max=1_000_000, help="Tokens in all, parts in proportion; 0 takes the setting (8000).")
]
Seconds = Annotated[float, typer.Option("--timeout", min=1, max=MOST_SECONDS, help="Seconds for the whole answer.")]
Shown = Annotated[bool, typer.Option("--open", help="Show it as a page as well: source beside it, diagrams drawn.")]


async def ask(
    question: Question,
    repo: Repo = "",
    mode: Mode = "auto",
    passes: Annotated[int, typer.Option(min=0, max=10, help="Passes at most; 0 takes the service's setting (3).")] = 0,
    session: Annotated[str, typer.Option(help="Session to go on with; `cgrag sessions` lists them.")] = "",
    depth: Annotated[DepthName | None, typer.Option(help="quick: one pass. deep: all passes.")] = None,
    strategy: Strategy = None,
    budget: Budget = 0,
    seconds: Seconds = 300.0,
    no_gaps: Annotated[bool, typer.Option("--no-gaps", help="Short for --without gaps.")] = False,
    without: Annotated[list[Part] | None, typer.Option(help="Part of retrieval to turn off; may be repeated.")] = None,
    shown: Shown = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one AnswerEvent as JSON a line.")] = False,
) -> None:
    """
    Ask a question about an indexed repository.

    Progress goes to stderr, the answer to stdout, so that it can be piped and redirected.

    Examples:

        cgrag ask "Why do I get FieldError: Cannot resolve keyword into field?" --repo django

        cgrag ask "Trace what happens when a request reaches a view" --mode exploratory --passes 2

        cgrag ask "Which modules are most coupled to the ORM?" --open

        cgrag ask "What does select_related do?" --json | tail -1 | jq .completed.answer.citations
    """
    options = orchestrator_pb2.AskOptions(
        mode=_mode(mode),
        max_passes=passes,
        strategy=orchestrator_pb2.Strategy.Value(f"STRATEGY_{strategy or 'unspecified'}".upper()),
        depth=orchestrator_pb2.Depth.Value(f"DEPTH_{depth or 'unspecified'}".upper()),
        budget=question_pb2.Budget(total_tokens=budget),
        switches=_switches({*(without or ()), *((Part.GAPS,) if no_gaps else ())}),
    )

    if shown and as_json:
        raise UsageError("--open writes a page, --json prints events; choose one")
    text = _question(question)
    async with open_repository(repo) as (client, repository):
        events = client.answers.ask(
            text, repository=repository, options=options, session_id=session, timeout_seconds=seconds
        )
        await (print_events(events) if as_json else show_answer(client, repository, events, shown=shown))


async def explain(question: Question, repo: Repo = "", mode: Mode = "auto", as_json: Json = False) -> None:
    """
    Say how a question would be answered, without answering it.

    Mode, plan, what the index covers, and the evidence of a first pass; no model is asked.

    Example:

        cgrag explain "Which modules are most coupled to the ORM?" --repo django
    """
    text = _question(question)
    async with open_repository(repo) as (client, repository):
        options = orchestrator_pb2.AskOptions(mode=_mode(mode))
        response = await client.answers.explain(text, repository=repository, options=options)
        if as_json:
            print_message(response)
            return
        links = await links_for(client, repository)
    for line in explanation(response, links):
        print_line(line)


async def print_events(events: Events) -> None:
    """Print one event as JSON a line."""
    async with aclosing(events):
        async for event in events:
            print_message(event)


async def show_answer(client: Client, repository: str, events: Events, *, shown: bool = False) -> None:
    """Show the progress on stderr and the answer on stdout, and as a page as well if `shown`."""
    job = await latest_job(client, repository)
    links = links_of(job)
    answer = orchestrator_pb2.Answer()
    with LiveProgress(stderr(), links) as progress:
        async with aclosing(events):
            async for event in events:
                progress.show(event)
                if event.WhichOneof("event") == "completed":
                    answer = event.completed.answer
    console = stdout()
    if console.is_terminal:
        console.print(rich_answer(answer, links))
    else:
        sys.stdout.write(plain_answer(answer))
    if told := following(job):
        print_line(Text(told, style="dim"), stderr())
    if shown:
        await open_page(client, answer)


def _question(text: str) -> str:
    question = sys.stdin.read() if text == "-" else text
    if not question.strip():
        raise UsageError("the question is empty; put it in quotes, or pipe it in with -")
    return question


def _mode(name: ModeName) -> question_pb2.Mode.ValueType:
    return question_pb2.Mode.Value("MODE_UNSPECIFIED" if name == "auto" else f"MODE_{name}".upper())


def _switches(parts: Collection[Part]) -> question_pb2.Switches:
    return question_pb2.Switches(
        without_code_index=Part.INDEX in parts,
        without_call_graph=Part.GRAPH in parts,
        without_source=Part.SOURCE in parts,
        without_mode_routing=Part.ROUTING in parts,
        without_gap_resolution=Part.GAPS in parts,
        without_vectors=Part.VECTORS in parts,
    )
