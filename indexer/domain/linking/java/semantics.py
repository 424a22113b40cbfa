"""How Java finds classes, orders ancestors, and what its library calls back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.classes.linearization import c3
from indexer.domain.linking.java.common_names import LANG_CLASSES, UBIQUITOUS
from indexer.domain.linking.java.events import connect_listeners
from indexer.domain.linking.java.library import call_back, call_container
from indexer.domain.linking.java.overloads import Overloads
from indexer.domain.linking.modules import nearest
from indexer.domain.linking.semantics import Semantics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.linking.modules import Modules
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import Class, ContainerMethod, Function, Module, Variable
    from indexer.domain.linking.solver.world import Site, World


class _EveryMethod:
    """
    Holds all names of methods, which end in a number of arguments: `apply(1)`.

    Any method of a functional interface is the function itself.
    """

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.endswith(")")


class JavaSemantics(Semantics):
    """Java; a module is a package."""

    language = "java"
    platform = "jvm"
    transparent_attributes = _EveryMethod()
    functions_are_objects = True

    def realm(self, module: Module) -> str:
        """Return the source root that a file lies in: projects of one tree may have classes of one name."""
        return module.path.rpartition("/")[0].removesuffix(module.name.replace(".", "/"))

    def find_module(self, name: str, importer: Module, modules: Modules) -> Module | None:
        """Find a package by its name, as the source root nearest to the importer sees it."""
        if not isinstance(modules.layout, dict):
            realms: dict[str, dict[str, Module]] = {}
            for module in modules.files.values():
                realms.setdefault(module.name, {}).setdefault(self.realm(module), module)
            modules.layout = realms
        several = modules.layout.get(name, {})
        return (
            nearest(importer.path, several.values(), lambda each: each.path) if len(several) > 1 else modules.get(name)
        )

    def free_name(self, name: str) -> str:
        """Resolve a class of `java.lang`, or one that needs no import."""
        return f"java.lang.{name}" if name in LANG_CLASSES else name

    def call_foreign(self, engine: Engine, site: Site, name: str) -> bool:
        """Let the library call the functions and run the tasks that it is given."""
        call_back(engine, site, name)
        return False

    def overloads(self, world: World) -> Overloads:
        """Choose by declared types."""
        return Overloads(world)

    def call_container(self, engine: Engine, site: Site, method: ContainerMethod) -> bool:
        """Model collections, streams, optionals and the like."""
        call_container(engine, site, method)
        return True

    def linearize(self, cls: Class, bases: Sequence[Class]) -> list[Class]:
        """By C3: superclass first, interfaces below those that they extend."""
        return c3(cls, bases)

    def is_opaque(self, name: str) -> bool:
        """Return whether the name is a type variable, which says nothing about the value."""
        return "." not in name and len(name) <= 2

    def is_ubiquitous(self, name: str) -> bool:
        """Return True for names of methods that objects, collections and streams have as well."""
        return name in UBIQUITOUS

    def connect(self, engine: Engine, named: Sequence[tuple[Function, str, Variable]]) -> None:
        """Add calls from publishers of an event to its listeners."""
        connect_listeners(engine, named)
