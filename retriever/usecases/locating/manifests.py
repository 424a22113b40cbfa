"""Facts from manifests about the projects of a repository, the topmost manifest first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms, words
from retriever.domain.values import FactKind, Origin
from retriever.usecases.locating.naming import is_aside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from retriever.domain.declared.given_values import GivenValue
    from retriever.ports import Snapshot

_STEP, _MAIN, LINT = "step", "main", "lint"
_GO_RUN = "go run ."
_ADDS = {"go install ./...": "go get", "cargo install --path .": "cargo add"}
"""Commands that add a library to a project, for tools that otherwise install programs."""
_STARTING = frozenset({"cargo run"})
_WRAPPERS = {"mvn": "mvnw", "gradle": "gradlew"}
"""Wrapper scripts at the root that download a tool and are run instead of it."""
_NAMES: Mapping[str, tuple[str, ...]] = {
    "test": ("test", "tests", "unittest", "pytest", "tox", "nox", "check"),
    "build": ("build", "compile", "bundle", "dist", "package", "all"),
    "run": ("run", "start", "serve", "dev", "up"),
    "install": ("install", "setup", "bootstrap", "develop", "setup-dev"),
    LINT: ("lint", "linter", "format", "fmt", "typecheck", "clippy"),
    "release": ("release", "publish", "upload"),
}
"""For each purpose, the names of its targets and scripts."""
PURPOSES = tuple(_NAMES)
_TOOLS, _SHORT = 6, 3
_WORDS = {
    each: frozenset(count_terms(" ".join(names[: _TOOLS if each in ("test", LINT) else _SHORT])))
    for each, names in _NAMES.items()
}
"""For each purpose, terms that identify command lines and headings for it."""
NAMED_BY_PURPOSE = frozenset({"test", "install", LINT})
"""Purposes that name what is run; the others need an object: *the documentation* is built, *an example* run."""


def requirements(snapshot: Snapshot) -> tuple[GivenValue, ...]:
    """Return the required packages; `value` is the version or "", the origin DEVELOPMENT for development packages."""
    return _own(snapshot, snapshot.values.of_kind(FactKind.REQUIREMENT))


def properties(snapshot: Snapshot, beginning: str = "") -> tuple[GivenValue, ...]:
    """
    Return the properties of projects in manifests, as `name` and `value`.

    Args:
        beginning: Prefix of names: `name`, `version`, `description`, `license`, `runtime.` (python, node, …: the needed
            version), `entry.` (`main`, `bin.NAME`, `exports.PATH`, for Python also groups of plugins), `member.`.
    """
    return _own(snapshot, snapshot.values.of_kind(FactKind.PROJECT, beginning))


def commands(snapshot: Snapshot) -> tuple[GivenValue, ...]:
    """
    Return the commands of the manifests nearest to the root: `value` is the line.

    Scripts of the project come first, conventional commands of tools last. Commands that start a program are left out
    if there is no main file; a wrapper script replaces its tool.
    """
    told = snapshot.values.of_kind(FactKind.COMMAND)
    scripts = [each for each in told if each.value == each.path]
    found = _own(snapshot, [each for each in told if each not in scripts])
    nearest = [each for each in found if _depth(each) == _depth(found[0])]
    kept = [each for each in nearest if each.value not in _STARTING or _is_program(snapshot, each)]
    mains = [run for each in kept if each.value == _GO_RUN for run in _programs_of_go(snapshot, each)]
    kept = [_imported(snapshot, each, has_main=bool(mains)) for each in kept if each.value != _GO_RUN]
    wrapped = [replace(each, value=_wrapped(snapshot, each.value)) for each in (*scripts, *kept, *mains)]
    return tuple(sorted(wrapped, key=lambda each: each.origin is Origin.CONVENTION))


def steps(snapshot: Snapshot) -> tuple[GivenValue, ...]:
    """Return the command lines that workflows run, by path and line."""
    return tuple(snapshot.values.of_kind(FactKind.COMMAND, _STEP))


def _is_program(snapshot: Snapshot, command: GivenValue) -> bool:
    """Return whether there is a main file where the tool expects one."""
    folder = f"{command.path.rpartition('/')[0]}/src".strip("/")
    mains = (file.path.rpartition("/")[0] for file in snapshot.files.with_stem(_MAIN))
    return any(each == folder or each.startswith(f"{folder}/bin") for each in mains)


def _imported(snapshot: Snapshot, command: GivenValue, *, has_main: bool) -> GivenValue:
    """Return the command that adds a library to a project, in place of one that installs programs."""
    adds = _ADDS.get(command.value, "") if not has_main and not _is_program(snapshot, command) else ""
    names = (each.value for each in properties(snapshot, "name") if each.path == command.path) if adds else ()
    return next((replace(command, value=f"{adds} {name}") for name in names), command)


def _programs_of_go(snapshot: Snapshot, command: GivenValue) -> Iterator[GivenValue]:
    """Yield the command that runs each main package below a Go module, the nearest first."""
    mains = [each for each in snapshot.facts.beginning(FactKind.ENTRY_POINT, _MAIN) if each.value == _MAIN]
    found = snapshot.symbols.get([each.symbol_id for each in mains])
    own = [each for each in found if not each.is_test and not each.is_aside]
    folders = dict.fromkeys(each.path.rpartition("/")[0] for each in own)
    for folder in sorted(folders, key=lambda each: (each.count("/"), each)):
        yield replace(command, value=f"go run ./{folder}" if folder else _GO_RUN)


def _wrapped(snapshot: Snapshot, line: str) -> str:
    tool, blank, rest = line.partition(" ")
    wrapper = _WRAPPERS.get(tool, "")
    return f"./{wrapper} {rest}" if blank and wrapper and snapshot.files.at(wrapper) else line


def rank(command: GivenValue, purpose: str) -> int:
    """Return the rank of a command among those named for a purpose, 0 for the first; -1 if it is not one of them."""
    names = _NAMES[purpose]
    if command.name in names:
        return names.index(command.name)
    others = () if purpose == LINT else (each for each in PURPOSES if each not in (purpose, "run"))
    is_other = any(is_for(command.name, each) for each in others)  # `test_upload` is no test
    return len(names) if is_part(command, purpose) and not is_other else -1


def is_part(command: GivenValue, purpose: str) -> bool:
    """Return whether a command covers a part of a purpose by its name: `test:unit` for `test`."""
    return any(command.name.startswith((f"{each}:", f"{each}-", f"{each}_")) for each in _NAMES[purpose][:_TOOLS])


def is_for(text: str, purpose: str) -> bool:
    """Return whether a command line or a heading has a word for a purpose; names of linters count: eslint, golint."""
    is_linter = purpose == LINT and any(each.lower().endswith(LINT) for each in words(text))
    return is_linter or not count_terms(text).keys().isdisjoint(_WORDS[purpose])


def _own(snapshot: Snapshot, found: Iterable[GivenValue]) -> tuple[GivenValue, ...]:
    own = (each for each in found if not is_aside(snapshot, each.path) and not _is_test(snapshot, each.path))
    return tuple(sorted(own, key=lambda each: (_depth(each), each.path, each.line)))


def _is_test(snapshot: Snapshot, path: str) -> bool:
    file = snapshot.files.at(path)
    return file is not None and file.is_test


def _depth(each: GivenValue) -> int:
    return each.path.count("/")
