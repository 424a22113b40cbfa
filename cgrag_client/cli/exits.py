"""Exit codes, and the one place that turns errors into messages and codes."""

from __future__ import annotations

import asyncio
import functools
import signal
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import typer
from rich.text import Text

from cgrag_client.cli.console import print_line, stderr
from cgrag_client.errors import ClientError, NothingThere, ServiceUnreachable, UsageError
from cgrag_client.render.clean import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from rich.console import Console

    from cgrag_client.suite import SuiteError

P = ParamSpec("P")
T = TypeVar("T")


class Exit(IntEnum):
    """The exit codes."""

    OK = 0
    FAILED = 1
    USAGE = 2
    UNREACHABLE = 3
    NOT_FOUND = 4
    NOT_READY = 5
    BUSY = 6
    DIFFERENT = 7
    INTERRUPTED = 130
    READER_GONE = 141
    TERMINATED = 143


EXIT_CODES_HELP = (
    "Exit codes: 0 done, 1 the question or job failed, 2 wrong usage or settings, 3 a service is unreachable or did "
    "not start, 4 not found, 5 not ready yet, 6 busy, try later, 7 a replayed answer or a cited place is different, "
    "130 interrupted, 141 nobody reads the output, 143 terminated."
)

_BY_REASON = {
    "ERROR_REASON_INVALID_ARGUMENT": Exit.USAGE,
    "ERROR_REASON_SOURCE_REFUSED": Exit.USAGE,
    "ERROR_REASON_PAGE_TOKEN_INVALID": Exit.USAGE,
    "ERROR_REASON_DEPENDENCY_UNAVAILABLE": Exit.UNREACHABLE,
    "ERROR_REASON_SHUTTING_DOWN": Exit.UNREACHABLE,
    "ERROR_REASON_REPOSITORY_NOT_FOUND": Exit.NOT_FOUND,
    "ERROR_REASON_SNAPSHOT_NOT_FOUND": Exit.NOT_FOUND,
    "ERROR_REASON_JOB_NOT_FOUND": Exit.NOT_FOUND,
    "ERROR_REASON_IMPORT_NOT_FOUND": Exit.NOT_FOUND,
    "ERROR_REASON_SESSION_NOT_FOUND": Exit.NOT_FOUND,
    "ERROR_REASON_ANSWER_NOT_FOUND": Exit.NOT_FOUND,
    "ERROR_REASON_TASK_NOT_FOUND": Exit.NOT_FOUND,
    "ERROR_REASON_SPAN_NOT_FOUND": Exit.NOT_FOUND,
    "ERROR_REASON_SOURCE_UNAVAILABLE": Exit.NOT_FOUND,
    "ERROR_REASON_INDEX_NOT_READY": Exit.NOT_READY,
    "ERROR_REASON_OVERLOADED": Exit.BUSY,
    "ERROR_REASON_QUOTA_EXCEEDED": Exit.BUSY,
}


def run(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine; SIGINT and SIGTERM cancel it, so that it cleans up, and set the exit code."""
    terminated = False

    async def supervised() -> T:
        task = asyncio.ensure_future(work)

        def terminate() -> None:
            nonlocal terminated
            terminated = True
            task.cancel()

        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate)
        return await task

    try:
        return asyncio.run(supervised())
    except KeyboardInterrupt:
        raise typer.Exit(Exit.INTERRUPTED) from None
    except BrokenPipeError:
        raise typer.Exit(Exit.READER_GONE) from None
    except asyncio.CancelledError:
        raise typer.Exit(Exit.TERMINATED if terminated else Exit.INTERRUPTED) from None


def running(work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Return a function that calls `run` with the coroutine of `work`."""

    @functools.wraps(work)
    def called(*arguments: P.args, **options: P.kwargs) -> T:
        return run(work(*arguments, **options))

    return called


def report(error: UsageError | SuiteError | ClientError | OSError, console: Console | None = None) -> Exit:
    """Print an error with its next step on stderr and choose the exit code."""
    out = console or stderr()
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        _tell(out, ("Error:", "bold red"), f" {where}{error.strerror or error}")
        return Exit.FAILED
    if not isinstance(error, ClientError):
        _tell(out, ("Error:", "bold red"), f" {error}")
        if isinstance(error, NothingThere):
            return Exit.NOT_FOUND
        return Exit.USAGE if isinstance(error, UsageError) else Exit.UNREACHABLE
    _tell(out, ("Error:", "bold red"), f" {error.message}")
    for violation in error.violations:
        if violation.description not in error.message:
            _tell(out, f"  {violation.field}: {violation.description}")
    if error.next_step:
        _tell(out, ("Next:", "bold"), f" {error.next_step}")
    request = f", request {error.request_id}" if error.request_id else ""
    _tell(out, (f"{error.reason}{request}", "dim"))
    if isinstance(error, ServiceUnreachable):
        return Exit.UNREACHABLE
    return _BY_REASON.get(error.reason, Exit.FAILED)


def _tell(out: Console, *parts: str | tuple[str, str]) -> None:
    shown = [printable(each) if isinstance(each, str) else (printable(each[0]), each[1]) for each in parts]
    print_line(Text.assemble(*shown), out)
