"""Names modules by the paths of their files: the dotted folders below the package that a manifest names."""

from __future__ import annotations

from posixpath import dirname
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from indexer.adapters.languages.by_name.rules import Rules

_KEY = "name:"


def module_names(paths: Collection[str], manifests: Mapping[str, str], rules: Rules) -> Mapping[str, str]:
    """Name files by their paths, without the folders in `dropped_folders` and the file names in `index_files`."""
    packages = {dirname(path): name for path, text in manifests.items() if (name := _package_name(text))}
    return {path: _module_name(path, packages, rules) for path in paths}


def _module_name(path: str, packages: Mapping[str, str], rules: Rules) -> str:
    folder, _, file = path.rpartition("/")
    above: list[str] = []
    while folder and folder not in packages:
        folder, _, name = folder.rpartition("/")
        above += [name] if name not in rules.dropped_folders else []
    above += [packages[folder]] if folder in packages else []
    stem = file.partition(".")[0] or file
    return ".".join((*reversed(above), *([stem] if stem not in rules.index_files or not above else [])))


def _package_name(manifest: str) -> str:
    lines = (line for line in manifest.split("\n") if line.startswith(_KEY))
    return next((line.removeprefix(_KEY).partition("#")[0].strip(" \t\r\"'") for line in lines), "")
