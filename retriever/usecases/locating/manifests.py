"""What manifests say of the projects of a repository: facts of the index, those of the topmost manifest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.domain.values import FactKind, Origin
from retriever.usecases.locating.naming import is_aside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from retriever.domain.declared.given_values import GivenValue
    from retriever.ports import Snapshot

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


def requirements(snapshot: Snapshot) -> tuple[GivenValue, ...]:
    """Return the required packages; `value` is the version or "", the origin DEVELOPMENT if only that needs one."""
    return _own(snapshot, snapshot.values.of_kind(FactKind.REQUIREMENT))


def properties(snapshot: Snapshot, beginning: str = "") -> tuple[GivenValue, ...]:
    """
    Return what manifests say of their projects, as `name` and `value`.

    Args:
        beginning: Of the names: `name`, `version`, `description`, `license`, `runtime.` (python, node, …: the version
            that is needed), `entry.` (`main`, `bin.NAME`, `exports.PATH`, of Python also groups of plugins), `member.`.
    """
    return _own(snapshot, snapshot.values.of_kind(FactKind.PROJECT, beginning))


def commands(snapshot: Snapshot) -> tuple[GivenValue, ...]:
    """Return the commands of the manifests nearest to the root, those of conventions last: `value` is the line."""
    found = _own(snapshot, snapshot.values.of_kind(FactKind.COMMAND))
    nearest = (each for each in found if _depth(each) == _depth(found[0]))
    return tuple(sorted(nearest, key=lambda each: each.origin is Origin.CONVENTION))


def serves(command: GivenValue, purpose: str) -> bool:
    """Return whether a command's name fits a purpose (build, test, run)."""
    name = command.name
    return any(name == each or name.startswith((f"{each}:", f"{each}-", f"{each}_")) for each in _NAMES[purpose])


def _own(snapshot: Snapshot, found: Iterable[GivenValue]) -> tuple[GivenValue, ...]:
    own = (each for each in found if not is_aside(snapshot, each.path))
    return tuple(sorted(own, key=lambda each: (_depth(each), each.path, each.line)))


def _depth(each: GivenValue) -> int:
    return each.path.count("/")
