"""Which reader reads which manifest, and what commands the presence of a manifest implies."""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from indexer.adapters.manifests.builds import (
    of_cmake,
    of_gradle,
    of_maven,
    of_msbuild,
    of_targets,
    of_taskfile,
    of_workflow,
)
from indexer.adapters.manifests.packages import of_cargo, of_composer, of_gemfile, of_go, of_npm
from indexer.adapters.manifests.python import (
    PYTEST_ONE,
    REQUIREMENTS,
    of_pyproject,
    of_requirements,
    of_setup_cfg,
    of_setup_py,
    of_tox,
    of_tox_toml,
)
from indexer.adapters.manifests.statements import Statement, as_facts, command
from indexer.domain.model import FactKind, Origin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.adapters.manifests.statements import Reader
    from indexer.domain.model import Fact

_MOST = 2000
"""Most facts that are read from one manifest; a longer one is not written by hand."""
_MAX_TEXT = 1 << 20
_WORKFLOW = re.compile(r"(?:^|/)\.github/workflows/[^/]+\.ya?ml$")
_SCRIPT = re.compile(r"^(?:scripts?|bin)/[\w-]+(?:\.sh)?$")
"""Paths of scripts that are commands for working on the project, by convention."""
_GRADLE = {"test": "gradle test", "build": "gradle build", "test-one": "gradle test --tests CLASS"}
_MANIFESTS: Mapping[str, tuple[Reader | None, Mapping[str, str]]] = {
    "pyproject.toml": (of_pyproject, {"build": "python -m build", "install": "pip install ."}),
    "setup.cfg": (of_setup_cfg, {}),
    "setup.py": (of_setup_py, {"install": "pip install ."}),
    "tox.ini": (of_tox, {"test": "tox"}),
    "tox.toml": (of_tox_toml, {}),
    "noxfile.py": (None, {"test": "nox"}),
    "pytest.ini": (None, {"test": "pytest", "test-one": PYTEST_ONE}),
    "package.json": (of_npm, {}),
    "Cargo.toml": (
        of_cargo,
        {
            "test": "cargo test",
            "build": "cargo build",
            "run": "cargo run",
            "install": "cargo install --path .",
            "test-one": "cargo test NAME",
            "bench": "cargo bench",
        },
    ),
    "go.mod": (
        of_go,
        {
            "test": "go test ./...",
            "build": "go build ./...",
            "run": "go run .",
            "install": "go install ./...",
            "test-one": "go test ./PACKAGE -run NAME",
            "bench": "go test -bench . ./...",
        },
    ),
    "composer.json": (of_composer, {}),
    "Gemfile": (of_gemfile, {}),
    "pom.xml": (
        of_maven,
        {"test": "mvn test", "build": "mvn package", "install": "mvn install", "test-one": "mvn test -Dtest=CLASS"},
    ),
    **dict.fromkeys(("build.gradle", "build.gradle.kts"), (of_gradle, _GRADLE)),
    "CMakeLists.txt": (of_cmake, {}),
    **dict.fromkeys(("Makefile", "makefile", "GNUmakefile"), (of_targets, {})),
    "justfile": (partial(of_targets, tool="just"), {}),
    **dict.fromkeys(("Taskfile.yml", "Taskfile.yaml"), (of_taskfile, {})),
    **dict.fromkeys(("docker-compose.yml", "compose.yml"), (None, {"run": "docker compose up"})),
    ".pre-commit-config.yaml": (None, {"lint": "pre-commit run --all-files"}),
}
"""By name of the file: its reader, and the commands by purpose that the documentation of the tool gives."""


def manifest_facts(path: str, text: str, symbol: int = -1) -> tuple[Fact, ...]:
    """
    Return the facts of a manifest; () for other files, only the conventional commands for a malformed one.

    Args:
        symbol: Position of the symbol that holds the facts; -1 in a file without symbols.
    """
    name = path.rpartition("/")[2]
    reader, conventions = _MANIFESTS.get(name, (None, {}))
    if name.endswith(".csproj"):
        reader = of_msbuild
    statements: list[Statement] = []
    try:
        if REQUIREMENTS.search(path):
            statements = list(islice(of_requirements(path, text), _MOST))
        elif _WORKFLOW.search(path):
            statements = list(islice(of_workflow(text), _MOST))
        elif _SCRIPT.search(path):
            statements = [command(name.partition(".")[0], path, line=1)]
        elif reader and len(text) <= _MAX_TEXT:
            statements = list(islice(reader(text), _MOST))
    except (ValueError, AttributeError, TypeError, SyntaxError, RecursionError):  # a file may have any structure
        statements = []
    declared = {each.name for each in statements if each.kind == FactKind.COMMAND}
    statements += [
        Statement(FactKind.COMMAND, purpose, command, line=1, origin=Origin.CONVENTION)
        for purpose, command in conventions.items()
        if purpose not in declared
    ]
    return as_facts(statements, text, symbol) if statements else ()
