"""The modules of a link, by name and by file."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from operator import itemgetter
from posixpath import commonprefix
from typing import TYPE_CHECKING, TypeVar

from indexer.domain.roles import is_test

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from indexer.domain.linking.solver.values import Module

_T = TypeVar("_T")


def nearest(path: str, candidates: Iterable[_T], place: Callable[[_T], str]) -> _T | None:
    """Return the candidate that shares the most leading folders with a path, the first of equals; None if none."""
    return max(candidates, key=lambda each: _shared(path, place(each)), default=None)


def _shared(one: str, other: str) -> int:
    return len(commonprefix((one.split("/"), other.split("/"))))


def seen_from(
    packages: Mapping[tuple[str, str], dict[str, _T]], union: Callable[[list[_T]], _T] = itemgetter(0)
) -> dict[tuple[str, str], dict[str, _T]]:
    """
    Return the names of each package as seen from each realm: its own take precedence, then those of nearer realms.

    A realm is a folder whose files prefer each other, such as a source root.

    Args:
        packages: Names by (name of the package, realm).
        union: Merges the values that equally near realms have for one name, as for variants of a build. The default
            takes the first.
    """
    realms: dict[str, list[str]] = {}
    for name, realm in packages:
        realms.setdefault(name, []).append(realm)
    views: dict[tuple[str, str], dict[str, _T]] = {}
    for name, several in realms.items():
        size = sum(len(packages[name, realm]) for realm in several)
        for realm in several:
            if (first := views.get((name, several[0]))) is not None and len(first) == size:
                views[name, realm] = first  # names are unique, so all realms see the same
                continue
            view = views[name, realm] = {}
            for _, equal in groupby(sorted(several, key=partial(_distance, realm)), partial(_distance, realm)):
                found: dict[str, list[_T]] = {}
                for other in equal:
                    for key, each in packages[name, other].items():
                        found.setdefault(key, []).append(each)
                for key, variants in found.items():
                    view.setdefault(key, variants[0] if len(variants) == 1 else union(variants))
    return views


def _distance(realm: str, other: str) -> tuple[bool, int, bool]:
    return other != realm, -_shared(realm, other), is_test(other)


class Modules(dict[str, "Module"]):
    """
    Modules by name; of several with one name, the first that is not a test, or the first if all are tests.

    Args:
        files: Modules by path, also by paths through symbolic links, for languages whose imports name files.
        layout: Data that a language's rules cache about the places of files in the tree.
    """

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, Module] = {}
        self.layout: object = None

    def add(self, module: Module, aliases: Iterable[str] = ()) -> None:
        """Add the module of one file."""
        known = self.setdefault(module.name, module)
        if known is not module and is_test(known.path) and not is_test(module.path):
            self[module.name] = module
        for path in (module.path, *aliases):
            self.files.setdefault(path, module)
