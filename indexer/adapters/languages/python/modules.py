"""Importable names of Python files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_SOURCES = ("src", "lib")
"""Folders at the top that are the root of what is below them."""


def module_names(paths: Collection[str]) -> Mapping[str, str]:
    """
    Name each file as an import from its own root would.

    The root of a file is the innermost folder that is no package: `src/flask/app.py` is `flask.app` where `src` has no
    `__init__.py`. A file in a folder that is no package keeps the whole path (`scripts/run.py` is `scripts.run`),
    except below a folder called `src` or `lib` at the top. Such a folder is the root too of packages beside which there
    are modules (`src/shop/bank/__init__.py` is `shop.bank` beside `src/shop/cart.py`), unless one is a `setup.py`: that
    folder is a project of its own.
    """
    packages = {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in ("__init__.py", "__init__.pyi")}
    projects = {path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] == "setup.py"}
    beside = {path.rpartition("/")[0] for path in paths} - packages - projects
    return {path: _module_name(path, packages, beside) for path in paths}


def _module_name(path: str, packages: set[str], beside: set[str]) -> str:
    folders = path.split("/")
    last = folders.pop().rpartition(".")[0]
    first = len(folders)
    while first > 0 and "/".join(folders[:first]) in packages:
        first -= 1
    is_below_sources = folders[:1] != [] and folders[0] in _SOURCES
    if first == len(folders):
        first = 1 if is_below_sources else 0
    elif is_below_sources and "/".join(folders[:first]) in beside:
        first = 1
    parts = folders[first:] if last == "__init__" else [*folders[first:], last]
    return ".".join(parts) or last
