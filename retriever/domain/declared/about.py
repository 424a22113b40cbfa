"""Reads what a manifest says of the project itself: what it is, what it runs on, and where its package is entered."""

from __future__ import annotations

import json
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from retriever.domain.declared.manifests import Requirement, tables_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_MOST = 500
"""Statements that are read of one manifest."""


@dataclass(frozen=True, slots=True)
class About:
    """
    What a manifest says of the project itself.

    Args:
        description: One sentence or two; "" for none, with line 0.
        runtime: Versions of language or platform that the project needs.
        entries: Files at which the package is entered, relative to the manifest; they need not exist.
    """

    name: str = ""
    description: str = ""
    line: int = 0
    runtime: tuple[Requirement, ...] = ()
    entries: tuple[str, ...] = ()


def about(path: str, text: str) -> About:
    """Return what a manifest says of the project; an empty value for a file of another form, or one that is broken."""
    reader = _ABOUT.get(path.rpartition("/")[2])
    try:
        found = list(islice(reader(text), _MOST)) if reader else []
    except (ValueError, AttributeError, TypeError, RecursionError, ConfigError):  # people write any shape
        return About()
    said = {kind: value for kind, value, _ in reversed(found) if isinstance(value, str) and value.strip()}
    description = " ".join(said.get("description", "").split())
    runtime = {
        kind: Requirement(kind, " ".join(value.split()), _line_of(text, written, value), is_for_makers=False)
        for kind, value, written in found
        if kind not in {"name", "description", "entry"} and isinstance(value, str) and value.strip()
    }
    entries = (value.removeprefix("./") for kind, value, _ in found if kind == "entry" and isinstance(value, str))
    line = _line_of(text, "description", description.split(". ")[0][:40]) if description else 0
    return About(said.get("name", ""), description, line, tuple(runtime.values()), tuple(dict.fromkeys(entries)))


def _line_of(text: str, written: str, value: str) -> int:
    """Return the line that has a key and its value, else the first with the key, else 1."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if written in line]
    both = (number for number, line in lines if value.strip() in line)
    return next(both, next((number for number, _ in lines), 1))


def _about_package(text: str) -> Iterator[tuple[str, Any, str]]:
    read = json.loads(text)
    yield from ((key, read.get(key), key) for key in ("name", "description"))
    yield from (("Node.js" if key == "node" else key, each, key) for key, each in read.get("engines", {}).items())
    exports = read.get("exports")
    main = exports.get(".", exports) if isinstance(exports, dict) else exports
    yield from (("entry", each, "") for each in (read.get("source"), read.get("main"), read.get("module")))
    yield from (("entry", each, "") for each in _leaves(main))


def _leaves(told: object) -> Iterator[object]:
    """Yield the files of conditional exports, whatever their conditions."""
    for each in told.values() if isinstance(told, dict) else [told]:
        yield from _leaves(each) if isinstance(each, dict) else [each]


def _about_python(text: str) -> Iterator[tuple[str, Any, str]]:
    read = tables_of(text)
    poetry = read.get("tool", {}).get("poetry", {})
    project = {**poetry, **read.get("project", {})}
    yield from ((key, project.get(key), key) for key in ("name", "description"))
    yield "Python", project.get("requires-python"), "requires-python"
    yield "Python", poetry.get("dependencies", {}).get("python"), "python"
    for script in project.get("scripts", {}).values():
        yield from _python_entries(str(script).partition(":")[0].replace(".", "/"), "{}.py")
    yield from _python_entries(str(project.get("name", "")).replace("-", "_").lower())


def _about_setup(text: str) -> Iterator[tuple[str, Any, str]]:
    read = ConfigParser(interpolation=None)
    read.read_string(text)
    yield from ((key, read.get("metadata", key, fallback=""), key) for key in ("name", "description"))
    yield "Python", read.get("options", "python_requires", fallback=""), "python_requires"
    yield from _python_entries(read.get("metadata", "name", fallback="").replace("-", "_").lower())


def _python_entries(module: str, file: str = "{}/__init__.py") -> Iterator[tuple[str, Any, str]]:
    yield from (("entry", f"{folder}{file.format(module)}", "") for folder in ("src/", "") if module)


def _about_cargo(text: str) -> Iterator[tuple[str, Any, str]]:
    read = tables_of(text)
    package = read.get("package", {})
    yield from ((key, package.get(key), key) for key in ("name", "description"))
    yield "Rust", package.get("rust-version"), "rust-version"
    named = (read.get("lib", {}), *read.get("bin", []))
    yield from (("entry", each, "") for each in ("src/main.rs", "src/lib.rs", *(one.get("path") for one in named)))


def _about_go(text: str) -> Iterator[tuple[str, Any, str]]:
    for line in text.split("\n"):
        key, _, value = line.partition(" ")
        if key in ("module", "go"):
            yield {"module": "name", "go": "Go"}[key], value.partition("//")[0].strip(), line


def _about_pom(text: str) -> Iterator[tuple[str, Any, str]]:
    yield from ((key, _element(text, key), f"<{key}>") for key in ("name", "description"))
    versions = ("maven.compiler.release", "java.version", "release", "maven.compiler.source", "source")
    said = ((key, _element(text, key)) for key in versions)
    yield from (("Java", value, f"<{key}>") for key, value in said if value[:1].isdigit())


def _element(text: str, name: str) -> str:
    return text.partition(f"<{name}>")[2].partition(f"</{name}>")[0].strip()


def _about_gradle(text: str) -> Iterator[tuple[str, Any, str]]:
    for line in text.split("\n"):
        key, _, value = line.strip().partition("=")
        told = value.strip(" \"'")
        if key.strip() == "description":
            yield "description", told, line
        if key.strip().endswith(("sourceCompatibility", "languageVersion")) and told:
            yield "Java", "".join(each if each.isdigit() or each in "._" else " " for each in told).strip(" ._"), line


def _about_composer(text: str) -> Iterator[tuple[str, Any, str]]:
    read = json.loads(text)
    yield from ((key, read.get(key), key) for key in ("name", "description"))
    yield "PHP", read.get("require", {}).get("php"), '"php"'


_ABOUT: Mapping[str, Callable[[str], Iterator[tuple[str, Any, str]]]] = {
    "package.json": _about_package,
    "pyproject.toml": _about_python,
    "setup.cfg": _about_setup,
    "Cargo.toml": _about_cargo,
    "go.mod": _about_go,
    "pom.xml": _about_pom,
    "build.gradle": _about_gradle,
    "build.gradle.kts": _about_gradle,
    "composer.json": _about_composer,
}
"""Readers of what a manifest says of the project: what is said ("entry", a language), the text, and its key."""
MANIFESTS = frozenset(_ABOUT)
"""Names of files that `about` reads."""
