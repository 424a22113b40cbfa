"""Remembers, in the data folder, which suite runs on this machine, so that another command can stop it."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from cgrag_client.suite.processes import SuiteError

if TYPE_CHECKING:
    from pathlib import Path

STOP_TIMEOUT_SECONDS = 60.0
POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class RunningSuite:
    """The process that supervises a suite."""

    pid: int


def remember(data: Path, suite: RunningSuite) -> None:
    """Write down that a suite runs."""
    data.mkdir(parents=True, exist_ok=True)
    _file(data).write_text(json.dumps(asdict(suite)) + "\n", encoding="utf-8")


def forget(data: Path) -> None:
    """Write down that it does not run any more."""
    _file(data).unlink(missing_ok=True)


def find_running(data: Path) -> RunningSuite | None:
    """Find the suite that was written down and still runs; None if there is none."""
    try:
        suite = RunningSuite(**json.loads(_file(data).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return suite if _is_alive(suite.pid) else None


def stop_running(data: Path) -> bool:
    """
    Stop the suite that runs and wait for its end; tells whether there was one.

    Raises:
        SuiteError: if it does not stop.
    """
    suite = find_running(data)
    if suite is None:
        return False
    os.kill(suite.pid, signal.SIGTERM)
    ends = time.monotonic() + STOP_TIMEOUT_SECONDS
    while _is_alive(suite.pid):
        if time.monotonic() > ends:
            raise SuiteError(f"process {suite.pid} does not stop; end it by hand")
        time.sleep(POLL_SECONDS)
    return True


def _file(data: Path) -> Path:
    return data / "suite.json"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
