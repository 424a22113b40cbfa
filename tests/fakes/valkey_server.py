"""A real Valkey or Redis server on a socket, where one is found."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes.programs import find_program

SERVER = find_program("valkey-server", "redis-server")
needs_server = pytest.mark.skipif(SERVER is None, reason="no valkey-server or redis-server here: run `make servers`")


@contextmanager
def valkey_server(folder: Path) -> Iterator[str]:
    """Run a server on a socket in the folder, and yield its URL."""
    socket = folder / "s"
    command = [str(SERVER), "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert any("eady to accept connections" in line for line in process.stdout)
        try:
            yield f"unix://{socket}"
        finally:
            process.terminate()
            process.stdout.read()
