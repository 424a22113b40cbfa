"""Options and arguments that several commands have, and files and folders that are named on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

Repo = Annotated[str, typer.Option("--repo", "-r", help="Repository; by default the only one, or the folder's name.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


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
