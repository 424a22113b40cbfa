"""Reads a list of repositories to index: a TOML file with one table for each, named as the index is to be named."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cgrag_client.errors import UsageError
from cgrag_client.indexes import source_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TEXT, _TEXTS, _FLAG = "a text", "a list of texts", "true or false"
_KINDS = {"source": _TEXT, "revision": _TEXT, "exclude": _TEXTS, "vectors": _FLAG}


@dataclass(frozen=True, slots=True)
class Listed:
    """
    One repository of a list.

    Args:
        name: Name of its index, which questions name it by.
        source: Git URL, or absolute path of a folder on the indexer's machine.
        revision: Branch, tag or commit; "" for the HEAD.
        exclude: Globs of paths to leave out.
        vectors: Whether vectors are made.
    """

    name: str
    source: str
    revision: str = ""
    exclude: tuple[str, ...] = ()
    vectors: bool = True

    def request_id(self, run: str) -> str:
        """Return the request id of this entry's index job: the same for the same entry and run; "" without a run."""
        what = [run, self.name, self.source, self.revision, self.exclude, self.vectors]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest() if run else ""


def read_list(path: Path) -> tuple[Listed, ...]:
    """Read a list of repositories, in the order of the file. Raises UsageError that names every mistake."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:  # invalid TOML or UTF-8, a number with too many digits
        raise UsageError(f"{path}: not valid TOML: {error}") from error
    problems = [problem for name, table in tables.items() for problem in _problems(name, table)]
    if not tables:
        problems = ["names nothing; write a table for each repository, [NAME] with source"]
    if problems:
        raise UsageError("\n".join(f"{path}: {problem}" for problem in problems))
    return tuple(_listed(name, table) for name, table in tables.items())


def _problems(name: str, table: object) -> list[str]:
    if not isinstance(table, dict):
        return [f"{name}: must be a table, [NAME] with source"]
    found = [f"[{name}] {key}: no such key" for key in table if key not in _KINDS]
    if not table.get("source"):
        found.append(f"[{name}] source: is missing; a git URL, or an absolute path on the indexer's machine")
    wrong = [key for key, kind in _KINDS.items() if key in table and not _is(table[key], kind)]
    found += [f"[{name}] {key}: expected {_KINDS[key]}" for key in wrong]
    if not found:
        try:
            source_of(table["source"], table.get("revision", ""))
        except UsageError as error:
            found.append(f"[{name}] {error}")
    return found


def _is(value: object, kind: str) -> bool:
    if kind == _TEXTS:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    return isinstance(value, str if kind == _TEXT else bool)


def _listed(name: str, table: Mapping[str, Any]) -> Listed:
    exclude = tuple(table.get("exclude", ()))
    return Listed(name, table["source"], table.get("revision", ""), exclude, table.get("vectors", True))
