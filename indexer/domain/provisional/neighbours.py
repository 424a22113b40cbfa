"""Chooses the few files that an edited file is linked with: those that most likely define the names that it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

MAX_NEIGHBOURS = 12
"""Greatest number of unedited files in a link: each takes milliseconds, and an edit should be visible at once."""

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
    Return paths of at most `MAX_NEIGHBOURS` unedited files to link with: same module, then `named`, then `reached`.

    Args:
        edited: Module name of each edited file, by path.
        named: Dotted names or import paths from other files that the edited symbols use.
        reached: Files to which edges of the edited symbols led before the edit, most edges first.
        modules: Paths of each module, by name; more than one where a folder is a module.
    """
    chosen: dict[str, None] = {}
    for module in edited.values():
        chosen.update(dict.fromkeys([path for path in modules.get(module, ()) if path not in edited][:_MAX_SIBLINGS]))
    for name in named:
        chosen.update(dict.fromkeys(_paths_named(name, modules)))
    chosen.update(dict.fromkeys(reached))
    return tuple(path for path in chosen if path not in edited)[:MAX_NEIGHBOURS]


def _paths_named(name: str, modules: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the files of the longest prefix of a name that is a module; import paths may lose leading parts."""
    parts = name.removeprefix("./").replace("/", ".").split(".")
    for first in range(len(parts) if "/" in name else 1):
        for end in range(len(parts), first, -1):
            found = modules.get(".".join(parts[first:end]))
            if found:
                yield from found[:_MAX_SIBLINGS]
                return
