"""Names of Java files before they are read: the package that their folder stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_ROOTS = ("java", "kotlin", "groovy")
DEFAULT_PACKAGE = "default"


def module_names(paths: Collection[str]) -> Mapping[str, str]:
    """
    Name each file by the package that its folder below a source root stands for.

    A source root is `java` below `src` (`src/main/java`), or the innermost `src`, else the top. All files of a package
    have one name: they are one module. When files are linked, the package declaration takes precedence.
    """
    return {path: package_of_path(path) for path in paths}


def package_of_path(path: str) -> str:
    """Return the package of a path."""
    folders = path.split("/")[:-1]
    first = 0
    for position, folder in enumerate(folders):
        if folder == "src" or (folder in _ROOTS and "src" in folders[:position]):
            first = position + 1
    return ".".join(folders[first:]) or DEFAULT_PACKAGE
