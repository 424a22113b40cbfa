"""
What `tsconfig.json` and `package.json` say about where imports lead.

A configuration becomes a module without code; what it says are its exports, which the linker's `find_module` reads:
`path PATTERN TARGET` and `base FOLDER` of `tsconfig:FOLDER`; `folder FOLDER`, `main FILE` and `sub NAME FILE` of
`package:NAME`. Folders and files are paths from the root of the tree.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING

from indexer.domain.linking.program import MODULE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.domain.linking.program import Program

TYPESCRIPT = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json")
PACKAGE = "package.json"
CONFIGURATIONS = (*TYPESCRIPT, PACKAGE)
_COMMENTS = re.compile(r'("(?:\\.|[^"\\])*+(?:"|\\?\Z))|//[^\n]*|/\*(?:(?!\*/).)*+(?:\*/)?', re.DOTALL)
_TRAILING_COMMAS = re.compile(r",(\s*[}\]])")
_CONDITIONS = ("source", "types", "import", "module", "default", "require", "node")


def configuration_program(path: str, text: str) -> Program | None:
    """Read a configuration; None for one that says nothing or is not JSON, comments and trailing commas aside."""
    try:
        content = json.loads(_TRAILING_COMMAS.sub(r"\1", _COMMENTS.sub(lambda found: found.group(1) or "", text)))
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    folder, file = posixpath.split(path)
    if file == PACKAGE:
        name, said = f"package:{content.get('name', '')}", list(_of_package(folder, content))
    else:
        name, said = f"tsconfig:{folder}", list(_of_typescript(folder, content))
    if not said or name == "package:":
        return None
    return 1, ((MODULE, name, -1, 0, 1, ()),), tuple((line, 0) for line in said), (), ()


def _of_typescript(folder: str, content: dict[str, object]) -> Iterator[str]:
    options = content.get("compilerOptions")
    if not isinstance(options, dict):
        return
    base = _joined(folder, str(options.get("baseUrl", ".")))
    paths = options.get("paths")
    for pattern, targets in paths.items() if isinstance(paths, dict) else ():
        for target in targets if isinstance(targets, list) else ():
            yield f"path {pattern} {_joined(base, str(target))}"
    if "baseUrl" in options:
        yield f"base {base}"


def _of_package(folder: str, content: dict[str, object]) -> Iterator[str]:
    yield f"folder {folder}"
    for key in ("source", "module", "main"):
        if isinstance(value := content.get(key), str):
            yield f"main {_joined(folder, value)}"
    exports = content.get("exports")
    entries = exports if isinstance(exports, dict) and any(key.startswith(".") for key in exports) else {".": exports}
    for name, target in entries.items():
        for file in _targets(target):
            yield f"main {_joined(folder, file)}" if name == "." else f"sub {name[2:]} {_joined(folder, file)}"


def _targets(target: object) -> Iterator[str]:
    if isinstance(target, str):
        yield target
    elif isinstance(target, dict):
        for condition in _CONDITIONS:
            yield from _targets(target.get(condition))


def _joined(folder: str, path: str) -> str:
    joined = posixpath.normpath(posixpath.join(folder, path))
    return "" if joined == "." else joined
