"""The list of what images are made of."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from deploy.sbom import bill_of_materials

ROOT = Path(__file__).parents[3]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def listed() -> dict[str, Any]:
    """By name."""
    return {each["name"]: each for each in bill_of_materials(LOCK)["components"]}


def test_all_that_is_locked_and_installed_is_listed(listed: dict[str, Any]) -> None:
    """Under the version that runs here, with a name that scanners know, and nothing of what only developers have."""
    installed = {re.sub(r"[-_.]+", "-", each.name).lower(): each.version for each in metadata.distributions()}
    locked = {re.sub(r"[-_.]+", "-", name).lower() for name in re.findall(r"^([\w.-]+)==", LOCK, re.MULTILINE)}

    assert {name: each["version"] for name, each in listed.items()} == {
        name: version for name, version in installed.items() if name in locked
    }
    assert "pytest" in installed
    assert listed["grpcio"]["purl"] == listed["grpcio"]["bom-ref"] == f"pkg:pypi/grpcio@{installed['grpcio']}"


def test_nearly_all_say_under_which_licence(listed: dict[str, Any]) -> None:
    """As an expression where the package has one; none is a whole licence text or unknown."""
    told = [licence for each in listed.values() for licence in each.get("licenses", ())]
    names = [each.get("expression") or each["license"]["name"] for each in told]

    assert sum("licenses" in each for each in listed.values()) >= 0.9 * len(listed)
    assert listed["grpcio"]["licenses"] == [{"expression": "Apache-2.0"}]
    assert all(0 < len(name) <= 80 and name != "UNKNOWN" for name in names)


def test_what_is_not_locked_is_told() -> None:
    """An environment that is not the lock's gets no list that says it is."""
    with pytest.raises(ValueError, match=r"grpcio is .* here, which is not in the lock"):
        bill_of_materials("grpcio==0.0.1 \\\n    --hash=sha256:00\n")


def test_packages_of_other_platforms_and_second_pins_are_no_fault() -> None:
    """A lock for all platforms has packages that are not here, and some in several versions."""
    version = metadata.version("grpcio")
    lock = (
        f"colorama-of-nobody==1.0 ; sys_platform == 'win32'\ngrpcio==0.0.1 ; python_version < '3'\ngrpcio=={version}\n"
    )

    assert [each["version"] for each in bill_of_materials(lock)["components"]] == [version]


def test_it_runs_by_itself_and_alike_each_time() -> None:
    """As the image's recipe calls it: with nothing of ours installed, twice the same."""
    command = [sys.executable, "-I", str(ROOT / "deploy" / "sbom.py"), str(ROOT / "requirements.lock")]
    first, second = (subprocess.run(command, check=True, capture_output=True, cwd="/").stdout for _ in range(2))
    recipe = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")

    assert first == second
    assert b'"bomFormat": "CycloneDX"' in first
    assert "python sbom.py requirements.lock > /opt/venv/sbom.cdx.json" in recipe
