"""`cgrag findings`: what analyzers and scanners found."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path  # noqa: TC003 - used by typer itself at run time
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from cgrag.indexer.v1 import indexer_pb2
from rich.text import Text

from cgrag_client.cli.answers.session import links_for, open_repository
from cgrag_client.cli.console import print_line, print_message, stderr, stdout
from cgrag_client.cli.exits import running
from cgrag_client.cli.options import Commands, Json, Repo, file_argument
from cgrag_client.errors import UsageError
from cgrag_client.render import words
from cgrag_client.render.clean import cleaned

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from cgrag_client.render.links import Links

SeverityName = Literal["info", "low", "medium", "high", "critical"]
CategoryName = Literal["security", "performance", "maintainability", "correctness"]
_STYLES = {"critical": "bold red", "high": "red", "medium": "yellow"}
GROUP = Commands(invoke_without_command=True, rich_markup_mode="markdown")


@GROUP.callback()
@running
async def findings(
    context: typer.Context,
    repo: Repo = "",
    severity: Annotated[SeverityName | None, typer.Option(help="Only these or worse.")] = None,
    category: Annotated[CategoryName | None, typer.Option(help="Only these.")] = None,
    path: Annotated[str, typer.Option(help="Only paths that start with this.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many.")] = 50,
    as_json: Json = False,
) -> None:
    """
    List findings of analyzers and scanners, worst first.

    Analyzers run after each index job; reports of other scanners are imported.

    Examples:

        cgrag findings --severity high --path src/

        cgrag findings import bandit.sarif
    """
    if context.invoked_subcommand:
        context.obj = (repo, as_json)
        return

    async with open_repository(repo) as (client, repository):
        links = None if as_json else await links_for(client, repository)
        found = client.findings.list(
            repository,
            min_severity=indexer_pb2.Severity.Value(f"SEVERITY_{(severity or 'unspecified').upper()}"),
            category=indexer_pb2.FindingCategory.Value(f"FINDING_CATEGORY_{(category or 'unspecified').upper()}"),
            path_prefix=path,
        )
        await _show(found, links, limit)


@GROUP.command("import")
async def import_report(
    context: typer.Context,
    file: Annotated[Path, file_argument("Report of a scanner.", "FILE.sarif")],
    repo: Repo = "",
    as_json: Json = False,
) -> None:
    """
    Import a report in SARIF 2.1.0; it replaces earlier ones of the same tool.

    Findings in a file are listed until the file changes.

    Example:

        semgrep scan --sarif > semgrep.sarif; cgrag findings import semgrep.sarif --repo shop
    """
    before: tuple[str, bool] = context.obj or ("", False)
    repo, as_json = repo or before[0], as_json or before[1]
    try:
        report = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}; give a SARIF file that can be read") from error

    async with open_repository(repo) as (client, repository):
        done = await client.findings.import_report(repository, report)
    if as_json:
        print_message(done)
        return
    outside = f", {words.number(done.outside)} outside of the index left out" if done.outside else ""
    stdout().print(f"{words.count(done.imported, 'finding')} imported{outside}", highlight=False)


async def _show(found: AsyncGenerator[indexer_pb2.Finding], links: Links | None, limit: int) -> None:
    """Print at most `limit` findings, as text with links or as JSON."""
    shown = 0
    async with aclosing(found) as findings:
        async for finding in findings:
            if shown == limit:
                stderr().print(f"the first {limit}; --limit shows more", highlight=False)
                return
            shown += 1
            if links is None:
                print_message(finding)
            else:
                print_line(_line(finding, links))
    if not shown:
        stderr().print("no findings", highlight=False)


def _line(finding: indexer_pb2.Finding, links: Links) -> Text:
    finding = cleaned(finding)
    severity = words.severity(finding.severity)
    holder = f"  {finding.symbol.qualified_name}" if finding.symbol.qualified_name else ""
    return Text.assemble(
        (f"{severity:<8} ", _STYLES.get(severity, "dim")),
        f"{words.category(finding.category):<15} ",
        links.place(finding.span),
        f"  {finding.message}",
        (f"  {finding.tool} {finding.rule}{holder}", "dim"),
    )
