"""Which file an import leads to: by path, by configuration, by convention."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from indexer.domain.linking.modules import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.domain.linking.modules import Modules
    from indexer.domain.linking.solver.values import Module

CONFIGURATION_FILES = ("tsconfig.json", "jsconfig.json")
OWN_FOLDER = "${configDir}"
_MAX_INHERITED = 20
_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_SCRIPTS = (".js", ".jsx", ".mjs", ".cjs")
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_ALIASES = ("@/", "~/", "#/", "$/", "@@/", "~~/")
_SOURCES = ("src/", "lib/", "")
_PACKAGE = "package:"


def by_path(path: str, modules: Modules) -> Module | None:
    """
    Find a file by its path from the root, with or without ending, or a folder's index.

    The ending of a script may stand for that of the source from which it is compiled.
    """
    path = path.removeprefix("./").partition("?")[0]
    stem, ending = posixpath.splitext(path)
    stems = [stem, path] if ending in _SCRIPTS else [path]
    places = [path] if ending and ending not in _SCRIPTS else []
    places += [f"{each}{suffix}" for each in stems for suffix in (*_ENDINGS, *_DECLARATIONS)]
    places += [posixpath.join(path, f"index{suffix}") for suffix in (*_ENDINGS, *_DECLARATIONS)]
    return next((modules.files[place] for place in places if place in modules.files), None)


def by_configuration(name: str, importer: Module, modules: Modules) -> Module | None:
    """Resolve an import by the nearest `tsconfig.json` above the importer, or a `package.json` of the tree."""
    files = CONFIGURATION_FILES if not name.startswith("#") else (*CONFIGURATION_FILES, "package.json")
    for folder in _folders(importer):
        for file in files:
            for said in _said(f"{folder}/{file}" if folder else file, folder, modules):
                for path in _aimed(name, said):
                    if (found := by_path(path, modules)) is not None:
                        return found
    return _by_package(name, importer, modules)


def _said(path: str, folder: str, modules: Modules) -> Iterator[str]:
    """
    Give where a configuration says that imports lead.

    What one says itself takes the place of what it inherits; configurations that it refers to are asked last.
    """
    waiting, seen = [path], {path}
    while waiting and len(seen) < _MAX_INHERITED:
        configuration = modules.files.get(waiting.pop(0))
        lines = list(configuration.exports) if configuration is not None else []
        own = [line for line in lines if line.startswith(("path ", "base "))]
        yield from (line.replace(OWN_FOLDER, folder or ".") for line in own)
        for kind in ("extends ", "refers "):
            named = [line.removeprefix(kind) for line in lines if line.startswith(kind)]
            fresh = [each for each in named if each not in seen and not (own and kind == "extends ")]
            seen.update(fresh)
            waiting += fresh


def by_convention(name: str, importer: Module, modules: Modules) -> Module | None:
    """
    Find what an import usually means where nothing is configured.

    `@/x` and `src/x` are looked for in each folder above the importer, and in the `src` of each.
    """
    alias = next((prefix for prefix in _ALIASES if name.startswith(prefix)), "")
    rest = name.removeprefix(alias)
    for folder in _folders(importer) if alias or "/" in name else ():
        for root in (folder, f"{folder}/src" if folder else "src"):
            found = by_path(f"{root}/{rest}" if root else rest, modules)
            if found is not None and found is not importer:
                return found
    return None


def _folders(importer: Module) -> Iterator[str]:
    """Return the folder of a module and all above it, the root ("") last."""
    folder = importer.path
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder


def _aimed(name: str, said: str) -> Iterator[str]:
    kind, _, rest = said.partition(" ")
    if kind == "base":
        yield f"{rest}/{name}" if rest else name
        return
    pattern, _, target = rest.partition(" ")
    before, star, after = pattern.partition("*")
    if not star and name == pattern:
        yield target
    elif star and name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after):
        yield target.replace("*", name[len(before) : len(name) - len(after)])


def _by_package(name: str, importer: Module, modules: Modules) -> Module | None:
    parts = name.split("/")
    size = 2 if name.startswith("@") else 1
    if not isinstance(modules.layout, dict):
        packages: dict[str, list[Module]] = {}
        for module in modules.files.values():
            if module.name.startswith(_PACKAGE):
                packages.setdefault(module.name, []).append(module)
        modules.layout = packages
    package = nearest(
        importer.path, modules.layout.get(f"{_PACKAGE}{'/'.join(parts[:size])}", ()), lambda each: each.path
    )
    if package is None:
        return None
    rest = "/".join(parts[size:])
    folder, paths = "", []
    for said in package.exports:
        kind, _, value = said.partition(" ")
        if kind == "folder":
            folder = value
        elif kind == "main" and not rest:
            paths.append(value)
        elif kind == "sub" and rest:
            paths += _aimed(rest, f"path {value}")
    paths += [f"{folder}/{source}{rest or 'index'}".lstrip("/") for source in _SOURCES]
    tried = (by_path(path, modules) for path in paths)
    return next((found for found in tried if found is not None), None)
