"""Writes the page of an answer and shows it."""

from __future__ import annotations

import os
import sys
import webbrowser
from typing import TYPE_CHECKING

from cgrag.type.v1 import code_pb2
from rich.text import Text

from cgrag_client.cli.console import print_line, stderr
from cgrag_client.connecting.settings import data_folder
from cgrag_client.errors import ClientError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from cgrag.orchestrator.v1 import orchestrator_pb2
    from cgrag.type.v1 import evidence_pb2

    from cgrag_client.client import Client
    from cgrag_client.page.document import Source

_FOLDER = "pages"
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


async def open_page(client: Client, answer: orchestrator_pb2.Answer) -> Path:
    """Write the page of an answer into the data folder, and open it in a browser if a display is available."""
    from cgrag_client.page.document import page  # slow to import, and seldom used

    sources = {each.number: found for each in answer.citations if (found := await _source(client, answer, each))}
    file = data_folder(os.environ).resolve() / _FOLDER / f"{answer.answer_id}.html"
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.write_text(page(answer, sources), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{file}: cannot be written ({error.strerror}); name another folder with CGRAG_DATA_DIR"
        ) from error
    print_line(Text.assemble(("page ", "dim"), str(file)), stderr())
    if sys.platform == "darwin" or any(os.environ.get(name) for name in _SCREENS):
        webbrowser.open(file.as_uri())
    return file


async def _source(client: Client, answer: orchestrator_pb2.Answer, citation: evidence_pb2.Citation) -> Source | None:
    """Read the cited source from the snapshot that the answer used; None if it cannot be read any more."""
    from cgrag_client.page.document import MOST_LINES, Source

    span = citation.span
    first, last = max(1, span.start_line), max(span.start_line, span.end_line, 1)
    shown = code_pb2.Span(path=span.path, start_line=first, end_line=min(last, first + MOST_LINES - 1))
    try:
        [found] = await client.code.read([shown], repository=answer.repository, snapshot_id=answer.snapshot_id)
    except ClientError:
        return None
    return Source(found.text, max(0, last - shown.end_line))
