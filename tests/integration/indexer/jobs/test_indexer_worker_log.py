"""What the processes beside the service write into its log: events like all others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
KEY = "AKIAIOSFODNN7EXAMPLE"


def ended(command: str, said: str, **settings: str) -> tuple[int, str, str]:
    """Run a worker to its end; returns its exit code, and what it wrote to the service and into the log."""
    with subprocess.Popen(
        [sys.executable, "-m", "indexer.worker", command],
        cwd=ROOT,
        env={**os.environ, **settings},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stderr is not None
        # Stays open as the service keeps it: a worker ends with its whole group when it closes.
        worker.stdin.write(said)
        worker.stdin.flush()
        log, out = worker.stderr.read(), worker.stdout.read()
    return worker.returncode, out, log


@pytest.mark.parametrize("command", ["job", "precise"])
def test_what_nobody_foresaw_is_one_event(command: str, tmp_path: Path) -> None:
    """It has its place, on one line; the exit code tells the service, and nothing else goes to it."""
    code, out, log = ended(command, f'{{"repository": "{KEY}"\n', CGRAG_DATA_DIR=str(tmp_path))

    [line] = log.splitlines()
    event = json.loads(line)
    assert code == 1
    assert (event["event"], event["level"], event["cgrag_service"]) == ("worker.defect", "error", "indexer")
    assert event["error_type"] in event["exception"]
    assert out == ""


def test_a_setting_that_went_wrong_since_the_service_began_is_told(tmp_path: Path) -> None:
    """Workers read the settings file again; who changed it meanwhile learns in the log what to mend."""
    file = tmp_path / "cgrag.toml"
    file.write_text(f'[indexer]\nmax_jobs = "{KEY}"\n')
    code, _, log = ended("job", "", CGRAG_CONFIG=str(file), CGRAG_DATA_DIR=str(tmp_path))

    [line] = log.splitlines()
    assert code == 1
    assert "[indexer] max_jobs: expected a whole number" in json.loads(line)["exception"]
    assert KEY not in line
