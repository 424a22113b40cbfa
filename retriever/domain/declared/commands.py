"""Commands that the files of build tools declare: targets, scripts and entry points of the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.words.terms import words
from retriever.domain.declared.manifests import tables_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

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
NAMED_BY_PURPOSE = frozenset({"test", "install"})
"""Purposes that say what is run; of the others something else may be: the documentation is built, an example run."""
_LEAST_ALIKE = 3
"""Letters that the word for a thing and the name of its command have in common: "linter" and `lint`."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, its name, what it does where that is said, and the line that declares it; 0 for a usual one."""

    text: str
    name: str = ""
    does: str = ""
    line: int = 0

    def likeness(self, things: Iterable[str]) -> float:
        """Return how many words of its name begin like one of some things, less what it has besides; 0.0 for none."""
        own = [each.lower() for each in words(self.name)]
        asked = [each.lower() for thing in things for each in words(thing)]
        alike = sum(any(is_alike(one, other) for other in asked) for one in own)
        return alike + alike / (1 + len(own))

    def serves(self, purpose: str) -> bool:
        """Return whether its name is one that commands for a purpose have."""
        return any(self.name == each or self.name.startswith((f"{each}:", f"{each}-")) for each in _NAMES[purpose])


def is_alike(one: str, other: str) -> bool:
    """Return whether one word is the beginning of the other, plural or not."""
    one, other = one.rstrip("s"), other.rstrip("s")
    return min(len(one), len(other)) >= _LEAST_ALIKE and (one.startswith(other) or other.startswith(one))


def declared(path: str, text: str) -> tuple[Command, ...]:
    """Return the commands that a file declares, in its order; () for a file of another form, or one that is broken."""
    reader = _READERS.get(path.rpartition("/")[2])
    try:
        return tuple(reader(text)) if reader else ()
    except (ValueError, AttributeError, TypeError):  # what people wrote may have any shape
        return ()


def usual(path: str, purpose: str) -> Command | None:
    """Return the command of a purpose that is usual for the tool of a file; None if it has none."""
    found = _USUAL.get(path.rpartition("/")[2], {}).get(purpose, "")
    return Command(found) if found else None


def reads_commands(path: str) -> bool:
    """Return whether a file declares commands, or implies them."""
    name = path.rpartition("/")[2]
    return name in _READERS or name in _USUAL


def run_of(path: str) -> str:
    """Return the command that runs a single file of code; "" for one that cannot be run alone."""
    program = _PROGRAMS.get(path.rpartition(".")[2], "")
    return f"{program} {path}" if program else ""


_PROGRAMS: Mapping[str, str] = {"py": "python", "js": "node", "mjs": "node", "rb": "ruby", "php": "php", "sh": "sh"}


def _of_make(text: str, program: str = "make") -> Iterator[Command]:
    for number, line in enumerate(text.split("\n"), 1):
        target, colon, rest = line.partition(":")
        if colon and not rest.startswith("=") and target and not target[0].isspace() and target.isprintable():
            for name in target.split():
                if not name.startswith((".", "$", "#")):
                    yield Command(f"{program} {name}", name, "", number)


def _of_just(text: str) -> Iterator[Command]:
    return _of_make(text, "just")


def _of_tasks(text: str) -> Iterator[Command]:
    """Read a Taskfile: the keys that stand two blanks in, below `tasks`."""
    is_within = False
    for number, line in enumerate(text.split("\n"), 1):
        key = line.strip().removesuffix(":")
        if line and not line[0].isspace():
            is_within = key == "tasks"
        elif is_within and line.startswith("  ") and not line[2:3].isspace() and line.rstrip().endswith(":"):
            yield Command(f"task {key}", key, "", number)


def _of_npm(text: str) -> Iterator[Command]:
    for name, does in json.loads(text).get("scripts", {}).items():
        yield Command(f"npm run {name}", name, str(does), _line(text, f'"{name}":'))


def _of_python(text: str) -> Iterator[Command]:
    read = tables_of(text)
    for name in read.get("project", {}).get("scripts", {}):
        yield Command(name, "run", "", _line(text, name))
    tool = read.get("tool", {})
    if "tox" in tool:
        yield Command("tox", "test", "", _line(text, "[tool.tox"))
    if "pytest" in tool:
        yield Command("pytest", "test", "", _line(text, "[tool.pytest"))
    for name, told in tool.get("tox", {}).get("env", {}).items():
        yield Command(f"tox -e {name}", name, str(told.get("description", "")), _line(text, f"tox.env.{name}"))


def _of_tox(text: str) -> Iterator[Command]:
    for number, line in enumerate(text.split("\n"), 1):
        name = line.strip().removeprefix("[testenv:").removesuffix("]")
        if line.startswith("[testenv:"):
            yield Command(f"tox -e {name}", name, "", number)


def _of_cargo(text: str) -> Iterator[Command]:
    for each in tables_of(text).get("bin", []):
        name = each.get("name", "")
        yield Command(f"cargo run --bin {name}", f"run-{name}", "", _line(text, f'"{name}"'))


def _line(text: str, part: str) -> int:
    return text.count("\n", 0, max(text.find(part), 0)) + 1


_READERS: Mapping[str, Callable[[str], Iterator[Command]]] = {
    "Makefile": _of_make,
    "makefile": _of_make,
    "GNUmakefile": _of_make,
    "justfile": _of_just,
    "Taskfile.yml": _of_tasks,
    "Taskfile.yaml": _of_tasks,
    "package.json": _of_npm,
    "pyproject.toml": _of_python,
    "tox.ini": _of_tox,
    "Cargo.toml": _of_cargo,
}
