"""`make` targets that print figures: what sets the environment up says nothing between them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
SILENT = ("touch ", "scripts/", "python3 -c ")


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
def test_setting_up_leaves_stdout_to_the_figures() -> None:
    """The first `make eval-... ARGS=--json` on a fresh checkout prints one JSON object, as every later one does."""
    command = ["make", "--dry-run", "--always-make", "--no-print-directory", "setup-dev", "PYTHON=python3"]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    told = [line for line in lines if not line.startswith(SILENT)]

    assert len(told) == 7
    assert [line for line in told if not line.endswith(">&2")] == []
