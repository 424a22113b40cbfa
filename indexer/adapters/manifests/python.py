"""Manifests of Python projects: pyproject.toml, setup.cfg, setup.py and requirements files."""

from __future__ import annotations

import ast
import re
from configparser import ConfigParser, Error
from typing import TYPE_CHECKING, Any

from indexer.adapters.manifests.statements import (
    Statement,
    command,
    is_development,
    listed,
    optional,
    properties,
    requirement,
    tabled,
    tables,
)
from indexer.domain.model import FactKind, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

REQUIREMENTS = re.compile(r"(?:^|/)(?:requirements/[\w.-]+|(?:[\w.-]*[-_.])?requirements[\w.-]*)\.(?:txt|in)$")
PYTEST_ONE = "pytest FILE::TEST"
_TEXTS = ("name", "version", "description", "license")
_RUNTIME = "runtime.python"


def of_requirements(path: str, text: str) -> Iterator[Statement]:
    """Yield the packages of a requirements file; its name tells whether they are for development."""
    serves = is_development(path.rpartition("/")[2])
    for number, line in enumerate(text.split("\n"), 1):
        for each in listed("", [line]):
            yield requirement(each.name, each.text, line=number, is_development=serves)


def of_pyproject(text: str) -> Iterator[Statement]:
    """Yield the facts of pyproject.toml in the formats of PEP 621, PEP 735, Poetry and uv."""
    read = tables(text)
    project, tool = read.get("project", {}), read.get("tool", {})
    poetry = tool.get("poetry", {})
    yield from _project(project, "project")
    yield from _project(poetry, "tool.poetry")
    yield from listed("dependencies", project.get("dependencies", []))
    for extra, texts in project.get("optional-dependencies", {}).items():
        yield from _extra(extra, "optional-dependencies", texts)
    for texts in read.get("dependency-groups", {}).values():
        yield from listed("dependency-groups", [each for each in texts if isinstance(each, str)], is_development=True)
    needed = dict(poetry.get("dependencies", {}))
    yield from properties("tool.poetry.dependencies", {_RUNTIME: needed.pop("python", "")})
    apart = {name: each for name, each in needed.items() if isinstance(each, dict) and each.get("optional")}
    yield from tabled("tool.poetry.dependencies", {name: each for name, each in needed.items() if name not in apart})
    extra_of = {name: extra for extra, names in poetry.get("extras", {}).items() for name in names}
    for name, each in apart.items():
        yield from optional(extra_of.get(name, ""), tabled("tool.poetry.dependencies", {name: each}))
    yield from tabled("tool.poetry.dev-dependencies", poetry.get("dev-dependencies", {}), is_development=True)
    yield from listed("tool.uv", tool.get("uv", {}).get("dev-dependencies", []), is_development=True)
    for name, group in poetry.get("group", {}).items():
        section = f"tool.poetry.group.{name}.dependencies"
        yield from tabled(section, group.get("dependencies", {}), is_development=True)
    if "tox" in tool:
        yield from _of_tox(tool["tox"], "tool.tox")
    if "poetry" in tool:
        yield command("install", "poetry install", "tool.poetry")
    if "pytest" in tool:
        yield from _of_pytest("tool.pytest")


def _extra(extra: str, section: str, texts: list[str]) -> Iterator[Statement]:
    """Yield the packages of an extra, as optional ones unless the extra is for development."""
    yield from optional(extra, listed(section, texts, is_development=is_development(extra)))


def _project(project: Mapping[str, Any], section: str) -> Iterator[Statement]:
    found = {name: project.get(name) for name in _TEXTS}
    if isinstance(found["license"], dict):
        found["license"] = found["license"].get("text")
    yield from properties(section, found)
    yield from properties("requires-python", {_RUNTIME: project.get("requires-python")})
    for group in ("scripts", "gui-scripts"):
        for name, target in project.get(group, {}).items():
            yield from properties(f"{section}.{group}", {f"entry.bin.{name}": target})
            yield command("run", name, f"{section}.{group}")
    for group, entries in project.get("entry-points", {}).items():
        for name, target in entries.items():
            yield from properties(f"{section}.entry-points.{group}", {f"entry.{group}.{name}": target})


def _of_tox(table: Mapping[str, Any], section: str) -> Iterator[Statement]:
    yield command("test", "tox", section)
    for name in table.get("env", {}):
        yield command(name, f"tox -e {name}", ".".join(filter(None, (section, "env", name))))


def of_tox_toml(text: str) -> Iterator[Statement]:
    """Yield the environments of tox.toml."""
    yield from _of_tox(tables(text), "")


def of_tox(text: str) -> Iterator[Statement]:
    """Yield the environments of tox.ini."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("[testenv:"):
            name = line.strip().removeprefix("[testenv:").removesuffix("]")
            yield command(name, f"tox -e {name}", line=number)


def _of_pytest(table: str) -> Iterator[Statement]:
    yield command("test", "pytest", table)
    yield Statement(FactKind.COMMAND, "test-one", PYTEST_ONE, table, origin=Origin.CONVENTION)


def of_setup_cfg(text: str) -> Iterator[Statement]:
    """Yield the facts of setup.cfg about a package."""
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except Error as error:
        raise ValueError(str(error)) from error
    if parser.has_section("metadata"):
        yield from properties("metadata", {name: parser["metadata"].get(name) for name in _TEXTS})
    if parser.has_section("tool:pytest"):
        yield from _of_pytest("tool:pytest")
    if parser.has_section("options"):
        yield from properties("python_requires", {_RUNTIME: parser["options"].get("python_requires")})
        yield from listed("install_requires", parser["options"].get("install_requires", "").split("\n"))
    if parser.has_section("options.extras_require"):
        for extra, texts in parser["options.extras_require"].items():
            yield from _extra(extra, "options.extras_require", texts.split("\n"))
    if parser.has_section("options.entry_points"):
        for group, texts in parser["options.entry_points"].items():
            yield from _entry_points(group, texts.split("\n"))


def of_setup_py(text: str) -> Iterator[Statement]:
    """Yield the facts that setup.py passes to setup(), or to dict() before, as literals."""
    given: dict[str, object] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("setup", "dict"):
            given |= {each.arg: _literal(each.value) for each in node.keywords if each.arg}
    yield from properties("setup", {name: given.get(name) for name in _TEXTS})
    yield from properties("python_requires", {_RUNTIME: given.get("python_requires")})
    yield from listed("install_requires", _texts(given.get("install_requires")))
    extras, entries = given.get("extras_require"), given.get("entry_points")
    for extra, texts in extras.items() if isinstance(extras, dict) else ():
        yield from _extra(str(extra), "extras_require", _texts(texts))
    for group, texts in entries.items() if isinstance(entries, dict) else ():
        yield from _entry_points(str(group), _texts(texts))


def _literal(node: ast.expr) -> object:
    """Return the value of a literal, with None for what is computed."""
    match node:
        case ast.Constant():
            return node.value
        case ast.List() | ast.Tuple():
            return [_literal(each) for each in node.elts]
        case ast.Dict():
            keyed = zip(node.keys, node.values, strict=True)
            return {key.value: _literal(value) for key, value in keyed if isinstance(key, ast.Constant)}
    return None


def _texts(value: object) -> list[str]:
    texts = value.split("\n") if isinstance(value, str) else value
    return [each for each in texts if isinstance(each, str)] if isinstance(texts, list | tuple) else []


def _entry_points(group: str, texts: list[str]) -> Iterator[Statement]:
    for text in texts:
        name, _, target = (part.strip() for part in text.partition("="))
        kind = "bin" if group in ("console_scripts", "gui_scripts") else group
        yield from properties(group, {f"entry.{kind}.{name}": target})
        if kind == "bin" and target:
            yield command("run", name, group)
