"""The life of a service's process: settings, start, signals, drain, exit code."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import structlog

from common.core.errors import StartupError
from common.core.settings import SettingsError, load_with_origins, read_toml
from common.observability import logging, tracing
from common.rpc.settings import ServerSettings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence
    from contextlib import AsyncExitStack

    from common.rpc.serving.server import Server

S = TypeVar("S", bound=ServerSettings)

CONFIG_VARIABLE = "CGRAG_CONFIG"
EXIT_OK = 0
EXIT_FAILED = 1
EXIT_CANNOT_START = 2

_log = structlog.get_logger(__name__)


def run_service(
    section: str, settings: type[S], serve: Callable[[S], Awaitable[None]], arguments: Sequence[str] | None = None
) -> int:
    """
    Run a service until a signal stops it; every `__main__` calls this.

    With the argument `--print-settings`, prints the effective settings as JSON, each with its source, and ends.

    Args:
        section: Name of the service, of its table in the settings file, and in its environment names.
        settings: Its settings.
        serve: Its bootstrap: builds everything, calls `run_until_stopped`, closes everything.
        arguments: Of the command line; by default those of the process.

    Returns:
        Exit code: 0 stopped as asked, 1 failed, 2 could not start.
    """
    try:
        file = os.environ.get(CONFIG_VARIABLE)
        loaded, origins = load_with_origins(
            settings, section, environ=os.environ, file=read_toml(Path(file).expanduser() if file else None)
        )
    except SettingsError as error:
        _say(f"cgrag {section}: settings are wrong; mend these and start again:\n{error}")
        return EXIT_CANNOT_START
    if "--print-settings" in (sys.argv[1:] if arguments is None else arguments):
        sys.stdout.write(json.dumps([dataclasses.asdict(each) for each in origins]) + "\n")
        return EXIT_OK
    logging.configure(section, level=loaded.log_level, muted=loaded.log_muted)
    tracing.configure(
        section, exporter=tracing.open_otlp_exporter(loaded.otlp_endpoint) if loaded.otlp_endpoint else None
    )
    return _run(section, lambda: serve(loaded))


async def run_until_stopped(server: Server) -> None:
    """
    Serve until SIGTERM or SIGINT, then drain; a second signal ends the process at once.

    SIGHUP drains, too, and never ends the process at once, however often it comes: it means that the supervising
    process has ended.

    Raises:
        StartupError: if the server cannot start.
    """
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def on_signal(number: int) -> None:
        if stop.is_set():
            os._exit(128 + number)
        stop.set()

    async with server:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, on_signal, number)
        loop.add_signal_handler(signal.SIGHUP, stop.set)
        await stop.wait()
        await server.drain()


def run_beside(work: Coroutine[Any, Any, None], stack: AsyncExitStack) -> None:
    """Run endless work in the background of the service, until the stack is closed."""
    task = asyncio.create_task(work)

    async def end() -> None:
        task.cancel()
        await asyncio.wait([task])

    stack.push_async_callback(end)


def _run(section: str, main: Callable[[], Awaitable[None]]) -> int:
    async def run() -> None:
        await main()

    # Loaded modules stay, so exclude their objects from garbage collection.
    gc.freeze()
    gc.enable()
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(run())
    except StartupError as error:
        _say(f"cgrag {section}: {error}")
        return EXIT_CANNOT_START
    except KeyboardInterrupt:
        return EXIT_FAILED
    except Exception:  # noqa: BLE001 (the end of the process: logged, and shown by the exit code)
        _log.exception("service.failed")
        return EXIT_FAILED
    _log.info("service.stopped")
    return EXIT_OK


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # not on every platform
    except ImportError:
        return None
    return uvloop.new_event_loop


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
