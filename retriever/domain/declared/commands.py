"""Commands that the files of build tools declare: targets, scripts and entry points of the command line."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_USUAL: Mapping[str, Mapping[str, str]] = {
    "Cargo.toml": {
        "test": "cargo test",
        "build": "cargo build",
        "run": "cargo run",
        "install": "cargo install",
    },
    "go.mod": {"test": "go test ./...", "build": "go build ./...", "run": "go run .", "install": "go install ./..."},
    "tox.ini": {"test": "tox"},
    "noxfile.py": {"test": "nox"},
    "pytest.ini": {"test": "pytest"},
    "pom.xml": {"test": "mvn test", "build": "mvn package", "install": "mvn install"},
    "build.gradle": {"test": "gradle test", "build": "gradle build", "run": "gradle run"},
    "build.gradle.kts": {"test": "gradle test", "build": "gradle build", "run": "gradle run"},
    "pyproject.toml": {"build": "python -m build", "install": "pip install ."},
    "setup.py": {"install": "pip install ."},
    "package.json": {"install": "npm install"},
    "docker-compose.yml": {"run": "docker compose up"},
    "compose.yml": {"run": "docker compose up"},
}
"""What the makers of a tool document as its command, by the file that says that a project uses it."""
_NAMES: Mapping[str, tuple[str, ...]] = {
    "test": ("test", "tests", "check", "unittest", "pytest"),
    "build": ("build", "compile", "dist", "bundle", "package", "all"),
    "run": ("run", "start", "serve", "dev", "up"),
    "install": ("install", "setup", "bootstrap", "develop", "setup-dev"),
}
"""Names that targets and scripts of a purpose have."""
PURPOSES = tuple(_NAMES)


@dataclass(frozen=True, slots=True)
class Command:
    """A command line and the line that declares it, from 1; `declared` says whether the project itself wrote it."""

    text: str
    line: int
    declared: bool


def commands(path: str, text: str, purpose: str) -> tuple[Command, ...]:
    """Return the commands of a purpose that a file gives, those that the project declares first; () for other files."""
    name = path.rpartition("/")[2]
    reader = _READERS.get(name)
    try:
        found = [each for each in reader(text) if _serves(each[1], purpose)] if reader else []
    except (ValueError, AttributeError, TypeError):  # what people wrote may have any shape
        found = []
    declared = [Command(command, line, declared=True) for command, _, line in found]
    usual = _USUAL.get(name, {}).get(purpose, "")
    return (*declared, *([Command(usual, 1, declared=False)] if usual else []))


def reads_commands(path: str) -> bool:
    """Return whether a file is one that `commands` reads."""
    name = path.rpartition("/")[2]
    return name in _READERS or name in _USUAL


def _serves(name: str, purpose: str) -> bool:
    return any(name == each or name.startswith((f"{each}:", f"{each}-", f"{each}_")) for each in _NAMES[purpose])


def _of_make(text: str) -> Iterator[tuple[str, str, int]]:
    for number, line in enumerate(text.split("\n"), 1):
        target, colon, rest = line.partition(":")
        if colon and not rest.startswith("=") and target and not target[0].isspace() and target.isprintable():
            for name in target.split():
                if not name.startswith((".", "$", "#")):
                    yield f"make {name}", name, number


def _of_just(text: str) -> Iterator[tuple[str, str, int]]:
    return ((command.replace("make ", "just ", 1), name, line) for command, name, line in _of_make(text))


def _of_npm(text: str) -> Iterator[tuple[str, str, int]]:
    for name in json.loads(text).get("scripts", {}):
        yield (f"npm run {name}", name, _line(text, f'"{name}"'))


def _of_python(text: str) -> Iterator[tuple[str, str, int]]:
    project = tomllib.loads(text)
    for name in project.get("project", {}).get("scripts", {}):
        yield name, "run", _line(text, name)
    if "pytest" in project.get("tool", {}):
        yield "pytest", "test", _line(text, "[tool.pytest")


def _line(text: str, part: str) -> int:
    return text.count("\n", 0, max(text.find(part), 0)) + 1


_READERS: Mapping[str, Callable[[str], Iterator[tuple[str, str, int]]]] = {
    "Makefile": _of_make,
    "makefile": _of_make,
    "GNUmakefile": _of_make,
    "justfile": _of_just,
    "package.json": _of_npm,
    "pyproject.toml": _of_python,
}
