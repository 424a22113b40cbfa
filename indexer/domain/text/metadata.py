"""Topics of files: the part of the codebase that a file belongs to (its domain), and its concepts."""

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
"""A folder with at least this share of all code files does not characterize a file in it."""

_GENERIC_TEXT = """
app apps cmd code com common components contrib core doc docs examples include internal io java javascript js kotlin
lib libs main misc modules net org packages pkg plugins python scripts shared source sources src tools ts typescript
util utils
__tests__ acceptance contract e2e fixtures functional integration spec specs test testdata testing tests unit
"""
_GENERIC = frozenset(_GENERIC_TEXT.split())
"""Names of folders that tell the kind of their files, or only group other folders, but not a topic."""


_OF_TESTS = re.compile(r"(?<=.)_tests?$|^tests?_(?=.)")


def describe_files(files: Sequence[IndexedFile]) -> tuple[FileMetadata, ...]:
    """
    Return the metadata of all files of a repository, in the order given; the order does not affect the results.

    Only code and prose have concepts, data files have none.
    """
    roots = _roots([file.source.path for file in files if file.parsed is not None and not file.is_test])
    told = [file for file in files if file.parsed is not None or is_prose(file.source.path)]
    concepts = dict(zip((file.source.path for file in told), find_concepts(told), strict=True))
    return tuple(FileMetadata(domain_of(file.source.path, roots), concepts.get(file.source.path, ())) for file in files)


def domain_of(path: str, roots: Collection[str] = ()) -> str:
    """
    Return the outermost folder of a path that is neither generic nor one of the roots.

    If there is none, return the innermost folder: `utils` for `django/utils/html.py`; without folders, "". A prefix or
    suffix for tests is removed: `forms` for `forms_tests`.
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
    """Return the folders with at least 60 % of the code files: the main package of the repository, and its parents."""
    held = Counter(folder for path in paths for folder in _folders(path))
    return frozenset(folder for folder, count in held.items() if count >= _MOST_OF_THE_CODE * len(paths))


def _folders(path: str) -> Iterator[str]:
    """Yield the folders that lead to a file, outermost first."""
    end = path.find("/")
    while end >= 0:
        yield path[:end]
        end = path.find("/", end + 1)
