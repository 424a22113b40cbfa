"""Dependencies between modules around a scope, and a cache for what depends on snapshot and scope alone."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from common.core.runtime.concurrency import detached_from_call
from retriever.domain.questions.understanding import Intent
from retriever.domain.views.structure import Dependency, grouped

if TYPE_CHECKING:
    from collections.abc import Callable

    from retriever.domain.tasks.context import Context, Task
    from retriever.ports import Snapshot

T = TypeVar("T")

_KEPT = 32
_SEVERAL = 3
"""Modules from which on a picture of their dependencies says something."""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Dependencies between files, and the same summed by module."""

    files: tuple[Dependency, ...]
    modules: tuple[Dependency, ...]


class _Kept(Generic[T]):
    """A cached result, and the lock of the task that computes it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: list[T] = []


class ScopeCache(Generic[T]):
    """
    Keeps what was worked out for a scope of a snapshot, the latest answers only; for many threads.

    Who asks for the same waits for it, who asks for something else does not.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str, str], _Kept[T]] = OrderedDict()

    def get(self, snapshot: Snapshot, scope: str, make: Callable[[Snapshot, str], T]) -> T:
        """Return what `make` gives for this scope of the core and its edges; it must depend on nothing else."""
        key = (snapshot.info.core_digest, snapshot.info.precise_digest, scope)
        with self._lock:
            kept = self._kept.setdefault(key, _Kept())
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        with kept.lock, detached_from_call():
            if not kept.made:
                kept.made.append(make(snapshot, scope))
            return kept.made[0]


def dependencies_around(snapshot: Snapshot, scope: str) -> Dependencies:
    """Return the dependencies of the whole repository, with modules at the depth that suits the scope."""
    files = _between_files(snapshot, scope)
    return Dependencies(files, _between_modules(files, scope))


def _between_files(snapshot: Snapshot, scope: str) -> tuple[Dependency, ...]:
    """Tests use everything, so they only count where the scope holds nothing else."""
    inside = [file for file in snapshot.files.all() if file.parsed and file.path.startswith(scope)]
    tests = {file.path for file in snapshot.files.all() if file.is_test}
    if scope and all(file.is_test for file in inside):
        tests -= {file.path for file in inside}
    found = snapshot.structure.dependencies()
    return tuple(each for each in found if each.path not in tests and each.depends_on not in tests)


def _between_modules(files: tuple[Dependency, ...], scope: str) -> tuple[Dependency, ...]:
    """Sum at the first depth at which the scope falls into several modules, else at the one at which it has most."""
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
    """Return whether a judgement is asked for of one thing within the code, not of the whole or a part that exists."""
    asked = tuple(task.understanding.of(Intent.ASSESSMENT))
    others = [each for each in task.understanding.intents if each is not Intent.ASSESSMENT]
    return bool(asked) and not others and not context.scope and all(part.choice != "whole" for part in asked)
