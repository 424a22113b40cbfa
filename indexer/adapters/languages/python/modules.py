"""Importable names of Python files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def module_names(paths: Collection[str]) -> Mapping[str, str]:
    """
    Name each file as an import from its own root would.

    The root of a file is the innermost folder that is no package: `src/flask/app.py` is `flask.app` where `src` has no
    `__init__.py`. A file in a folder that is no package keeps the whole path (`scripts/run.py` is `scripts.run`),
    except below a folder called `src` or `lib` at the top.
    """
    packages = {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in ("__init__.py", "__init__.pyi")}
    return {path: _module_name(path, packages) for path in paths}


def _module_name(path: str, packages: set[str]) -> str:
    folders = path.split("/")
    last = folders.pop().rpartition(".")[0]
    first = len(folders)
    while first > 0 and "/".join(folders[:first]) in packages:
        first -= 1
    if first == len(folders):
        first = 1 if folders[:1] in (["src"], ["lib"]) else 0
    parts = folders[first:] if last == "__init__" else [*folders[first:], last]
    return ".".join(parts) or last
