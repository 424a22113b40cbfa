"""How Go finds packages, promotes methods of embedded types, and what its library calls back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from indexer.domain.linking.go.library import STANDARD_PACKAGES, UBIQUITOUS, call_back
from indexer.domain.linking.program import MODULE, Program
from indexer.domain.linking.semantics import Semantics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.domain.linking.engine import Engine
    from indexer.domain.linking.modules import Modules
    from indexer.domain.linking.values import Class, ContainerMethod, Module
    from indexer.domain.linking.world import Site

_MARK: Final = "go.mod "
_VERSION = re.compile(r"^v\d+$")


def module_file_program(prefix: str, folder: str) -> Program:
    """Write the program of a `go.mod`: a module whose only name is the folder that its import path stands for."""
    return 1, ((MODULE, f"{_MARK}{prefix}", -1, 0, 1, ()),), ((folder, 0),), (), ()


class GoSemantics(Semantics):
    """Go; a module is a package, that is, a folder."""

    language = "go"
    has_variants = True

    def find_module(self, name: str, importer: Module, modules: Modules) -> Module | None:  # noqa: ARG002 - the port's
        """
        Find a package by its import path: what follows the path of a `go.mod` is a folder beside that file.

        Where no `go.mod` fits, the longest end of the path that is a folder of the project is meant, unless the path
        is one of the standard library or another module is known to be the project's own.
        """
        parts = name.split("/")
        for length in range(len(parts), 0, -1):
            own = modules.get(_MARK + "/".join(parts[:length]))
            if own is not None:
                folder = next(iter(own.exports), "")
                places = [*([folder] if folder else []), *parts[length:]]
                return modules.get("/".join(places).replace("/", ".")) if places else _root(parts, modules)
        if parts[0] in STANDARD_PACKAGES or any(known.startswith(_MARK) for known in modules):
            return None
        rest = [part for part in parts if not _VERSION.match(part)]
        found = (modules.get(".".join(rest[start:])) for start in range(len(rest)))
        return next((module for module in found if module is not None), None)

    def free_name(self, name: str) -> str:
        """Name what the language itself declares, such as `error`."""
        return f"builtin.{name}"

    def call_foreign(self, engine: Engine, site: Site, name: str) -> bool:
        """Let libraries call the functions that they are given."""
        call_back(engine, site, name)
        return False

    def call_container(self, engine: Engine, site: Site, method: ContainerMethod) -> bool:  # noqa: ARG002 - the port's
        """Slices, maps and channels have no methods."""
        return True

    def linearize(self, cls: Class, bases: Sequence[Class]) -> list[Class]:
        """Search the type itself, then what it embeds, the shallowest first."""
        order = [cls, *bases]
        deeper = [ancestor for base in bases for ancestor in base.order[1:]]
        return list(dict.fromkeys([*order, *deeper]))

    def is_opaque(self, name: str) -> bool:
        """Types of the language and type parameters say nothing that a call could use, except for `error`."""
        return name.startswith("builtin.") and name != "builtin.error"

    def is_ubiquitous(self, name: str) -> bool:
        """The standard library's types have these methods too."""
        return name in UBIQUITOUS


def _root(parts: Sequence[str], modules: Mapping[str, Module]) -> Module | None:
    """Find the package at the top, which goes by its own name: usually the last part of the module's path."""
    last = next((part for part in reversed(parts) if not _VERSION.match(part)), "")
    names = (last, last.removeprefix("go-"), last.partition(".")[0], last.replace("-", "_"), last.replace("-", ""))
    return next((modules[name] for name in names if name in modules), None)
