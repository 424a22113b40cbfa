"""`cgrag up` and `cgrag down`: the four services on this machine."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from cgrag_client.cli.console import print_line, stderr
from cgrag_client.cli.exits import Exit, run
from cgrag_client.cli.installation.suite_display import SuiteDisplay
from cgrag_client.cli.options import folder_option
from cgrag_client.connecting.health import Health, check
from cgrag_client.connecting.settings import SERVICES, data_folder, load_settings
from cgrag_client.connecting.tls import channel_credentials
from cgrag_client.suite import Suite, SuiteError, SuiteSettings, find_checkout, free_ports, ports_of
from cgrag_client.suite.processes import variables_of, writable
from cgrag_client.suite.running import (
    RunningSuite,
    find_running,
    remembered,
    settings_in_force,
    stop_running,
)

DETACH_POLL_SECONDS = 0.1

Data = Annotated[
    Path | None,
    folder_option("Folder for all data; by default `data_dir`."),
]


def up(
    data: Data = None,
    detach: Annotated[
        bool, typer.Option("--detach", "-d", help="Return when they serve; `cgrag down` stops them.")
    ] = False,
    free: Annotated[bool, typer.Option("--free-ports", help="Take free ports instead of the configured ones.")] = False,
) -> None:
    """
    Start the four services on this machine.

    They run until Ctrl-C, each as a process of its own that writes its log to `logs/SERVICE.jsonl` in the folder for
    data. No server and no account is needed. Other commands find them by that folder, on whatever ports they are. If
    they run already, the command says so and exits with 0.

    Examples:

        cgrag up

        cgrag up --detach && cgrag index . && cgrag ask "What does this do?"
    """
    folder = _folder(data)
    if detach:
        _start_detached(folder, free=free)
        return
    run(_serve(folder, free=free))


def down(data: Data = None) -> None:
    """
    Stop the services that `cgrag up` started.

    What is indexed stays, and serves again after the next `cgrag up`.

    Example:

        cgrag down
    """
    folder = _folder(data)
    stopped = stop_running(folder)
    told = "stopped" if stopped else f"nothing runs with its data in {folder}"
    print_line(told, stderr())


async def _serve(folder: Path, *, free: bool) -> None:
    if (running := find_running(folder)) is not None:
        await _tell_running(folder, running)
        return
    settings = load_settings(os.environ)
    ports = free_ports() if free else ports_of(os.environ)
    suite_settings = SuiteSettings(
        find_checkout(os.environ, Path.cwd()),
        folder,
        ports,
        os.environ,
        SERVICES,
        readable=(Path.home(), Path.cwd(), Path(tempfile.gettempdir())),
    )
    console = stderr()
    addresses = ports.addresses(settings)
    with SuiteDisplay(console, addresses) as display:
        suite = Suite(suite_settings, display.show)
        await suite.start()
    running = RunningSuite(
        os.getpid(),
        {name: addresses.address(name) for name in SERVICES},
        {name: variables_of(name, suite_settings) for name in SERVICES},
    )
    try:
        with remembered(folder, running):
            print_line(_ready(suite_settings, running), console)
            await suite.wait()
    finally:
        console.print("stopping ...")
        await suite.stop()


async def _tell_running(folder: Path, running: RunningSuite) -> None:
    """Say that the services run already, and how to reach them. Exits with 3 if one of them does not serve."""
    settings = running.reached_by(load_settings(os.environ))
    credentials = channel_credentials(settings)
    found = await asyncio.gather(*(check(name, settings.address(name), credentials=credentials) for name in SERVICES))
    console = stderr()
    print_line(f"Already running as process {running.pid}, with data in {folder}. `cgrag down` stops it.", console)
    if told := _export(folder, running):
        console.print(f"To reach it: {told.removesuffix('; ')}", highlight=False, soft_wrap=True)
    if ill := [f"{each.service} ({each.health.value})" for each in found if each.health is not Health.SERVING]:
        logs = folder / "logs"
        text = f"Not serving: {', '.join(ill)}. The reason is in {logs}; `cgrag down && cgrag up` starts anew."
        print_line(Text(text, style="yellow"), console)
        raise typer.Exit(Exit.UNREACHABLE)


def _folder(data: Path | None) -> Path:
    return (data or data_folder(os.environ)).expanduser().resolve()


def _ready(suite: SuiteSettings, running: RunningSuite) -> Text:
    return Text.assemble(
        ("Ready. ", "bold green"),
        f"Data in {suite.data}, logs in {suite.logs}.\n",
        ("In another terminal: ", "dim"),
        _export(suite.data, running),
        "cgrag index .",
        (", then ", "dim"),
        'cgrag ask "..."',
        (". Ctrl-C stops the services.", "dim"),
    )


def _export(folder: Path, running: RunningSuite) -> str:
    """
    Return the `export` command that a shell needs so that other commands find the services; "" if it needs none.

    Commands find the services by the data folder, unless the settings name other addresses.
    """
    told = {} if folder == data_folder(os.environ).resolve() else {"CGRAG_DATA_DIR": shlex.quote(str(folder))}
    settings, _ = settings_in_force({**os.environ, "CGRAG_DATA_DIR": str(folder)})
    told |= {
        f"CGRAG_CLIENT_{name.upper()}": address
        for name, address in running.addresses.items()
        if address != settings.address(name)
    }
    return f"export {' '.join(f'{name}={value}' for name, value in told.items())}; " if told else ""


def _start_detached(folder: Path, *, free: bool) -> None:
    if (found := find_running(folder)) is not None:
        run(_tell_running(folder, found))
        return
    log = folder / "logs" / "up.log"
    command = [sys.executable, "-m", "cgrag_client", "up", "--data", str(folder), *(["--free-ports"] if free else [])]
    with writable(log.parent):
        log.parent.mkdir(parents=True, exist_ok=True)
        output = log.open("wb")
    with output:
        child = subprocess.Popen(  # noqa: S603 - our own command, no shell
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        running = asyncio.run(_wait_until_remembered(child, folder))
    except KeyboardInterrupt:
        child.terminate()
        raise typer.Exit(Exit.INTERRUPTED) from None
    if running is None:
        told = log.read_text(encoding="utf-8", errors="replace")  # the error is at the end of the log
        raise SuiteError(told.rpartition("Error: ")[2].strip() or f"it ended before it could say why; see {log.parent}")
    stderr().print(f"running as process {child.pid}; `cgrag down` stops it", highlight=False)
    if told := _export(folder, running):
        stderr().print(f"To reach it: {told.removesuffix('; ')}", highlight=False, soft_wrap=True)


async def _wait_until_remembered(child: subprocess.Popen[bytes], folder: Path) -> RunningSuite | None:
    """Wait until the child has recorded that its services run, and return the record; None if it ended before."""
    while child.poll() is None:
        running = find_running(folder)
        if running is not None and running.pid == child.pid:
            return running
        await asyncio.sleep(DETACH_POLL_SECONDS)
    return None
