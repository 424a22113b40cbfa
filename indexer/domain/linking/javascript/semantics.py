"""How JavaScript finds modules, and what its language and library do with functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.linking.javascript.builtins import MODELS, SUFFIX_MODELS, call_back, call_method
from indexer.domain.linking.javascript.common_names import CALLING_BACK, UBIQUITOUS
from indexer.domain.linking.javascript.frameworks import call_framework, call_unknown
from indexer.domain.linking.javascript.modules import by_configuration, by_convention, by_path
from indexer.domain.linking.semantics import Semantics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.domain.linking.modules import Modules
    from indexer.domain.linking.solver.engine import Engine
    from indexer.domain.linking.solver.values import Class, ContainerMethod, Function, Module
    from indexer.domain.linking.solver.world import Site


class JavaScriptSemantics(Semantics):
    """JavaScript and TypeScript."""

    language = "javascript"
    class_attribute = "constructor"
    instance_attribute = "prototype"
    items_are_attributes = True
    whole_export = "module.exports"
    stars_bind = False
    shows_implementations = True

    def find_module(self, name: str, importer: Module, modules: Modules) -> Module | None:
        """Find a file by its path from the root (`./src/a.js`), else by configuration, else by convention."""
        if name.startswith("./"):
            return by_path(name[2:], modules)
        if name.startswith("../"):
            return None
        return by_configuration(name, importer, modules) or by_convention(name, importer, modules)

    def free_name(self, name: str) -> str:
        """Name a global."""
        return f"<builtin>.{name}"

    def decorate(self, function: Function, decorator: str) -> None:
        """Mark getters as properties."""
        if decorator == "<builtin>.<getter>":
            function.is_property = True

    def call_foreign(self, engine: Engine, site: Site, name: str) -> bool:
        """Model globals, and foreign functions that are known by their last name to call back."""
        last = name.rpartition(".")[2]
        model = MODELS.get(name.removeprefix("<builtin>.")) or SUFFIX_MODELS.get(last)
        if model is not None:
            return model(engine, site)
        if call_framework(engine, site, name):
            return True
        if last in CALLING_BACK:
            call_back(engine, site)
        return False

    def call_container(self, engine: Engine, site: Site, method: ContainerMethod) -> bool:
        """Model the methods of arrays, maps and sets."""
        return call_method(engine, site, method)

    def call_unknown(self, engine: Engine, site: Site) -> None:
        """An unknown method calls its function arguments if its name implies it (`then`, `forEach`)."""
        if site.attribute in CALLING_BACK:
            call_back(engine, site)
        else:
            call_unknown(engine, site)

    def linearize(self, cls: Class, bases: Sequence[Class]) -> list[Class]:
        """Depth first: the prototype chain, mixins before the base, interfaces last."""
        return list(dict.fromkeys([cls, *(ancestor for base in bases for ancestor in base.order)]))

    def fits(self, method: Function, declared: Function) -> bool:
        """Compare the number of parameters: a method may take fewer than it is given."""
        return method.positional <= declared.positional or method.variadic is not None

    def is_opaque(self, name: str) -> bool:
        """Return True for type parameters and builtin types: they tell nothing about called methods."""
        return name.startswith("<builtin>.")

    def is_ubiquitous(self, name: str) -> bool:
        """Return True for methods that arrays, strings, promises, events and common libraries have as well."""
        return name in UBIQUITOUS
