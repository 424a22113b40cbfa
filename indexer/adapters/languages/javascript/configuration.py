"""
Reads from `tsconfig.json` and `package.json` how imports are resolved.

A configuration becomes a module without code; its settings are the exports, which the linker's `find_module` reads:
`path PATTERN TARGET`, `base FOLDER`, `extends FILE` and `refers FILE` of a `tsconfig.json` or what it inherits from;
`folder FOLDER`, `main FILE`, `sub NAME FILE` and `path PATTERN TARGET` (of imports that begin with `#`) of
`package:NAME`. Folders and files are paths from the root of the tree; `${configDir}` in an inherited setting is the
folder of the configuration that inherits it.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING

from indexer.domain.linking.javascript.modules import CONFIGURATION_FILES, OWN_FOLDER
from indexer.domain.linking.program import MODULE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexer.domain.linking.program import Program

PACKAGE = "package.json"
CONFIGURATIONS = (*CONFIGURATION_FILES, PACKAGE)
SCRIPT_CONFIGURATIONS = (PACKAGE, "jsconfig.json")
ENDING = ".json"
_COMMENTS = re.compile(r'("(?:\\.|[^"\\])*+(?:"|\\?\Z))|//[^\n]*|/\*(?:(?!\*/).)*+(?:\*/)?', re.DOTALL)
_TRAILING_COMMAS = re.compile(r",(\s*[}\]])")
_CONDITIONS = ("source", "types", "import", "module", "default", "require", "node")


def configuration_program(path: str, text: str) -> Program | None:
    """Read a configuration; None if it is empty or not JSON, where comments and trailing commas are allowed."""
    content = _content(text)
    folder, file = posixpath.split(path)
    if file == PACKAGE:
        name, said = f"package:{content.get('name') or path}", list(_of_package(folder, content))
    else:
        name, said = f"tsconfig:{path}", list(_of_typescript(folder, content))
    if not said:
        return None
    return 1, ((MODULE, name, -1, 0, 1, ()),), tuple((line, 0) for line in said), (), ()


def inherited(texts: Mapping[str, str]) -> frozenset[str]:
    """Return the files that the configurations of a tree extend or refer to, under any name."""
    found: set[str] = set()
    waiting = [path for path in texts if path.rpartition("/")[2] in CONFIGURATION_FILES]
    while waiting:
        path = waiting.pop()
        for said in _of_typescript(posixpath.dirname(path), _content(texts[path])):
            kind, _, target = said.partition(" ")
            if kind in ("extends", "refers") and target in texts and target not in found:
                found.add(target)
                waiting.append(target)
    return frozenset(path for path in found if path.rpartition("/")[2] not in CONFIGURATIONS)


def _content(text: str) -> dict[str, object]:
    try:
        content = json.loads(_TRAILING_COMMAS.sub(r"\1", _COMMENTS.sub(lambda found: found.group(1) or "", text)))
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _of_typescript(folder: str, content: dict[str, object]) -> Iterator[str]:
    options = content.get("compilerOptions")
    if isinstance(options, dict):
        base = _joined(folder, str(options.get("baseUrl", ".")))
        paths = options.get("paths")
        for pattern, targets in paths.items() if isinstance(paths, dict) else ():
            for target in targets if isinstance(targets, list) else ():
                yield f"path {pattern} {_joined(base, str(target))}"
        if "baseUrl" in options:
            yield f"base {base}"
    named = content.get("extends")
    for each in reversed(named if isinstance(named, list) else [named]):  # later ones override earlier ones
        if isinstance(each, str) and each.startswith("."):
            yield f"extends {_configuration(folder, each)}"
    references = content.get("references")
    for each in references if isinstance(references, list) else ():
        if isinstance(each, dict) and isinstance(target := each.get("path"), str):
            is_file = target.endswith(ENDING)
            yield f"refers {_joined(folder, target if is_file else posixpath.join(target, CONFIGURATION_FILES[0]))}"


def _configuration(folder: str, written: str) -> str:
    return _joined(folder, written if written.endswith(ENDING) else f"{written}{ENDING}")


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
    imports = content.get("imports")
    for name, target in imports.items() if isinstance(imports, dict) else ():
        for file in _targets(target):
            if file.startswith("."):
                yield f"path {name} {_joined(folder, file)}"


def _targets(target: object) -> Iterator[str]:
    if isinstance(target, str):
        yield target
    elif isinstance(target, dict):
        for condition in _CONDITIONS:
            yield from _targets(target.get(condition))


def _joined(folder: str, path: str) -> str:
    if path.startswith(OWN_FOLDER):
        return path
    joined = posixpath.normpath(posixpath.join(folder, path))
    return "" if joined == "." else joined
