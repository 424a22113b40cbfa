"""Reads the README of a project, and selects the project's own files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.words.terms import words
from retriever.domain.values import SymbolMark
from retriever.usecases.locating.manifests import properties

if TYPE_CHECKING:
    from retriever.domain.values import File
    from retriever.ports import Snapshot

PROJECT = "the project"
"""Name of a list about the whole project."""


def readme(snapshot: Snapshot) -> str:
    """Return the path of the README at the root, of one in Markdown first, and translations last; "" for none."""
    paths = [each.path for each in snapshot.files.all() if each.path.lower().split(".")[0] == "readme"]
    return min(paths, key=lambda path: (path.count("."), not path.lower().endswith(".md"), path), default="")


def folders_of(path: str) -> list[str]:
    """Return the folders that a file is in, the innermost first, and the root."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(len(parts) - 1, -1, -1)]


def paths_of_packages(snapshot: Snapshot) -> set[str]:
    """Return the paths of the files that represent their folders, such as `__init__.py`."""
    corpus = snapshot.lexical.corpus()
    marked = corpus.symbols.is_module & ((corpus.symbols.marks & SymbolMark.PACKAGE) > 0)
    return {corpus.files.rows[at].path for at in corpus.symbols.file[marked].tolist()}


def paths_of_definitions(snapshot: Snapshot) -> set[str]:
    """Return the paths of the files that define something."""
    corpus = snapshot.lexical.corpus()
    return {corpus.files.rows[at].path for at in set(corpus.symbols.file[~corpus.symbols.is_module].tolist())}


def own_files(snapshot: Snapshot) -> list[File]:
    """Return the code files, without tests and examples if there are others."""
    code = [file for file in snapshot.files.all() if file.parsed and file.language and not file.is_test]
    return [file for file in code if not file.role.is_aside] or code


def project_names(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the project names in the manifests nearest to the root: the last part of a path, without a version."""
    found = [each for each in properties(snapshot, "name") if each.name == "name"]
    names = (each.value.rstrip("/") for each in found if each.path.count("/") == found[0].path.count("/"))
    parts = (name.split("/") for name in names)
    return tuple(dict.fromkeys(each[-2] if _is_version(each[-1]) and each[1:] else each[-1] for each in parts))


def is_project(snapshot: Snapshot, written: str) -> bool:
    """Return whether a name is that of the project: in manifests, in the README's title, or of the repository."""
    page = readme(snapshot)
    titles = [each.title for each in snapshot.documents.at([page]) if each.title != page][:1] if page else []
    names = (*project_names(snapshot), *titles, snapshot.info.repository.rpartition("/")[2])
    return bool(_folded(written)) and any(_folded(each) == _folded(written) for each in names)


def _folded(name: str) -> str:
    """Return the letters and digits of a name, in one case."""
    return "".join(filter(str.isalnum, name)).casefold()


def words_of_name(snapshot: Snapshot) -> frozenset[str]:
    """Return the words of the project's names, in lower case."""
    return frozenset(word.lower() for name in project_names(snapshot) for word in words(name))


def _is_version(part: str) -> bool:
    return part[:1] == "v" and part[1:].isdigit()
