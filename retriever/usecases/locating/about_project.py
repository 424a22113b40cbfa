"""What the manifests nearest to the root say of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.domain.declared.about import MANIFESTS, About, about
from retriever.usecases.locating.occurrences import ASIDE

PROJECT = "the project"
"""How a list is called that is of the project as a whole."""

if TYPE_CHECKING:
    from retriever.domain.values import File
    from retriever.ports import Snapshot


def manifests(snapshot: Snapshot) -> tuple[tuple[str, About], ...]:
    """Return the manifests of the folder nearest to the root that has any, with what each says; by path."""
    read = [(file.path, about(file.path, snapshot.files.text(file.path))) for file in _candidates(snapshot)]
    said = [each for each in read if each[1] != About()]
    return tuple(each for each in said if each[0].count("/") == said[0][0].count("/"))


def readme(snapshot: Snapshot) -> str:
    """Return the path of the README at the root, of one in Markdown before others; "" for none."""
    paths = [each.path for each in snapshot.files.all() if each.path.lower().split(".")[0] == "readme"]
    return min(paths, key=lambda path: (not path.lower().endswith(".md"), path), default="")


def own_files(snapshot: Snapshot) -> list[File]:
    """Return the files of code, tests and examples aside where there are others."""
    code = [file for file in snapshot.files.all() if file.parsed and file.language and not file.is_test]
    return [file for file in code if not ASIDE.search(file.path)] or code


def _candidates(snapshot: Snapshot) -> list[File]:
    found = (each for each in snapshot.files.all() if not each.is_test and not ASIDE.search(each.path))
    named = [each for each in found if each.path.rpartition("/")[2] in MANIFESTS]
    return sorted(named, key=lambda file: (file.path.count("/"), file.path))
