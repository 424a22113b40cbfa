"""The modules of a link, by name and by file."""

from __future__ import annotations

from posixpath import commonprefix
from typing import TYPE_CHECKING, TypeVar

from indexer.domain.roles import is_test

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from indexer.domain.linking.values import Module

_T = TypeVar("_T")


def nearest(path: str, candidates: Iterable[_T], place: Callable[[_T], str]) -> _T | None:
    """Return the first candidate whose path begins with the most folders of a path, None of none."""
    folders = path.split("/")
    return max(candidates, key=lambda each: len(commonprefix((folders, place(each).split("/")))), default=None)


class Modules(dict[str, "Module"]):
    """
    Modules by name, the first of several that share one and, unless there are only such, no test.

    Args:
        files: By path, and by the paths of links to them, for languages whose imports lead to files.
        layout: What the rules of the language keep about how the files lie in the tree.
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
