"""Options and arguments that several commands have, and files and folders that are named on the command line."""

from __future__ import annotations

from inspect import iscoroutinefunction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from cgrag_client.cli.exits import running

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")

Repo = Annotated[str, typer.Option("--repo", "-r", help="Repository; by default the only one, or the folder's name.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


class Commands(typer.Typer):
    """Commands; those that are coroutine functions run in an event loop of their own."""

    def command(self, *given: Any, **options: Any) -> Callable[[F], F]:
        """Return a decorator that adds a command."""
        add: Callable[[Any], Any] = super().command(*given, **options)
        return lambda function: add(running(function) if iscoroutinefunction(function) else function)


def file_option(what: str, *names: str) -> Any:
    """Declare an option that takes a file."""
    return typer.Option(*names, parser=some_path, metavar="FILE", help=what, show_default=False)


def folder_option(what: str, *names: str) -> Any:
    """Declare an option that takes a folder."""
    return typer.Option(*names, parser=some_path, metavar="FOLDER", help=what, show_default=False)


def file_argument(what: str, metavar: str) -> Any:
    """Declare an argument that is a file."""
    return typer.Argument(parser=some_path, metavar=metavar, help=what, show_default=False)


def some_path(text: str) -> Path:
    """Parse a path; refuse "", as from an unset shell variable: it would mean the current folder."""
    if not text.strip():
        raise typer.BadParameter("it is empty; name a file or folder")
    return Path(text)
