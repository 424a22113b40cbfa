"""Lists what the lock put into an environment, as CycloneDX: `python deploy/sbom.py requirements.lock`, within it."""

from __future__ import annotations

import json
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)", re.MULTILINE)
_CLASSIFIER = "License :: OSI Approved :: "
_LONGEST_NAME = 80
"""Length of a licence name; some packages have the whole text in its place."""


def bill_of_materials(lock: str) -> dict[str, Any]:
    """
    Return the packages of a lock that this environment has, by name, with their licences.

    Those that only other platforms get are left out. Equal environments give equal lists: there is no time in them.

    Raises:
        ValueError: if a package is there in a version that is not locked.
    """
    pins: dict[str, set[str]] = {}
    for pin in _PIN.finditer(lock):
        pins.setdefault(re.sub(r"[-_.]+", "-", pin["name"]).lower(), set()).add(pin["version"])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "cgrag"}},
        "components": [component for name in sorted(pins) for component in _components(name, pins[name])],
    }


def _components(name: str, versions: set[str]) -> Iterator[dict[str, Any]]:
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return
    if found.version not in versions:
        raise ValueError(f"{name} is {found.version} here, which is not in the lock")
    url = f"pkg:pypi/{name}@{found.version}"
    component = {"type": "library", "bom-ref": url, "name": name, "version": found.version, "purl": url}
    licenses = _licenses(found)
    yield component | {"licenses": licenses} if licenses else component


def _licenses(found: metadata.Distribution) -> list[dict[str, Any]]:
    told = found.metadata
    if expressions := told.get_all("License-Expression"):
        return [{"expression": expressions[0]}]
    classified = [each.removeprefix(_CLASSIFIER) for each in told.get_all("Classifier") or () if _CLASSIFIER in each]
    for named in told.get_all("License") or ():
        if named not in ("", "UNKNOWN") and "\n" not in named and len(named) <= _LONGEST_NAME:
            classified = [named]
    return [{"license": {"name": each}} for each in classified]


if __name__ == "__main__":
    json.dump(bill_of_materials(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.stdout, indent=1)
