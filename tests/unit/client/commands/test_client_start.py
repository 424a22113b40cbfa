"""Ctrl-C while the command line is being loaded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import cgrag_client
from cgrag_client.client import Client

ROOT = Path(__file__).parents[4]
# Tells when loading has come to a module, and waits there for what comes. Tests that run in the background of a script
# inherit that interrupts are ignored.
_STOPPING = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.stderr.write("here\\n")
            sys.stderr.flush()
            time.sleep(60)
sys.meta_path.insert(0, Stop())
from cgrag_client.__main__ import start
sys.exit(start())
"""


@pytest.mark.parametrize("module", ["cgrag_client.cli", "typer", "grpc", "cgrag_client.cli.installation.token"])
def test_ctrl_c_while_it_loads_is_quiet(module: str) -> None:
    """Wherever it has come to: the code is that of an interrupted command, and nothing is said."""
    command = [sys.executable, "-c", _STOPPING.format(module=module), "repos"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()

    assert first == "here\n"
    assert (process.returncode, said) == (130, "")


def test_an_interrupt_that_is_ignored_stays_so() -> None:
    """As in the background of a script: what is loaded goes on."""
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from cgrag_client.__main__ import start; start()"
    )
    command = [sys.executable, "-c", f"{code}\n", "--help"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)

    assert done.returncode == 0
    assert "Usage:" in done.stdout


def test_the_package_gives_its_names() -> None:
    """They are loaded when they are used, and no others are there."""
    assert cgrag_client.Client is Client
    assert all(getattr(cgrag_client, name) for name in cgrag_client.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Service'"):
        _ = cgrag_client.Service  # type: ignore[attr-defined]
