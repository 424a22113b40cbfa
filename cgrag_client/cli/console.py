"""Where commands write: answers and data on stdout, progress and errors on stderr."""

from __future__ import annotations

import io
import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

    from rich.table import Table
    from rich.text import Text

M = TypeVar("M", bound=Message)

_WIDER_THAN_ANY_TABLE = 10_000


class _Output(Console):
    """A console whose broken-pipe errors are handled by the command line."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Unheard(io.TextIOBase):
    """
    Standard error whose failures are ignored: a command does not end because progress cannot be written.

    Args:
        stream: The real standard error.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]  # the base class leaves it open
        """Encoding of the stream."""
        return self._stream.encoding

    def write(self, text: str, /) -> int:
        """Write; ignore a failure."""
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush; ignore a failure."""
        with suppress(OSError, ValueError):
            self._stream.flush()

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor of the stream."""
        return self._stream.fileno()


def stdout() -> Console:
    """Return a console for results; without control codes unless stdout is a terminal; rich's markup is off."""
    return _Output(soft_wrap=False, markup=False, emoji=False)


def stderr() -> Console:
    """Return a console for progress and errors; without control codes unless on a terminal; rich's markup is off."""
    return Console(stderr=True, markup=False, emoji=False)


def print_table(table: Table) -> None:
    """
    Print a table of results without truncating any cell.

    If stdout is no terminal, cells are not wrapped, so that `grep` and `cut` can process the rows. On a terminal that
    is too narrow even for wrapped cells, lines are longer than the terminal: a truncated name or id would be useless.
    """
    console = stdout()
    wide = console.options.update(width=_WIDER_THAN_ANY_TABLE)
    for column in table.columns:
        if column.no_wrap:  # rich measures the longest word only
            cells = (column.header, *column.cells)
            column.min_width = max(console.measure(cell, options=wide).maximum for cell in cells)
    needed = console.measure(table, options=wide)
    console.width = max(console.width, needed.minimum if console.is_terminal else needed.maximum)
    console.print(table)


def print_found(found: Sequence[M], table: Callable[[Sequence[M]], Table], nothing: str, *, as_json: bool) -> None:
    """
    Print a list of results as a table, or as JSON, a line for each.

    Args:
        nothing: Message on stderr in place of an empty table.
    """
    if as_json:
        for each in found:
            print_message(each)
    elif found:
        print_table(table(found))
    else:
        stderr().print(nothing, highlight=False)


def print_line(line: Text | str, console: Console | None = None) -> None:
    """Print a line on stdout or another console; it is wrapped between words on a terminal only."""
    out = console or stdout()
    out.print(line, highlight=False, soft_wrap=not out.is_terminal)


def print_message(message: Message) -> None:
    """Print a protobuf message as `print_json` does, and flush; field names are those of protobuf's JSON."""
    print_json(MessageToDict(message))
    sys.stdout.flush()


def print_json(value: object) -> None:
    """Print a value as JSON on one line; non-ASCII characters are escaped unless stdout's encoding is Unicode."""
    is_unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    sys.stdout.write(json.dumps(value, ensure_ascii=not is_unicode) + "\n")
