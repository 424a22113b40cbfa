"""`cgrag up` and `cgrag down`: the four services on this machine."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from cgrag_client.cli.console import stderr
from cgrag_client.cli.exits import Exit, run
from cgrag_client.cli.suite_display import SuiteDisplay
from cgrag_client.settings import SERVICES, data_folder, load_settings
from cgrag_client.suite import Suite, SuiteError, SuiteSettings, find_checkout, free_ports, ports_of
from cgrag_client.suite.running import RunningSuite, find_running, forget, remember, stop_running

DETACH_POLL_SECONDS = 0.1

Data = Annotated[Path | None, typer.Option(help="Folder for all data; by default CGRAG_DATA_DIR.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("up", rich_help_panel="Run")(up)
    app.command("down", rich_help_panel="Run")(down)


def up(
    data: Data = None,
    detach: Annotated[
        bool, typer.Option("--detach", "-d", help="Return when they serve; `cgrag down` stops them.")
    ] = False,
    free: Annotated[bool, typer.Option("--free-ports", help="Take free ports instead of the configured ones.")] = False,
) -> None:
    """
    Start the four services on this machine.

    They run until Ctrl-C, each as a process of its own that writes its log to <data>/logs/<service>.jsonl. No server
    and no account is needed.

    Examples:

        cgrag up

        cgrag up --detach && cgrag index . && cgrag ask "What does this do?"
    """
    folder = (data or data_folder(os.environ)).expanduser().resolve()
    if detach:
        _start_detached(folder)
        return
    run(_serve(folder, free=free))


def down(data: Data = None) -> None:
    """Stop the services that `cgrag up` started."""
    folder = (data or data_folder(os.environ)).expanduser().resolve()
    stopped = stop_running(folder)
    stderr().print("stopped" if stopped else f"nothing runs with its data in {folder}", highlight=False)


async def _serve(folder: Path, *, free: bool) -> None:
    settings = load_settings(os.environ)
    ports = free_ports() if free else ports_of(settings)
    suite_settings = SuiteSettings(
        find_checkout(os.environ, Path.cwd()),
        folder,
        ports,
        os.environ,
        SERVICES,
        readable=(Path.home(), Path.cwd(), Path(tempfile.gettempdir())),
    )
    running = find_running(folder)
    if running is not None:
        raise SuiteError(f"already running (process {running.pid}) with its data in {folder}; `cgrag down` stops it")
    console = stderr()
    with SuiteDisplay(console, ports.addresses(settings)) as display:
        suite = Suite(suite_settings, display.show)
        await suite.start()
    try:
        remember(folder, RunningSuite(os.getpid()))
        console.print(_ready(suite_settings))
        await suite.wait()
    finally:
        console.print("stopping ...")
        await suite.stop()
        forget(folder)


def _ready(settings: SuiteSettings) -> Text:
    return Text.assemble(
        ("Ready. ", "bold green"),
        f"Data in {settings.data}, logs in {settings.logs}.\n",
        ("In another terminal: ", "dim"),
        "cgrag index .",
        (", then ", "dim"),
        'cgrag ask "..."',
        (". Ctrl-C stops the services.", "dim"),
    )


def _start_detached(folder: Path) -> None:
    log = folder / "logs" / "up.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "cgrag_client", "up", "--data", str(folder)]
    with log.open("wb") as output:
        child = subprocess.Popen(  # noqa: S603 - our own command, no shell
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        asyncio.run(_wait_until_remembered(child, folder))
    except KeyboardInterrupt:
        child.terminate()
        raise typer.Exit(Exit.INTERRUPTED) from None
    if child.poll() is not None:
        raise SuiteError(log.read_text(encoding="utf-8", errors="replace").removeprefix("Error: ").strip())
    stderr().print(f"running as process {child.pid}; `cgrag down` stops it", highlight=False)


async def _wait_until_remembered(child: subprocess.Popen[bytes], folder: Path) -> None:
    while child.poll() is None:
        running = find_running(folder)
        if running is not None and running.pid == child.pid:
            return
        await asyncio.sleep(DETACH_POLL_SECONDS)
