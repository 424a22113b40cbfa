"""Names of Go packages before their files are read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MODULE_FILE = "go.mod"
ROOT_PACKAGE = "main"
_MODULE_LINE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)


def module_names(paths: Sequence[str]) -> Mapping[str, str]:
    """
    Name each file by its folder, dotted: all files of a folder are one package, which is one module.

    The package at the top has the name that its files declare, once they are read.
    """
    return {path: path if is_module_file(path) else package_of_path(path) for path in paths}


def package_of_path(path: str) -> str:
    """Name the package that a path stands for."""
    return path.rpartition("/")[0].replace("/", ".") or ROOT_PACKAGE


def is_module_file(path: str) -> bool:
    """Tell whether a file is a `go.mod`."""
    return path.rpartition("/")[2] == MODULE_FILE


def module_path(text: str) -> str:
    """Give the path that imports of a module's packages begin with; "" without one."""
    found = _MODULE_LINE.search(text)
    return found.group(1) if found else ""
