"""Where commands write: answers and data on stdout, progress and errors on stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from google.protobuf.json_format import MessageToJson
from rich.console import Console

if TYPE_CHECKING:
    from google.protobuf.message import Message


def stdout() -> Console:
    """Console for results; without control codes unless stdout is a terminal."""
    return Console(soft_wrap=False)


def stderr() -> Console:
    """Console for progress and errors; without control codes unless stderr is a terminal."""
    return Console(stderr=True)


def print_message(message: Message) -> None:
    """Print a protobuf message as JSON on one line, at once; field names are those of protobuf's JSON."""
    sys.stdout.write(MessageToJson(message, indent=None, ensure_ascii=False) + "\n")
    sys.stdout.flush()
