"""Options that several evaluations have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cgrag_client.cli.options import folder_option

Mirrors = Annotated[str, typer.Option(help="Folder of git repositories.")]
MirrorMap = Annotated[str, typer.Option(help="JSON file {owner/name: folder}.")]
Repository = Annotated[str, typer.Option("--repo", help="Only cases of this repository.")]
Limit = Annotated[int, typer.Option(min=0, help="Only the first cases; 0 means all.")]
Jobs = Annotated[int, typer.Option(min=1, help="Commits at a time.")]
Data = Annotated[Path | None, folder_option("Folder of indexes.")]
Vectors = Annotated[bool, typer.Option(help="Make vectors of each commit and use them.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
