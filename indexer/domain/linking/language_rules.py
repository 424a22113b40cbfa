"""Rules by which languages that share the linker differ, as far as they do not depend on the state of a link."""

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
    The rules of one language; results depend only on the arguments.

    Defaults are those of a language without the feature.

    Args:
        language: Language of the units to which the rules apply.
        platform: Platform whose languages refer to each other's packages, such as the JVM; "" for other languages.
        transparent_attributes: Attributes of a function that call the function itself, such as a task's `delay`.
        registering_attributes: Attributes of a function that register other functions for it to call, such as `command`
            of a group.
        class_attribute: The attribute of an instance that is its class; "" if there is none.
        instance_attribute: The attribute of a class that represents its instances, such as `prototype`; "" if there is
            none.
        items_are_attributes: `x.name` and `x["name"]` are the same for mappings.
        functions_are_objects: Functions can implement interfaces, and a method that is called unbound depends on the
            class of its first argument.
        whole_export: The export that is the value of the whole module, such as `module.exports`; "" if there is none.
        record_bases: External bases whose subclasses are tuples of their fields.
        reflected_operators: By operator method of the right operand, that of the left operand, which is tried first.
        inherited_operators: By external base and operator method: the method of a subclass that the base's
            implementation calls; "" if none.
        has_variants: Files of one module may define the same names, each for another platform.
        structural_bases: External bases that make a class an interface, which every class with its methods implements.
        shows_implementations: Interfaces are implemented without a declaration, and give edges of inheritance.
        has_descriptors: Any member of a class may be an object that calls functions when it is read or set.
        is_late_bound: A call of a method of `self` may run an override in a subclass.
        stars_bind: `import *` binds names in the importing file; otherwise it only exports them again.
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
    has_descriptors = False
    is_late_bound = True
    stars_bind = True

    def realm(self, module: Module) -> str:  # noqa: ARG002 - for others
        """Return the folder whose files a file prefers within a package; "" if files of all folders are equal."""
        return ""

    @abstractmethod
    def find_module(self, name: str, importer: Module, modules: Modules) -> Module | None:
        """Return the module that `importer` gets by importing `name`; None if it is outside of the project."""

    def submodule(self, module: Module, name: str, modules: Modules) -> Module | None:
        """Return the module that is an attribute of a package once it is imported."""
        return modules.get(f"{module.name}.{name}")

    def inner_module(self, dotted: str, importer: Module, modules: Modules) -> Module | None:  # noqa: ARG002 - for others
        """Return the module of a dotted name, for names whose leading parts are not modules themselves."""
        return modules.get(dotted)

    def absolute_name(self, module: str, importer: Module) -> str:  # noqa: ARG002 - for others
        """Return the absolute name of a module, given its name in an import, which may be relative."""
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
        """Return whether an external base makes a class an enumeration: names of its body are instances of it."""
        return False

    def fits(self, method: Function, declared: Function) -> bool:  # noqa: ARG002 - for others
        """Return whether a method can be called as the interface declares it, given that the names are equal."""
        return True

    @abstractmethod
    def is_opaque(self, name: str) -> bool:
        """Return whether an annotation of this external name tells nothing about a value, as for type variables."""

    @abstractmethod
    def is_ubiquitous(self, name: str) -> bool:
        """Return whether methods of external types often have this name, so that the name alone is no evidence."""
