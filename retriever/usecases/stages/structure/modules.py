"""Dependencies between modules around a scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent
from retriever.domain.views.structure import Dependency, grouped

if TYPE_CHECKING:
    from retriever.domain.tasks.context import Context, Task
    from retriever.ports import Snapshot

_SEVERAL = 3
"""Least modules for a useful picture of their dependencies."""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Dependencies between files, and the same summed by module."""

    files: tuple[Dependency, ...]
    modules: tuple[Dependency, ...]


def dependencies_around(snapshot: Snapshot, scope: str) -> Dependencies:
    """Return the dependencies of the whole repository, with modules at the depth that suits the scope."""
    files = _between_files(snapshot, scope)
    return Dependencies(files, _between_modules(files, scope))


def _between_files(snapshot: Snapshot, scope: str) -> tuple[Dependency, ...]:
    """Return dependencies between files, without tests, which use everything, unless the scope has only tests."""
    inside = [file for file in snapshot.files.all() if file.parsed and file.path.startswith(scope)]
    tests = {file.path for file in snapshot.files.all() if file.is_test}
    if scope and all(file.is_test for file in inside):
        tests -= {file.path for file in inside}
    found = snapshot.structure.dependencies()
    return tuple(each for each in found if each.path not in tests and each.depends_on not in tests)


def _between_modules(files: tuple[Dependency, ...], scope: str) -> tuple[Dependency, ...]:
    """Group by folders at the first depth with `_SEVERAL` modules in the scope, else at the depth with most."""
    ends = {path for each in files for path in (each.path, each.depends_on) if path.startswith(scope)}
    deepest = max((path.count("/") for path in ends), default=0) - scope.count("/") + 1
    best: tuple[Dependency, ...] = ()
    most = -1
    for depth in range(1, deepest + 1):
        found = grouped(files, scope, depth)
        modules = {path for each in found for path in (each.path, each.depends_on) if path.startswith(scope)}
        if len(modules) > most:
            best, most = found, len(modules)
        if most >= _SEVERAL:
            break
    return best


def is_of_one_thing(context: Context, task: Task) -> bool:
    """Return whether an assessment of one thing within the code is asked for, not of the whole or an existing part."""
    asked = tuple(task.understanding.of(Intent.ASSESSMENT))
    others = [each for each in task.understanding.intents if each is not Intent.ASSESSMENT]
    return bool(asked) and not others and not context.scope and all(part.choice != "whole" for part in asked)
