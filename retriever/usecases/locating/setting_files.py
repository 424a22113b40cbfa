"""Finds files that may set a setting, and ranks values by the kind of their file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.values import File
    from retriever.ports import Snapshot

_EXAMPLE = re.compile(
    r"(?:example|sample|template|dist|devcontainer|taskfile|makefile|docker-?compose"
    r"|\b(?:debug|dev|development|local|ci)\b|(?<![^/])(?:application|appsettings|bootstrap)[.-]\w[\w-]*\.)[^/]*$",
    re.IGNORECASE,
)
"""Files with settings for one purpose, or examples of them."""
_DEPLOYED = re.compile(
    r"(?:^|/)(?:k8s|kubernetes|helm|charts?|deploy|deployments?|docker|terraform|ansible)/", re.IGNORECASE
)
"""Folders of deployment configuration."""
_OF_TOOLS = re.compile(
    r"(?:^|/)(?:package|composer|tsconfig[\w.-]*|jest[\w.-]*|[\w.-]*eslint[\w.-]*)\.(?:json|[cm]?js)$"
)
"""Files that configure development tools: "the timeout" alone does not refer to that of a test runner."""
_CONFIGURES = re.compile(r"(?:config|constant|default|env|option|param|propert|setting|values)[^/]*$", re.IGNORECASE)
"""Names of configuration files."""
_BESIDE = re.compile(r"(?:^|/)(?:contrib|[\w-]*e2e[\w-]*)/", re.IGNORECASE)


def files_of_values(snapshot: Snapshot, terms: Sequence[str], least: int) -> list[File]:
    """Return the files with enough of the terms, most first."""
    found = snapshot.lexical.postings(terms).files
    rows = snapshot.lexical.corpus().files.rows
    held: dict[int, dict[int, int]] = {}
    for unit, term, counts in zip(found.units, found.terms, found.counts, strict=True):
        held.setdefault(int(unit), {})[int(term)] = int(counts.sum())
    enough = [(unit, have) for unit, have in held.items() if len(have) >= least]
    enough.sort(
        key=lambda each: (
            *(-len(each[1]), _CONFIGURES.search(rows[each[0]].path) is None, -_in_path(rows[each[0]].path, terms)),
            *(-sum(each[1].values()), each[0]),
        )
    )
    return [rows[unit] for unit, _ in enough]


def _in_path(path: str, terms: Sequence[str]) -> int:
    return len(set(terms) & set(count_terms(path)))


def speciality(file: File, *, for_default: bool) -> int:
    """Return 2 for a file with values for one purpose only; 1 for other non-code files for a default; else 0."""
    is_for_one = any(kind.search(file.path) for kind in (_EXAMPLE, _DEPLOYED, _OF_TOOLS))
    return 2 if is_for_one else int(for_default and not file.language)


def is_aside(file: File) -> bool:
    """Return whether a file belongs to tests, examples or tools."""
    return file.is_test or file.role.is_aside or _BESIDE.search(file.path) is not None


def may_be_described(file: File, *, by_one_word: bool) -> bool:
    """Return whether a file may contain a value that a question only describes; for one word, not files of tools."""
    return not (is_aside(file) or (by_one_word and _OF_TOOLS.search(file.path)))
