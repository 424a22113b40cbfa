"""Which files an edited file is linked with: few, and those that its names most likely lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

MAX_NEIGHBOURS = 12
"""Linking takes milliseconds for each, and an edit is to be seen at once."""

_MAX_SIBLINGS = 6


def files_by_module(files: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Group (path, module) by module."""
    found: dict[str, list[str]] = {}
    for path, module in files:
        found.setdefault(module, []).append(path)
    return found


def choose_neighbours(
    edited: Mapping[str, str], named: Iterable[str], reached: Sequence[str], modules: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """
    Return paths of at most `MAX_NEIGHBOURS` files beside the edited ones, most important first.

    Args:
        edited: Module name of each edited file.
        named: Dotted names or import paths that the edited symbols take from elsewhere.
        reached: Files that edges of the edited symbols led to before, most edges first.
        modules: Paths of each module; more than one where a folder is a module.
    """
    chosen: dict[str, None] = {}
    for module in edited.values():
        chosen.update(dict.fromkeys([path for path in modules.get(module, ()) if path not in edited][:_MAX_SIBLINGS]))
    for name in named:
        chosen.update(dict.fromkeys(_paths_named(name, modules)))
    chosen.update(dict.fromkeys(reached))
    return tuple(path for path in chosen if path not in edited)[:MAX_NEIGHBOURS]


def _paths_named(name: str, modules: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the files of the longest beginning of a name that is a module; paths may begin outside of the tree."""
    parts = name.removeprefix("./").replace("/", ".").split(".")
    for first in range(len(parts) if "/" in name else 1):
        for end in range(len(parts), first, -1):
            found = modules.get(".".join(parts[first:end]))
            if found:
                yield from found[:_MAX_SIBLINGS]
                return
