"""How Go finds packages, promotes methods of embedded types, and what its library calls back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from indexer.domain.linking.go.library import STANDARD_PACKAGES, UBIQUITOUS, call_back
from indexer.domain.linking.modules import nearest
from indexer.domain.linking.program import MODULE, Program
from indexer.domain.linking.semantics import Semantics
from indexer.domain.roles import is_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.linking.modules import Modules
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import Class, ContainerMethod, Module
    from indexer.domain.linking.solver.world import Site

_MARK: Final = "go.mod"
_VERSION = re.compile(r"^v\d+$")


def module_file_program(places: Sequence[tuple[str, str]]) -> Program:
    """Write the program of a file that names modules: its names are their paths, each with the folder that is meant."""
    return 1, ((MODULE, _MARK, -1, 0, 1, ()),), tuple((f"{path} {folder}", 0) for path, folder in places), (), ()


class GoSemantics(Semantics):
    """Go; a module is a package, that is, a folder."""

    language = "go"
    has_variants = True
    is_late_bound = False

    def find_module(self, name: str, importer: Module, modules: Modules) -> Module | None:
        """
        Find a package by its import path: the path of a module, followed by a folder below the module's folder.

        Of several folders for one module path the nearest to the importer is taken. If no module matches, the longest
        suffix of the path that is a package of the project is taken, unless the path belongs to the standard library or
        any module of the project is known.
        """
        parts = name.split("/")
        known = _known_modules(modules)
        for length in range(len(parts), 0, -1):
            folders = known.get("/".join(parts[:length]))
            if folders:
                folder = nearest(importer.path, folders, str)
                places = [*([folder] if folder else []), *parts[length:]]
                return modules.get("/".join(places).replace("/", ".")) if places else _root(modules)
        if parts[0] in STANDARD_PACKAGES or known:
            return None
        rest = [part for part in parts if not _VERSION.match(part)]
        found = (modules.get(".".join(rest[start:])) for start in range(len(rest)))
        return next((module for module in found if module is not None), None)

    def free_name(self, name: str) -> str:
        """Resolve names that the language itself declares, such as `error`."""
        return f"builtin.{name}"

    def call_foreign(self, engine: Engine, site: Site, name: str) -> bool:
        """Let libraries call the functions that are passed to them."""
        call_back(engine, site, name)
        return False

    def call_container(self, engine: Engine, site: Site, method: ContainerMethod) -> bool:  # noqa: ARG002 - the port's
        """Slices, maps and channels have no methods."""
        return True

    def linearize(self, cls: Class, bases: Sequence[Class]) -> list[Class]:
        """Search the type itself, then embedded types, the shallowest first."""
        order = [cls, *bases]
        deeper = [ancestor for base in bases for ancestor in base.order[1:]]
        return list(dict.fromkeys([*order, *deeper]))

    def is_opaque(self, name: str) -> bool:
        """Return True for builtin types and type parameters, except `error`: they tell nothing about called methods."""
        return name.startswith("builtin.") and name != "builtin.error"

    def is_ubiquitous(self, name: str) -> bool:
        """Return True for names of methods that types of the standard library have as well."""
        return name in UBIQUITOUS


def _known_modules(modules: Modules) -> dict[str, list[str]]:
    """Return the folders of the tree by the paths of modules that stand for them."""
    if not isinstance(modules.layout, dict):
        found: dict[str, list[str]] = {}
        for module in modules.files.values():
            for said in module.exports if module.name == _MARK else ():
                path, _, folder = said.partition(" ")
                found.setdefault(path, []).append(folder)
        modules.layout = found
    return modules.layout


def _root(modules: Modules) -> Module | None:
    """Find the package at the top, which goes by its own name."""
    at_top = (modules[module.name] for path, module in modules.files.items() if "/" not in path)
    return next((module for module in at_top if module.name != _MARK and not is_test(module.path)), None)
