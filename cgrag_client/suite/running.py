"""
Remembers, in the data folder, which suite runs on this machine, so that another command can stop it.

A running suite holds a lock on the file; without the lock, the suite of the file was killed. Its process id is not
enough to know, as the system may have given it to another process, which must not be stopped.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import IO, TYPE_CHECKING

from cgrag_client.connecting.settings import DEFAULT, SERVICES, data_folder, load_with_origins
from cgrag_client.errors import UsageError
from cgrag_client.suite.processes import SuiteError, writable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from cgrag_client.connecting.settings import ClientSettings, Origin

STOP_TIMEOUT_SECONDS = 60.0
LOCK_TIMEOUT_SECONDS = 5.0
POLL_SECONDS = 0.1
_ADDRESSES = {f"client.{name}": name for name in SERVICES}


@dataclass(frozen=True, slots=True)
class RunningSuite:
    """
    The process that supervises a suite.

    Attributes:
        pid: Its process id.
        addresses: Addresses of its services, by name.
        variables: By service, the environment variables that it got in addition to those of `cgrag up`.
    """

    pid: int
    addresses: Mapping[str, str]
    variables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def reached_by(self, settings: ClientSettings, names: Collection[str] = SERVICES) -> ClientSettings:
        """Return a caller's settings with the addresses of the named services."""
        return settings.at({name: self.addresses[name] for name in names})


def settings_in_force(environ: Mapping[str, str]) -> tuple[ClientSettings, tuple[Origin, ...]]:
    """
    Read the settings and their origins; addresses that are not set are taken from the suite running on this machine.

    That is the suite whose data is in the folder that `data_folder` returns, on whatever ports. Raises UsageError.
    """
    settings, origins = load_with_origins(environ)
    unset = [each.name for each in origins if each.source == DEFAULT and each.name in _ADDRESSES]
    running = running_here(environ) if unset else None
    if running is None:
        return settings, origins
    reached = running.reached_by(settings, [_ADDRESSES[name] for name in unset])
    told = [
        replace(each, value=reached.address(_ADDRESSES[each.name]), source="cgrag up") if each.name in unset else each
        for each in origins
    ]
    return reached, tuple(told)


@contextmanager
def remembered(data: Path, suite: RunningSuite) -> Iterator[None]:
    """Record inside the block that a suite runs on a data folder. Raises SuiteError if another one does."""
    with writable(data):
        data.mkdir(parents=True, exist_ok=True)
        file = _file(data).open("a", encoding="utf-8")
    with file:
        ends = time.monotonic() + LOCK_TIMEOUT_SECONDS
        while not _is_locked(file):
            if find_running(data) is not None or time.monotonic() > ends:
                raise already_running(data)
            time.sleep(POLL_SECONDS)  # another process is reading the file, or has not written it yet
        file.truncate(0)
        file.write(json.dumps(asdict(suite)) + "\n")
        file.flush()
        try:
            yield
        finally:
            _file(data).unlink(missing_ok=True)


def find_running(data: Path) -> RunningSuite | None:
    """Return the suite that is recorded in a data folder and still runs; None if there is none."""
    try:
        with _file(data).open(encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return RunningSuite(**json.loads(file.read()))
    except (OSError, ValueError, TypeError):
        pass  # no suite was recorded, or its record is not complete yet
    return None


def already_running(data: Path) -> SuiteError:
    """Return an error that says that a suite uses the data folder, and how to stop it."""
    running = find_running(data)
    process = f" (process {running.pid})" if running else ""
    return SuiteError(f"already running{process} with its data in {data}; `cgrag down` stops it")


def stop_running(data: Path) -> bool:
    """
    Stop the suite that runs on a data folder and wait for its end; return whether there was one.

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


def running_here(environ: Mapping[str, str]) -> RunningSuite | None:
    """Find the suite with its data in the folder that `data_folder` names; None if there is none."""
    try:
        return find_running(data_folder(environ).resolve())
    except UsageError:
        return None  # the settings name no single data folder, so no suite is found


def _is_locked(file: IO[str]) -> bool:
    """Try to take the lock; return whether this process has it now."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _file(data: Path) -> Path:
    return data / "suite.json"
