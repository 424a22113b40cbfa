"""The `cgrag` command line; one file for each group of commands."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperOption
from typer.main import get_command

from cgrag_client.cli.answers import ask, citations, context, replay, shadow
from cgrag_client.cli.console import Unheard
from cgrag_client.cli.exits import EXIT_CODES_HELP, Exit, report
from cgrag_client.cli.installation import agents, config, demo, evaluate, services, status, token
from cgrag_client.cli.options import Commands
from cgrag_client.cli.repositories import code, findings, index, jobs, precise, snapshots
from cgrag_client.errors import ClientError, UsageError
from cgrag_client.suite import SuiteError
from cgrag_client.version import installed_version

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HELP = """\
Answers questions about codebases from their source, with citations.

Start here:

    cgrag up                         start the services; leave it running
    cgrag index ~/src/flask          make a repository answerable
    cgrag ask "What does g hold?"    ask about it

`cgrag COMMAND --help` has examples for each command. Every command that reads has `--json`.
"""

_COMMANDS: Sequence[tuple[str, str, Commands | Callable[..., object]]] = (
    ("Run", "demo", demo.demo),
    ("Run", "up", services.up),
    ("Run", "down", services.down),
    ("Ask", "index", index.index),
    ("Operate", "jobs", jobs.GROUP),
    ("Operate", "delete", jobs.delete),
    ("Operate", "snapshots", snapshots.GROUP),
    ("Operate", "debt", snapshots.debt),
    ("Operate", "ratings", snapshots.ratings),
    ("Operate", "precise", precise.GROUP),
    ("Ask", "ask", ask.ask),
    ("Ask", "explain", ask.explain),
    ("Ask", "replay", replay.replay),
    ("Ask", "citations", citations.citations),
    ("Operate", "shadow", shadow.shadow),
    ("Ask", "context", context.GROUP),
    ("Look", "search", code.search),
    ("Look", "symbol", code.symbol),
    ("Look", "read", code.read),
    ("Look", "findings", findings.GROUP),
    ("Run", "status", status.status),
    ("Look", "repos", status.repos),
    ("Look", "sessions", status.sessions),
    ("Ask", "rate", status.rate),
    ("Run", "config", config.GROUP),
    ("Operate", "token", token.token),
    ("Run", "mcp", agents.mcp),
)
"""Panel of the help, name, and command or group of commands."""


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"cgrag {installed_version()}\n")
        raise typer.Exit


def build_app() -> typer.Typer:
    """Put the commands together."""
    app = Commands(
        name="cgrag",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
        help=HELP,
        epilog=EXIT_CODES_HELP,
    )
    app.callback()(_options)
    for panel, name, command in _COMMANDS:
        if isinstance(command, Commands):
            app.add_typer(command, name=name, rich_help_panel=panel)
        else:
            app.command(name, rich_help_panel=panel)(command)
    evaluate.register(app)
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, by default with the arguments of the process; returns the exit code."""
    _prepare_streams()
    try:
        _require_text(sys.argv[1:] if arguments is None else arguments)
        code = _run(arguments)
        sys.stdout.flush()  # report failures of writing here, not by the interpreter at exit
    except (ClientError, UsageError, SuiteError) as error:
        return report(error)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except OSError as error:
        _discard_output()
        return Exit.READER_GONE if isinstance(error, BrokenPipeError) else report(error)
    return code


def _options(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    pass  # its arguments were parsed by the time that it is called


def _prepare_streams() -> None:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the parent process
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open as long as we run
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no ✓ shows ? instead of a traceback
    if not isinstance(sys.stderr, Unheard):
        sys.stderr = Unheard(sys.stderr)
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - as above
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # text that is piped in may be anything


def _discard_output() -> None:
    """Discard buffered output that cannot be written: the interpreter would retry it at exit and print an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        command = get_command(build_app())
        _tell_types_plainly(typer.Context(command, **command.context_settings))
        command(args=arguments, prog_name="cgrag")  # shell completion needs this name, however it was started
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # while help was printed, for which click would exit with 1
            raise end.__context__ from None
        return end.code if isinstance(end.code, int) else 0
    return 0


def _tell_types_plainly(context: typer.Context) -> None:
    """Let help show no `<bool>` after flags, which take no value, and only the bounds of ranges."""
    command: Any = context.command
    for option in command.get_params(context):
        if not isinstance(option, TyperOption) or option.metavar is not None:
            continue
        if option.is_flag:
            option.metavar = ""
        elif (shown := option.display_type(context)).endswith(" range>"):
            option.metavar = shown.replace(" range>", ">")
    for each in getattr(command, "commands", {}).values():
        _tell_types_plainly(typer.Context(each, parent=context))


def _require_text(arguments: Sequence[str]) -> None:
    """Refuse arguments that are not valid text: protobuf strings cannot carry them."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            shown = argument.encode(errors="replace").decode()
            raise UsageError(f"{shown!r} is not UTF-8; write it in that encoding, or pipe the text in with -") from None
