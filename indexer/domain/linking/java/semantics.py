"""How Java finds classes, orders ancestors, and what its library calls back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.java.common_names import LANG_CLASSES, UBIQUITOUS
from indexer.domain.linking.java.events import connect_listeners
from indexer.domain.linking.java.functional import EveryMethod
from indexer.domain.linking.java.library import call_back, call_container
from indexer.domain.linking.linearization import merge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.domain.linking.engine import Engine
    from indexer.domain.linking.values import Class, ContainerMethod, Function, Module, Variable
    from indexer.domain.linking.world import Site


class JavaSemantics:
    """Java; a module is a package."""

    language = "java"
    transparent_attributes = EveryMethod()
    registering_attributes: frozenset[str] = frozenset()
    class_attribute = ""
    instance_attribute = ""
    items_are_attributes = False
    functions_are_objects = True
    whole_export = ""
    stars_bind = True

    def find_module(self, name: str, importer: Module, modules: Mapping[str, Module]) -> Module | None:  # noqa: ARG002 - the port's
        """Find a package by its name."""
        return modules.get(name)

    def free_name(self, name: str) -> str:
        """Name a class of `java.lang`, or one that nobody imports."""
        return f"java.lang.{name}" if name in LANG_CLASSES else name

    def decorate(self, function: Function, decorator: str) -> None:
        """Annotations change nothing about what a method is."""

    def call_foreign(self, engine: Engine, site: Site, name: str) -> bool:
        """Let the library call the functions and run the tasks that it is given."""
        call_back(engine, site, name)
        return False

    def call_container(self, engine: Engine, site: Site, method: ContainerMethod) -> bool:
        """Model collections, streams, optionals and the like."""
        call_container(engine, site, method)
        return True

    def call_unknown(self, engine: Engine, site: Site) -> None:
        """What nobody knows calls nothing."""

    def linearize(self, cls: Class, bases: Sequence[Class]) -> list[Class]:
        """Superclass first, interfaces below those that they extend; depth first where no such order exists."""
        merged = merge([list(base.order) for base in bases] + [list(bases)])
        if merged is None:
            merged = list(dict.fromkeys(ancestor for base in bases for ancestor in base.order))
        return [cls, *(ancestor for ancestor in merged if ancestor is not cls)]

    def is_enumeration(self, base: str) -> bool:  # noqa: ARG002 - the port's
        """The constants of an enumeration are its fields."""
        return False

    def is_opaque(self, name: str) -> bool:
        """Type variables say nothing."""
        return "." not in name and len(name) <= 2

    def is_ubiquitous(self, name: str) -> bool:
        """Objects, collections and streams have these methods too."""
        return name in UBIQUITOUS

    def connect(self, engine: Engine, named: Sequence[tuple[Function, str, Variable]]) -> None:
        """Let who publishes an event call its listeners."""
        connect_listeners(engine, named)
