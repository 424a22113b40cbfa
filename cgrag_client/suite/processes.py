"""Starts the services as child processes, waits until they serve, and stops them in order."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from cgrag_client.connecting.health import Health, check
from cgrag_client.connecting.settings import inherited, service_value
from cgrag_client.connecting.tokens import is_local
from cgrag_client.suite.logs import explain_end, explain_unready

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    from cgrag_client.suite.ports import SuitePorts

    Watcher = Callable[[Mapping[str, "ServiceState"]], None]

START_TIMEOUT_SECONDS = 90.0
UNREADY_SECONDS = 15.0
"""How long a service may report that it is not ready; after that, waiting longer would not help."""
STOP_TIMEOUT_SECONDS = 30.0
OWNER_WAIT_SECONDS = 5
"""How long a new indexer waits for the lock of an earlier one, which exits a moment after its supervisor was killed."""
_BOUND = str(Path(__file__).with_name("bound.py"))
POLL_SECONDS = 0.1


class ServiceState(Enum):
    """The state of a service's process."""

    STARTING = "starting"
    SERVING = "serving"
    STOPPED = "stopped"


class SuiteError(Exception):
    """A service did not start or exited; the message has the last lines of its log."""


@dataclass(frozen=True, slots=True)
class SuiteSettings:
    """
    How to run the suite.

    Attributes:
        checkout: Folder of the source tree.
        data: Folder in which all services keep their data.
        ports: Ports of each service.
        environ: Environment that the services inherit.
        services: Names of those that are to run.
        readable: Folders that the indexer may read, unless environment or settings file name some; () for its default.
        unready_seconds: How long a running service may report that it is not ready.
    """

    checkout: Path
    data: Path
    ports: SuitePorts
    environ: Mapping[str, str]
    services: Sequence[str]
    readable: Sequence[Path] = ()
    unready_seconds: float = UNREADY_SECONDS

    @property
    def logs(self) -> Path:
        """Folder of the log files, one for each service."""
        return self.data / "logs"


class Suite:
    """
    The services as processes; an async context manager that starts them and stops them.

    Args:
        settings: How to run them.
        watch: Called with the states of all services whenever one changes.

    """

    def __init__(self, settings: SuiteSettings, watch: Watcher = lambda _: None) -> None:
        self._settings = settings
        self._watch = watch
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._states = dict.fromkeys(settings.services, ServiceState.STARTING)

    @property
    def pids(self) -> Mapping[str, int]:
        """Process ids by service."""
        return {name: process.pid for name, process in self._processes.items()}

    async def start(self) -> None:
        """
        Start all services and wait until they serve.

        Raises:
            SuiteError: if a port is taken, a service ends, says that it is not ready, or does not serve in time.
                Nothing is left running.
        """
        taken = self._settings.ports.taken()
        if taken:
            raise SuiteError(
                f"port taken: {', '.join(taken)}; stop what listens there (`cgrag down` if it is cgrag), "
                "set other ports (CGRAG_INDEXER_PORT=50061, ...), or let --free-ports choose them"
            )
        try:
            for name in self._settings.services:
                self._processes[name] = await self._start(name)
            self._watch(self._states)
            async with asyncio.timeout(START_TIMEOUT_SECONDS):
                await asyncio.gather(*(self._wait_until_serving(name) for name in self._processes))
        except TimeoutError:
            waiting = [name for name, state in self._states.items() if state is ServiceState.STARTING]
            await self.stop()
            raise SuiteError(
                f"not ready after {START_TIMEOUT_SECONDS:.0f} s: {', '.join(waiting)}; see {self._settings.logs}"
            ) from None
        except BaseException:
            await self.stop()
            raise

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def wait(self) -> None:
        """Return when a service has ended by itself: raises SuiteError with what its log says."""
        ends = {asyncio.ensure_future(process.wait()): name for name, process in self._processes.items()}
        try:
            done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.cancel()
        raise SuiteError(self._explain(ends[done.pop()]))

    async def stop(self) -> None:
        """Stop all services by SIGTERM, each before those that it calls; kill those that do not stop in time."""
        try:
            for name, process in reversed(self._processes.items()):
                await _stop(process)
                self._enter(name, ServiceState.STOPPED)
        finally:
            for process in self._processes.values():
                if process.returncode is None:
                    process.kill()  # this method was interrupted: leave no process behind

    async def _start(self, name: str) -> asyncio.subprocess.Process:
        with _fresh_log(self._log_of(name)) as log:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", _BOUND, str(os.getpid())),
                *(sys.executable, "-m", name),
                cwd=self._settings.checkout,
                env=_environment(name, self._settings),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # In a session of its own: Ctrl-C then reaches only this process, which stops the services in order.
                start_new_session=True,
            )

    async def _wait_until_serving(self, name: str) -> None:
        ports = self._settings.ports.services[name]
        unready_since: float | None = None
        while True:
            if self._processes[name].returncode is not None:
                raise SuiteError(self._explain(name))
            health = await check(name, f"127.0.0.1:{ports.health}")  # the health server never uses TLS
            if health.health is Health.SERVING:
                break
            if health.health is Health.NOT_SERVING:
                unready_since = unready_since or time.monotonic()
                if time.monotonic() - unready_since > self._settings.unready_seconds:
                    raise SuiteError(explain_unready(name, self._log_of(name)))
            await asyncio.sleep(POLL_SECONDS)
        self._enter(name, ServiceState.SERVING)

    def _enter(self, name: str, state: ServiceState) -> None:
        self._states[name] = state
        self._watch(self._states)

    def _explain(self, name: str) -> str:
        return explain_end(name, self._processes[name].returncode, self._log_of(name))

    def _log_of(self, name: str) -> Path:
        return self._settings.logs / f"{name}.jsonl"


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), STOP_TIMEOUT_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()


def _environment(name: str, settings: SuiteSettings) -> dict[str, str]:
    paths = [str(settings.checkout), str(settings.checkout / "protos" / "gen")]
    return {**inherited(settings.environ), **variables_of(name, settings), "PYTHONPATH": os.pathsep.join(paths)}


def variables_of(name: str, settings: SuiteSettings) -> dict[str, str]:
    """
    Return the environment variables that a service gets in addition to the inherited ones.

    The indexer's `allowed_roots`, `owner_wait_seconds` and `git_allow_file` are not overridden where the environment or
    the settings file sets them.
    """
    environ = inherited(settings.environ)
    ports = settings.ports.services
    own = f"CGRAG_{name}_".upper()
    metrics = {} if ports[name].metrics is None else {f"{own}METRICS_PORT": str(ports[name].metrics)}
    unless_set = {"owner_wait_seconds": str(OWNER_WAIT_SECONDS), "git_allow_file": _allows_file(environ)}
    if settings.readable:
        unless_set["allowed_roots"] = ",".join(map(str, settings.readable))
    return {
        **{
            f"CGRAG_INDEXER_{setting}".upper(): value
            for setting, value in unless_set.items()
            if service_value("indexer", setting, environ) is None
        },
        **metrics,
        "CGRAG_DATA_DIR": str(settings.data),
        f"{own}PORT": str(ports[name].grpc),
        f"{own}HEALTH_PORT": str(ports[name].health),
        "CGRAG_ORCHESTRATOR_CLASSIFIER": f"127.0.0.1:{ports['classifier'].grpc}",
        "CGRAG_ORCHESTRATOR_RETRIEVER": f"127.0.0.1:{ports['retriever'].grpc}",
        "CGRAG_ORCHESTRATOR_INDEXER": f"127.0.0.1:{ports['indexer'].grpc}",
    }


def _allows_file(environ: Mapping[str, str]) -> str:
    """Return "true" if the indexer listens on this machine only and has no access file: all callers are then local."""
    host, _ = service_value("indexer", "host", environ) or ("127.0.0.1", "")
    known_callers = service_value("indexer", "access_file", environ)
    return "true" if is_local(f"{host}:0") and known_callers is None else "false"


def _fresh_log(path: Path) -> IO[bytes]:
    with writable(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.replace(path.with_suffix(".previous.jsonl"))
        return path.open("wb")


@contextlib.contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Translate an OSError for an unwritable folder into a SuiteError that says what to do."""
    try:
        yield
    except OSError as error:
        text = f"{folder}: cannot be written ({error.strerror}); name another folder with --data or CGRAG_DATA_DIR"
        raise SuiteError(text) from error
