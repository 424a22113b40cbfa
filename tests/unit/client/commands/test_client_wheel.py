"""What callers install: stubs and client, nothing that could collide with theirs."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[4]


def test_the_wheel_holds_stubs_and_client_alone(tmp_path: Path) -> None:
    """No wheel of ours puts `common` or a service package into somebody's environment; it has types and the license."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [license_file] = [name for name in names if name.endswith(".dist-info/licenses/LICENSE")]
        license_text = archive.read(license_file).decode()
        metadata = archive.read(license_file.replace("licenses/LICENSE", "METADATA")).decode()

    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"cgrag", "cgrag_client"}
    assert {"cgrag/py.typed", "cgrag/orchestrator/v1/orchestrator_pb2_grpc.pyi", "cgrag_client/py.typed"} <= set(names)
    assert "Apache License" in license_text
    assert "License-Expression: Apache-2.0" in metadata
