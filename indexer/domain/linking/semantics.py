"""What differs between languages that share the linker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from indexer.domain.linking.engine import Engine
    from indexer.domain.linking.values import Class, ContainerMethod, Function, Module, Variable
    from indexer.domain.linking.world import Site


class Semantics(Protocol):
    """One language's rules, asked by the engine; all answers are functions of their arguments alone."""

    @property
    def language(self) -> str:
        """Return the language whose units these rules are for."""
        ...

    @property
    def transparent_attributes(self) -> Container[str]:
        """Return attributes of functions that call the function itself, such as a task's `delay`."""
        ...

    @property
    def registering_attributes(self) -> Container[str]:
        """Return attributes of functions that take functions for them to run, such as `command` of a group."""
        ...

    @property
    def class_attribute(self) -> str:
        """Return the attribute of an instance that is its class; "" if there is none."""
        ...

    @property
    def instance_attribute(self) -> str:
        """Return the attribute of a class that stands for its instances, such as `prototype`; "" if there is none."""
        ...

    @property
    def items_are_attributes(self) -> bool:
        """Tell whether `x.name` and `x["name"]` are the same for mappings."""
        ...

    @property
    def functions_are_objects(self) -> bool:
        """Tell whether functions stand for objects of interfaces, and methods called by them depend on the object."""
        ...

    @property
    def whole_export(self) -> str:
        """Return the export that a module is as a whole, such as `module.exports`; "" if there is none."""
        ...

    @property
    def stars_bind(self) -> bool:
        """Tell whether `import *` makes names known in the file that has it, rather than handing them on alone."""
        ...

    def find_module(self, name: str, importer: Module, modules: Mapping[str, Module]) -> Module | None:
        """Return the module that an import of `name` in `importer` gives; None if it is outside the project."""
        ...

    def free_name(self, name: str) -> str:
        """Return the dotted name of what a name bound nowhere in its file stands for."""
        ...

    def decorate(self, function: Function, decorator: str) -> None:
        """Note on a function what a decorator from outside the project makes of it, such as a property."""
        ...

    def call_foreign(self, engine: Engine, site: Site, name: str) -> bool:
        """Model a call of something outside the project; return False if nothing is known of it."""
        ...

    def call_container(self, engine: Engine, site: Site, method: ContainerMethod, /) -> bool:
        """Model a call of a container's method; return False to leave it to what all languages have."""
        ...

    def call_unknown(self, engine: Engine, site: Site, /) -> None:
        """Model a call of a method of which nothing but its name is known."""
        ...

    def linearize(self, cls: Class, bases: Sequence[Class]) -> list[Class]:
        """Return the order in which a class and its ancestors are searched for a member."""
        ...

    def connect(self, engine: Engine, named: Sequence[tuple[Function, str, Variable]]) -> None:
        """Connect what a framework connects by name; `named` holds parameters that nothing is known of."""
        ...

    def is_enumeration(self, base: str, /) -> bool:
        """Tell whether a foreign base makes the names of a class body instances of the class."""
        ...

    def is_opaque(self, name: str) -> bool:
        """Tell whether an annotation with this foreign name says nothing about a value, as type variables do."""
        ...

    def is_ubiquitous(self, name: str) -> bool:
        """Tell whether methods of foreign types often have this name, so that the name alone proves nothing."""
        ...
