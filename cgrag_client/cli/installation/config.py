"""`cgrag config check`: the settings in force and where each came from."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from cgrag_client.cli.console import print_json, print_line, print_table, stdout
from cgrag_client.cli.options import Commands
from cgrag_client.connecting.settings import SERVICES, inherited, meant, read_file
from cgrag_client.errors import UsageError
from cgrag_client.suite import find_checkout
from cgrag_client.suite.running import running_here, settings_in_force

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = Mapping[str, str]

_TABULAR = 120
"""Columns that the table of names, values and variables needs; narrower terminals get one line for each setting."""
_WIDE = 140
"""Columns from which descriptions are shown: in fewer, each would take several lines; docs/settings.md has them."""
_NO_SETTINGS = frozenset({"CGRAG_CONFIG", "CGRAG_HOME", "CGRAG_SERVICE", "CGRAG_TOKEN"})
"""Variables that start with CGRAG_ and are no settings: aliases, and variables of images and of process starters."""
_MISTAKE = "- "
"""Prefix of each mistake that a service reports."""

GROUP = Commands(no_args_is_help=True, help="Look at the settings.")


@GROUP.command("check")
async def check(
    changed: Annotated[bool, typer.Option("--changed", help="Leave defaults out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for scripts.")] = False,
) -> None:
    """
    Print the settings in force and where each came from: default, file, an environment variable, or `cgrag up`.

    Where services of `cgrag up` run, ports, addresses and folders are those that they were started with.

    The file is the one that CGRAG_CONFIG names. All mistakes are reported at once; then the exit code is 2.

    Example:

        CGRAG_CONFIG=cgrag.toml cgrag config check --changed
    """
    checkout = find_checkout(os.environ, Path.cwd())
    running = running_here(os.environ)
    given = running.variables if running else {}
    names = read_file(os.environ)  # an unreadable file is reported once, not by every service
    outcomes = await asyncio.gather(
        _own(), *(_ask_service(name, checkout, given.get(name, {})) for name in SERVICES), return_exceptions=True
    )
    rows: list[Row] = []
    problems = [_unread(name, value) for name, value in names.items() if name not in (*SERVICES, "client")]
    for outcome in outcomes:
        if isinstance(outcome, UsageError):
            problems += str(outcome).splitlines()
        elif isinstance(outcome, BaseException):
            raise outcome
        else:
            rows += outcome
    if not problems:  # otherwise a service did not report its settings
        problems += _unknown(rows)
    if problems:
        once = dict.fromkeys(problems)  # services share settings
        raise UsageError("\n".join(["settings are wrong", *once]))
    if changed:
        rows = [row for row in rows if row["source"] != "default"]
    if as_json:
        print_json({"settings": rows})
    elif stdout().is_terminal and stdout().width < _TABULAR:
        for row in rows:
            print_line(_line(row))
    else:
        print_table(_table(rows, described=stdout().width >= _WIDE))


def _unread(name: str, value: object) -> str:
    """Return the message for an entry of the file that no service reads."""
    known = (*SERVICES, "client")
    tables = ", ".join(f"[{each}]" for each in known)
    if isinstance(value, dict):
        return f"[{name}]: no such table{meant(name, known)}; there are {tables}"
    return f"{name}: outside of a table; settings stand in one of {tables}"


def _unknown(rows: Sequence[Row]) -> list[str]:
    """Return a message for each CGRAG_* variable that neither the client nor any service reads."""
    known = {*_NO_SETTINGS, *(row.get(kind, "") for row in rows for kind in ("variable", "file_variable"))}
    names = sorted(name for name in os.environ if name.startswith("CGRAG_") and name not in known)
    return [f"{name}: no such setting{meant(name, known)}; docs/settings.md has them all" for name in names]


async def _own() -> Sequence[Row]:
    _, origins = settings_in_force(os.environ)
    return [asdict(each) for each in origins]


async def _ask_service(name: str, checkout: Path, given: Mapping[str, str]) -> Sequence[Row]:
    """Ask a service for its settings; `given` are variables that `cgrag up` started it with."""
    path = os.pathsep.join((str(checkout), str(checkout / "protos" / "gen")))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", name, "--print-settings"),
        cwd=checkout,
        env={**inherited(os.environ), **given, "PYTHONPATH": path},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    if process.returncode != 0:
        told = errors.decode(errors="replace").strip() or f"{name} ended with code {process.returncode}"
        mistakes = [line.removeprefix(_MISTAKE) for line in told.splitlines() if line.startswith(_MISTAKE)]
        raise UsageError("\n".join(mistakes) or told)
    rows: Sequence[Row] = json.loads(output)
    changed = {variable for variable, value in given.items() if os.environ.get(variable) != value}
    return [{**row, "source": "cgrag up"} if row["source"] in changed else row for row in rows]


def _line(row: Row) -> Text:
    style = "" if row["source"] == "default" else "bold"
    source = "" if row["source"] == "default" else f"  ({row['source']})"
    return Text.assemble((f"{row['name']} = {row['value']}", style), (source, "dim"))


def _table(rows: Sequence[Row], *, described: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, folded in (("Setting", False), ("Value", True), ("From", False)):
        table.add_column(name, overflow="fold", no_wrap=not folded)
    if described:
        table.add_column("What it is", overflow="fold")
    for row in rows:
        style = "" if row["source"] == "default" else "bold"
        cells = (row["name"], row["value"], row["source"], row["doc"])
        table.add_row(*cells[: len(table.columns)], style=style)
    return table
