"""What each file is about: the part of the codebase that it belongs to, and the concepts that set it apart."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from indexer.domain.snapshots.core import FileMetadata
from indexer.domain.text.concepts import find_concepts
from indexer.domain.text.prose import is_prose

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from indexer.domain.snapshots.core import IndexedFile

_MOST_OF_THE_CODE = 0.6
"""A folder with this share of all code says nothing about a file in it."""

_GENERIC_TEXT = """
app apps cmd code com common components contrib core doc docs examples include internal io java javascript js kotlin
lib libs main misc modules net org packages pkg plugins python scripts shared source sources src tools ts typescript
util utils
__tests__ acceptance contract e2e fixtures functional integration spec specs test testdata testing tests unit
"""
_GENERIC = frozenset(_GENERIC_TEXT.split())
"""Folders that say what kind of files they hold, or that there are more below, but not what those are about."""


_OF_TESTS = re.compile(r"(?<=.)_tests?$|^tests?_(?=.)")


def describe_files(files: Sequence[IndexedFile]) -> tuple[FileMetadata, ...]:
    """
    Describe all files of a repository, in the order given; what is said of a file does not depend on that order.

    Only code and prose have concepts: data says nothing in words.
    """
    roots = _roots([file.source.path for file in files if file.parsed is not None and not file.is_test])
    told = [file for file in files if file.parsed is not None or is_prose(file.source.path)]
    concepts = dict(zip((file.source.path for file in told), find_concepts(told), strict=True))
    return tuple(FileMetadata(domain_of(file.source.path, roots), concepts.get(file.source.path, ())) for file in files)


def domain_of(path: str, roots: Collection[str] = ()) -> str:
    """
    Return the outermost folder of a path that is neither generic nor one of the roots.

    If there is none, it is the innermost folder: `utils` for `django/utils/html.py`; and "" without folders. A folder
    of tests is named for what it tests: `forms` for `forms_tests`.
    """
    folders = list(_folders(path))
    names = [folder.rpartition("/")[2] for folder in folders]
    telling = (
        name
        for folder, name in zip(folders, names, strict=True)
        if name.lower() not in _GENERIC and folder not in roots
    )
    return _OF_TESTS.sub("", next(telling, names[-1] if names else ""))


def _roots(paths: Sequence[str]) -> frozenset[str]:
    """Return the folders with most of the code: the main package of the repository, and its parents."""
    held = Counter(folder for path in paths for folder in _folders(path))
    return frozenset(folder for folder, count in held.items() if count >= _MOST_OF_THE_CODE * len(paths))


def _folders(path: str) -> Iterator[str]:
    """Yield the folders that lead to a file, outermost first."""
    end = path.find("/")
    while end >= 0:
        yield path[:end]
        end = path.find("/", end + 1)
