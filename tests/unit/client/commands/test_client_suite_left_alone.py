"""Services whose supervisor is killed, without a chance to stop them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cgrag_client.connecting.settings import SERVICES
from tests.unit.client.commands.test_client_suite import checkout

__all__ = ["checkout"]  # a fixture

ROOT = Path(__file__).parents[4]
PATIENCE_SECONDS = 20.0
SUPERVISOR = """\
import asyncio, sys, threading, time
from pathlib import Path
from cgrag_client.suite import Suite
from tests.unit.client.commands.test_client_suite import settings_of

for _ in range(30):  # Linux tells of a parent's death once for each of his threads
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()

async def main():
    async with Suite(settings_of(Path(sys.argv[1]))):
        print("serving", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell children of a parent's death")
def test_they_end_with_it(checkout: Path) -> None:
    """Left behind, they would keep data folder and ports, and refuse the next run; cut off, they would not drain."""
    command = [sys.executable, "-c", SUPERVISOR, str(checkout)]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "protos" / "gen")))}
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout is not None
        assert supervisor.stdout.readline() == "serving\n"
        supervisor.kill()
    until = time.monotonic() + PATIENCE_SECONDS
    stopped = checkout / "data" / "stopped"
    while time.monotonic() < until and not (stopped.exists() and len(stopped.read_text().split()) == len(SERVICES)):
        time.sleep(0.02)

    assert sorted(stopped.read_text().split()) == sorted(SERVICES)
