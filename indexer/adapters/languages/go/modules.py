"""Names of Go packages before their files are read."""

from __future__ import annotations

import re
from collections import Counter
from posixpath import join, normpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MODULE_FILE = "go.mod"
WORKSPACE_FILE = "go.work"
ROOT_PACKAGE = "main"
_PACKAGE_CLAUSE = re.compile(r"(?>\s+|//[^\n]*|/\*.*?\*/)*+package\s+(\w+)", re.DOTALL)
_MODULE_LINE = re.compile(r"^[ \t]*module\s+\"?([^\s\"]+)", re.MULTILINE)
_REPLACED = re.compile(
    r"^[ \t]*(?:replace\s+)?\"?([^\s\"]+)\"?(?:[ \t]+v\S+)?[ \t]*=>[ \t]*\"?(\.[^\s\"]*)", re.MULTILINE
)


def module_names(texts: Mapping[str, str]) -> Mapping[str, str]:
    """
    Name each file by its folder, dotted: all files of a folder are one package, which is one module.

    The package at the top has the name that most of its files declare, tests left out.
    """
    root = ROOT_PACKAGE
    at_top = [path for path in sorted(texts) if path.endswith(".go") and "/" not in path]
    own = [path for path in at_top if not path.endswith("_test.go")]
    declared = Counter(found.group(1) for path in own if (found := _PACKAGE_CLAUSE.match(texts[path])))
    if declared:
        root = declared.most_common(1)[0][0]
    return {path: path if is_module_file(path) else _folder_of(path) or root for path in texts}


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0].replace("/", ".")


def is_module_file(path: str) -> bool:
    """Return whether a file is a go.mod or go.work."""
    return path.rpartition("/")[2] in (MODULE_FILE, WORKSPACE_FILE)


def module_path(text: str) -> str:
    """Return the module path, the prefix of imports of its packages; "" without one."""
    found = _MODULE_LINE.search(text)
    return found.group(1) if found else ""


def replaced_modules(text: str, folder: str) -> Sequence[tuple[str, str]]:
    """Return the path and the local folder of each module that a `replace` line replaces with a folder."""
    return [(name, normpath(join(folder, place)).removeprefix(".")) for name, place in _REPLACED.findall(text)]
