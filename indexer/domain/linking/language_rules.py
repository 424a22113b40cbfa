"""What differs between languages that share the linker, as answers that need no link."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from indexer.domain.linking.modules import Modules
    from indexer.domain.linking.solver.values import Class, Function, Module


class LanguageRules(ABC):
    """
    One language's rules; all answers are functions of their arguments alone.

    What is not abstract is as in a language without the thing in question.

    Args:
        language: Whose units these rules are for.
        platform: Of languages that name each other's packages; "" for others.
        transparent_attributes: Attributes of functions that call the function itself, such as a task's `delay`.
        registering_attributes: Those that take functions for them to run, such as `command` of a group.
        class_attribute: The attribute of an instance that is its class; "" if there is none.
        instance_attribute: That of a class that stands for its instances, such as `prototype`; "" if there is none.
        items_are_attributes: `x.name` and `x["name"]` are the same for mappings.
        functions_are_objects: Functions stand for objects of interfaces, and methods called by them depend on the
            object.
        whole_export: The export that a module is as a whole, such as `module.exports`; "" if there is none.
        record_bases: Foreign bases whose subclasses are tuples of their fields.
        reflected_operators: The operator of the left operand that comes before each one of the right operand.
        inherited_operators: What foreign bases do for an operator of which a class has no method: the method that they
            call, "" if none.
        has_variants: Files of one module may define the same names, each for a platform of its own.
        structural_bases: Foreign bases that make a class an interface, which every class with its methods implements.
        shows_implementations: A class inherits from the interfaces that it implements without saying so.
        is_late_bound: What a method calls of its own object is that of the object's class, which may override it.
        stars_bind: `import *` makes names known in the file that has it, rather than handing them on alone.
    """

    language: str
    platform = ""
    transparent_attributes: Container[str] = frozenset()
    registering_attributes: Container[str] = frozenset()
    class_attribute = ""
    instance_attribute = ""
    items_are_attributes = False
    functions_are_objects = False
    whole_export = ""
    record_bases: Container[str] = frozenset()
    reflected_operators: Mapping[str, str] = MappingProxyType({})
    inherited_operators: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    has_variants = False
    structural_bases: Container[str] = frozenset()
    shows_implementations = False
    is_late_bound = True
    stars_bind = True

    def realm(self, module: Module) -> str:  # noqa: ARG002 - for others
        """Return the folder whose files take precedence within a package; "" if all are one package."""
        return ""

    @abstractmethod
    def find_module(self, name: str, importer: Module, modules: Modules) -> Module | None:
        """Return the module that an import of `name` in `importer` gives; None if it is outside the project."""

    def submodule(self, module: Module, name: str, modules: Modules) -> Module | None:
        """Return the module that is an attribute of a package once it is imported."""
        return modules.get(f"{module.name}.{name}")

    def inner_module(self, dotted: str, importer: Module, modules: Modules) -> Module | None:  # noqa: ARG002 - for others
        """Return the module of a dotted name whose first parts are no module themselves."""
        return modules.get(dotted)

    def absolute_name(self, module: str, importer: Module) -> str:  # noqa: ARG002 - for others
        """Return the name of a module from the top, given the one that an import writes."""
        return module

    @abstractmethod
    def free_name(self, name: str) -> str:
        """Return the dotted name of an unbound name of a file."""

    def decorate(self, function: Function, decorator: str) -> None:  # noqa: B027 - may do nothing
        """Mark a function with the effect of an external decorator, such as a property."""

    @abstractmethod
    def linearize(self, cls: Class, bases: Sequence[Class]) -> list[Class]:
        """Return the order in which a class and its ancestors are searched for a member."""

    def is_enumeration(self, base: str) -> bool:  # noqa: ARG002 - for others
        """Return whether a foreign base makes the names of a class body instances of the class."""
        return False

    def fits(self, method: Function, declared: Function) -> bool:  # noqa: ARG002 - for others
        """Return whether a method can be called as an interface declares it; it has the name already."""
        return True

    @abstractmethod
    def is_opaque(self, name: str) -> bool:
        """Return whether an annotation with this foreign name says nothing about a value, as type variables do."""

    @abstractmethod
    def is_ubiquitous(self, name: str) -> bool:
        """Return whether methods of foreign types often have this name, so that the name alone proves nothing."""
