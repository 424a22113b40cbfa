"""Reads the name, the root files and the dependencies of a Rust crate from its Cargo.toml."""

from __future__ import annotations

import tomllib
from itertools import chain
from typing import TYPE_CHECKING, Any

from indexer.domain.linking.by_name.program import ImportRow, Program

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MANIFEST = "Cargo.toml"
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")
_TARGETS = ("bin", "example", "test", "bench")


def manifest_program(text: str) -> Program:
    """Return imports for a manifest: its root files (the library's under the crate's name) and dependencies."""
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        content = {}
    lines = [line.lstrip(" \t\"'") for line in text.split("\n")]
    rows = chain(_roots(content, lines), _dependencies(content, lines))
    return Program("", (), (), (), tuple(rows))


def _roots(content: Mapping[str, Any], lines: list[str]) -> Iterator[ImportRow]:
    package, library = _table(content, "package"), _table(content, "lib")
    name = _word(library.get("name") or package.get("name"))
    line = _line(lines, "name")
    if name:
        yield ImportRow(0, line, str(library.get("path", "src/lib.rs")), 1, 1, _crate(name))
    yield ImportRow(0, line, "src/main.rs", 1, 1, "")
    for kind in _TARGETS:
        targets = content.get(kind)
        for target in targets if isinstance(targets, list) else ():
            if isinstance(target, dict) and (path := _word(target.get("path"))):
                yield ImportRow(0, line, path, 1, 1, "")


def _dependencies(content: Mapping[str, Any], lines: list[str]) -> Iterator[ImportRow]:
    workspace, targets = _table(content, "workspace"), _table(content, "target")
    for holder in (content, workspace, *targets.values()):
        for kind in _DEPENDENCIES:
            for name, said in _table(holder, kind).items():
                package = said.get("package", name) if isinstance(said, dict) else name
                yield ImportRow(0, _line(lines, name), _crate(_word(package)), 0, 0, _crate(name))


def _table(content: object, key: str) -> Mapping[str, Any]:
    found = content.get(key) if isinstance(content, dict) else None
    return found if isinstance(found, dict) else {}


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _crate(name: str) -> str:
    return name.replace("-", "_")


def _line(lines: list[str], key: str) -> int:
    return next((number for number, line in enumerate(lines, 1) if line.startswith(key)), 1)
