"""`cgrag context` and `cgrag context refine`: everything that a task needs, within a budget."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from cgrag.classifier.v1 import classifier_pb2, classifier_pb2_grpc
from cgrag.retriever.v1 import retriever_pb2
from rich.text import Text
from typer.core import TyperGroup

from cgrag_client.cli.answers.session import open_repository
from cgrag_client.cli.console import print_line, print_message, stderr
from cgrag_client.cli.exits import run
from cgrag_client.cli.options import Commands, Repo
from cgrag_client.errors import ClientError, UsageError
from cgrag_client.render.clean import printable

if TYPE_CHECKING:
    from cgrag.type.v1 import question_pb2

    from cgrag_client.client import Client

FormatName = Literal["markdown", "prompt", "json"]
Json = Annotated[bool, typer.Option("--json", help="Print the whole package as JSON for scripts.")]

_MOST_TOKENS = 10_000_000
_MOST_CO_CHANGES = 100_000
"""What the service takes at most."""

HELP = """
Gather what a task needs: source to change, what it depends on, its tests and its reasons.

`cgrag context "TASK"` builds a package, `cgrag context refine TASK_ID` adds what was missing. The stage `scope` grows
files in tiers: what the task mentions, direct dependencies both ways, files that changed together, files whose concepts
or symbols match its words. The stage `precision` sorts their symbols: primary (shown in full), supporting (signatures),
types (shapes), excluded. Over budget, bodies shrink to signatures, the least important first, and what is only near is
left out before the most important ones shrink.

Examples:

    cgrag context "Retry Client.send on timeouts" --context-window 8000 --reserved-tokens 1000

    cgrag context "Retry Client.send on timeouts" --budget-file budget.toml --format prompt > prompt.txt

    cgrag context refine task_1f3a --symbol Pool.acquire --reason "its limit matters"
"""


Window = Annotated[
    int | None, typer.Option("--context-window", help="Tokens that the reader's window holds.", show_default=False)
]
Reserved = Annotated[
    int | None, typer.Option("--reserved-tokens", help="Tokens of the window that are not for context; 0 if unset.")
]
CoChanges = Annotated[
    int,
    typer.Option(
        "--min-co-changes", min=1, max=_MOST_CO_CHANGES, help="Common commits from which a file is a neighbour."
    ),
]


class _TaskFirst(TyperGroup):
    """A group of commands that passes a first argument which names no command to `build`, as the task."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]  # its Context
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = ["build", *args]
        return super().parse_args(ctx, args)


GROUP = Commands(cls=_TaskFirst, help=HELP, no_args_is_help=True, rich_markup_mode="markdown")


@GROUP.command("build")
def build(
    task: Annotated[str, typer.Argument(help="What is to be done; - reads it from stdin.", show_default=False)],
    repo: Repo = "",
    stages: Annotated[str, typer.Option(help="Stages in order, with commas.")] = "scope,precision",
    window: Window = None,
    reserved: Reserved = None,
    budget_file: Annotated[
        str, typer.Option(help="TOML or JSON with `window` and `reserved`, instead of the two options.")
    ] = "",
    form: Annotated[FormatName, typer.Option("--format", help="Form of the package.")] = "markdown",
    co_changes: CoChanges = 3,
    task_id: Annotated[str, typer.Option(help="Identity of the task, to get the same package again.")] = "",
    as_json: Json = False,
) -> None:
    """
    Build the context of a task; `build` may be left out.

    The package goes to stdout, what it holds and how to refine it to stderr.

    Example:

        cgrag context build - --context-window 8000 --format prompt < task.txt > prompt.txt
    """
    window, reserved = _budget(window, reserved, Path(budget_file) if budget_file else None)
    if max(abs(window), abs(reserved)) > _MOST_TOKENS:
        raise UsageError(f"no window holds more than {_MOST_TOKENS:,} tokens, and none can be reserved of it")
    text = sys.stdin.read() if task == "-" else task
    if not text.strip():
        raise UsageError("the task is empty; put it in quotes, or pipe it in with -")

    async def work() -> None:
        async with open_repository(repo) as (client, repository):
            request = retriever_pb2.BuildContextRequest(
                repository=repository,
                task=text,
                task_id=task_id,
                stages=[each.strip() for each in stages.split(",") if each.strip()],
                context_window_tokens=window,
                reserved_tokens=reserved,
                min_co_changes=co_changes,
                format=retriever_pb2.ContextFormat.Value(f"CONTEXT_FORMAT_{form}".upper()),
                anchors=await _anchors(client, text),
            )
            _show(await client.code.build_context(request), as_json=as_json)

    run(work())


@GROUP.command("refine")
async def refine(
    task_id: Annotated[str, typer.Argument(help="Identity, as the first package said.", show_default=False)],
    repo: Repo = "",
    file: Annotated[list[str] | None, typer.Option(help="File that was missing; may be repeated.")] = None,
    symbol: Annotated[list[str] | None, typer.Option(help="Symbol that was missing; may be repeated.")] = None,
    test: Annotated[list[str] | None, typer.Option(help="Test or test file that was missing; may be repeated.")] = None,
    error: Annotated[list[str] | None, typer.Option(help="Error message that came up; may be repeated.")] = None,
    reason: Annotated[str, typer.Option(help="Why, for whoever reads the package.")] = "",
    as_json: Json = False,
) -> None:
    """
    Add what was missing to the context of a task; the budget stays the same.

    Names that are not in the index are reported, and nothing is added in their place.

    Example:

        cgrag context refine task_1f3a --file src/pool.py --error "PoolTimeout: no free connection"
    """
    if not (file or symbol or test or error):
        raise UsageError("what was missing? Name --file, --symbol, --test or --error")

    async with open_repository(repo) as (client, repository):
        request = retriever_pb2.RefineContextRequest(
            repository=repository,
            task_id=task_id,
            missing_files=file or (),
            missing_symbols=symbol or (),
            missing_tests=test or (),
            error_signatures=error or (),
            reason=reason,
        )
        _show(await client.code.refine_context(request), as_json=as_json)


def _budget(window: int | None, reserved: int | None, file: Path | None) -> tuple[int, int]:
    if file is None:
        if window is None:
            raise UsageError("how large is the reader's window? Name --context-window or --budget-file")
        return window, reserved or 0
    if window is not None or reserved is not None:
        raise UsageError("name either --budget-file, or --context-window and --reserved-tokens, not both")
    try:
        text = file.read_text(encoding="utf-8")
        content = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: {error}; expected TOML, or JSON in a file named *.json") from None
    known = isinstance(content, dict) and set(content) == {"window", "reserved"}
    if not known or not all(type(each) is int for each in content.values()):
        raise UsageError(f"{file}: expected two whole numbers, window and reserved, and nothing else")
    return content["window"], content["reserved"]


async def _anchors(client: Client, task: str) -> question_pb2.Anchors | None:
    """Return what the task mentions, as the classifier finds it; None if that fails: the retriever then finds it."""
    connection = client.connection("classifier")
    stub = classifier_pb2_grpc.ClassifierServiceStub(connection.channel)
    request = classifier_pb2.AnalyzeTaskRequest(task=task)
    try:
        found = await connection.call(stub.AnalyzeTask, request)
    except ClientError as error:
        stderr().print(Text(f"without the classifier: {error.reason}", style="dim"))
        return None
    return found.anchors


def _show(package: retriever_pb2.ContextPackage, *, as_json: bool) -> None:
    if as_json:
        print_message(package)
        return
    text = package.rendered.rstrip("\n") + "\n" if package.rendered else ""
    sys.stdout.write(printable(text) if sys.stdout.isatty() else text)
    demoted = sum(each.demoted for each in package.entries)
    if package.not_found:
        missed = printable(", ".join(package.not_found))
        print_line(Text.assemble(("not found, or not clear enough:", "yellow"), f" {missed}"), stderr())
    print_line(
        f"{len(package.entries)} entries, {demoted} of them as signatures only; {package.used_tokens} of"
        f" {package.limit_tokens} tokens. Something missing? cgrag context refine {package.task_id} --symbol NAME",
        stderr(),
    )
