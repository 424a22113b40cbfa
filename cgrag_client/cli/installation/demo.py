"""`cgrag demo`: everything once, on this machine, on one screen."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from cgrag.type.v1 import code_pb2
from rich.text import Text

from cgrag_client.cli.answers.ask import print_events, show_answer
from cgrag_client.cli.answers.session import source_of_an_indexer
from cgrag_client.cli.console import stderr
from cgrag_client.cli.exits import Exit, run
from cgrag_client.cli.installation.suite_display import SuiteDisplay
from cgrag_client.cli.repositories.index import follow
from cgrag_client.client import Client
from cgrag_client.connecting.settings import SERVICES, data_folder, load_settings
from cgrag_client.indexes import is_served, source_of
from cgrag_client.suite import Suite, SuiteSettings, find_checkout, free_ports
from cgrag_client.suite.running import find_running

if TYPE_CHECKING:
    from cgrag.indexer.v1 import indexer_pb2
    from cgrag.indexer.v1.indexer_pb2 import Source

    from cgrag_client.connecting.settings import ClientSettings

# About this repository; where the error is raised is found at once, what its callers rely on in a second pass.
OWN_QUESTION = "Why do I get StartupError when a port is taken?"
_OWN_SOURCE = str(Path(__file__).resolve().parents[3])
ANY_QUESTION = "Which modules are most coupled?"
_CENTRAL = "main public interface: application, client, command, parser"
_CANDIDATES = 40


def demo(
    repo: Annotated[str, typer.Option(metavar="PATH_OR_URL", help="Repository to index.")] = ".",
    question: Annotated[
        str, typer.Option(help="Question to ask; by default one about a central type of the repository.")
    ] = "",
    revision: Annotated[str, typer.Option(help="Branch, tag or commit; by default a folder as it is.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer's events as JSON, one a line.")] = False,
) -> None:
    """
    Start, index, ask and stop: all at once.

    This is what `make run REPO=... Q=...` does. The index is kept, so the next run reads changed files only. Services
    that `cgrag up` started are used, and go on.

    Example:

        cgrag demo --repo ~/src/flask --question "How does a request find its view function?"
    """
    run(_demo(source_of_an_indexer(repo, revision), question.strip(), revision, as_json=as_json))


async def _demo(source: str, question: str, revision: str, *, as_json: bool) -> None:
    place = source_of(source, revision)
    settings = load_settings(os.environ)
    data = data_folder(os.environ).resolve()
    if found := find_running(data):
        _say(f"Using the services that run already (process {found.pid})")
        await _index_and_ask(found.reached_by(settings), place, question, as_json=as_json)
        return
    ports = free_ports()  # what runs here already is not in the way
    addresses = ports.addresses(settings)
    suite = SuiteSettings(
        find_checkout(os.environ, Path.cwd()),
        data,
        ports,
        os.environ,
        SERVICES,
        readable=(Path(source),) if source.startswith("/") else (),
    )
    _say("Starting the services")
    with SuiteDisplay(stderr(), addresses) as display:
        running = Suite(suite, display.show)
        await running.start()
    try:
        await _index_and_ask(addresses, place, question, as_json=as_json)
    finally:
        await running.stop()


async def _index_and_ask(addresses: ClientSettings, source: Source, question: str, *, as_json: bool) -> None:
    async with Client(addresses) as client:
        _say(f"Indexing {source.local_path or source.git.url.removeprefix('file://')}")
        job = await follow(client, await client.indexes.start(source), wait="core")
        if not is_served(job):
            raise typer.Exit(Exit.FAILED)
        question = question or await fitting_question(client, job)
        _say(question)
        events = client.answers.ask(question, repository=job.repository)
        await (print_events(events) if as_json else show_answer(client, job.repository, events))


async def fitting_question(client: Client, job: indexer_pb2.IndexJob) -> str:
    """
    Return a question that the indexed repository can answer: about the longest public class with a docstring.

    The classes are taken from the results of two searches. For this project's own repository, it is a fixed question
    that takes two passes to answer.
    """
    if job.source.local_path == _OWN_SOURCE:
        return OWN_QUESTION
    found = [
        each.symbol
        for query in (job.repository, _CENTRAL)
        for each in (await client.code.search(query, repository=job.repository, limit=_CANDIDATES)).symbols
    ]
    public = [each for each in found if each.kind == code_pb2.SYMBOL_KIND_CLASS and each.qualified_name.isalnum()]
    for ref in sorted(public, key=lambda each: (each.start_line - each.end_line, each.path)):
        symbols = await client.code.lookup(ref.qualified_name, repository=job.repository, path=ref.path, limit=1)
        if any(each.docstring for each in symbols):
            return f"What does {ref.qualified_name} do?"
    return ANY_QUESTION


def _say(text: str) -> None:
    stderr().print(Text.assemble("\n", ("● ", "cyan"), (text, "bold")), highlight=False)
