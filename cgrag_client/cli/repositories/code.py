"""`cgrag search`, `symbol` and `read`: the index without a question."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2
from rich.text import Text

from cgrag_client.cli.answers.session import links_for, open_repository
from cgrag_client.cli.console import print_line, print_message, stderr
from cgrag_client.cli.exits import Exit
from cgrag_client.cli.options import Json, Repo  # noqa: TC001 - used by typer itself at run time
from cgrag_client.errors import UsageError
from cgrag_client.render.clean import cleaned, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgrag_client.render.links import Links


_MOST_LINES = 2**31 - 1
"""The largest line number that the contract allows."""


async def search(
    query: Annotated[str, typer.Argument(help="Words, names, an error message.", show_default=False)],
    repo: Repo = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Results of each kind.")] = 10,
    path: Annotated[str, typer.Option(help="Only paths that start with this.")] = "",
    tests: Annotated[bool, typer.Option("--tests", help="Search test files too.")] = False,
    as_json: Json = False,
) -> None:
    """
    Rank files, symbols and documents for a text.

    The ranking uses words, names, neighbours in the call graph and, if vectors were made, similarity of meaning.

    Example:

        cgrag search "cannot resolve keyword into field" --repo django -n 5
    """

    async with open_repository(repo) as (client, repository):
        found = await client.code.search(
            query, repository=repository, limit=limit, path_prefix=path, include_tests=tests
        )
        if as_json:
            print_message(found)
            return
        links = await links_for(client, repository)
    for line in _found(found, links):
        print_line(line)
    if not (found.symbols or found.files or found.docs):
        stderr().print("no place has any of these words; try names as the code writes them", highlight=False)


async def symbol(
    name: Annotated[
        str, typer.Argument(help="Like send, Client.send or app.client.Client.send.", show_default=False)
    ] = "",
    repo: Repo = "",
    path: Annotated[str, typer.Option(help="Only files whose path ends with this.")] = "",
    raises: Annotated[str, typer.Option(help="Only what raises this exception.")] = "",
    mutates: Annotated[str, typer.Option(help="Only what changes this state.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many.")] = 50,
    as_json: Json = False,
) -> None:
    """
    Find definitions by name, or by what they raise or change.

    Definitions with exactly this name come first. Exits with 4 if there is none.

    Examples:

        cgrag symbol Client.send --repo httpx

        cgrag symbol --raises UsageError --repo click

        cgrag symbol send --path _client.py --json | jq -r ".symbols[].signature"
    """
    if not (name or raises or mutates):
        raise typer.BadParameter("give a name, --raises or --mutates")

    async with open_repository(repo) as (client, repository):
        found, similar = await client.code.lookup_or_similar(
            name, repository=repository, path=path, limit=limit + 1, raises=raises, mutates=mutates
        )
        more, found = len(found) > limit, found[:limit]
        links = await links_for(client, repository)
    if as_json:
        print_message(retriever_pb2.LookupSymbolsResponse(symbols=found))
    for each in () if as_json else map(cleaned, found):
        span = code_pb2.Span(path=each.ref.path, start_line=each.ref.start_line, end_line=each.ref.end_line)
        print_line(links.place(span).append(f"  {each.signature}", "default"))
    if more:
        stderr().print(f"the first {limit}; --limit shows more", highlight=False)
    if not found:
        meant = f"; did you mean {' or '.join(similar)}?" if similar else ""
        print_line(f"no symbol is named {name}{meant}" if name else "no symbol does that", stderr())
        raise typer.Exit(Exit.NOT_FOUND)


async def read(
    place: Annotated[
        str, typer.Argument(metavar="PATH[:START[-END]]", help="For example src/app.py:10-40.", show_default=False)
    ],
    repo: Repo = "",
    as_json: Json = False,
) -> None:
    """
    Print source text as it was indexed.

    Later changes of the file are visible after `cgrag index`.

    Example:

        cgrag read httpx/_client.py:880-920 --repo httpx
    """

    async with open_repository(repo) as (client, repository):
        texts = await client.code.read([_span(place)], repository=repository)
    for each in texts:
        if as_json:
            print_message(each)
        else:
            sys.stdout.write(printable(each.text) if sys.stdout.isatty() else each.text)


def _found(found: retriever_pb2.SearchResponse, links: Links) -> Iterator[Text]:
    found = cleaned(found)
    if found.symbols:
        yield Text("Symbols", style="bold")
    for ranked in found.symbols:
        ref = ranked.symbol
        place = links.place(code_pb2.Span(path=ref.path, start_line=ref.start_line, end_line=ref.end_line))
        yield Text.assemble(
            _score(ranked.score), place, "  ", ref.qualified_name, (f"  {_signals(ranked.signals)}", "dim")
        )
    if found.files:
        yield Text("Files", style="bold")
    for file in found.files:
        place = links.place(code_pb2.Span(path=file.path))
        yield Text.assemble(_score(file.score), place, (f"  {_signals(file.signals)}", "dim"))
    if found.docs:
        yield Text("Documents", style="bold")
    for doc in found.docs:
        yield Text.assemble(_score(doc.score), links.place(doc.span), "  ", doc.title)
    if found.quality.skipped:
        yield Text(f"not run: {', '.join(found.quality.skipped)}", style="yellow")


def _score(value: float) -> tuple[str, str]:
    return f"  {value:8.3g}  ", "dim"


def _signals(signals: Sequence[str]) -> str:
    return ", ".join(signals)


def _span(place: str) -> code_pb2.Span:
    path, _, lines = place.rpartition(":")
    start, dash, end = lines.partition("-")
    if not path or not start.isdigit() or (dash and not end.isdigit()):
        if lines and not path:
            return code_pb2.Span(path=lines)
        raise UsageError(f"{place}: expected PATH, PATH:LINE or PATH:START-END")
    if max(int(start), int(end or start)) > _MOST_LINES:
        raise UsageError(f"{place}: no file has so many lines; check the numbers")
    return code_pb2.Span(path=path, start_line=int(start), end_line=int(end or start))
