"""State of one link: definitions, call sites, and work that is deferred to a later tier."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from indexer.domain.linking.modules import Modules, seen_from
from indexer.domain.linking.solver.solver import Solver
from indexer.domain.linking.solver.value_sets import MAX_VALUES
from indexer.domain.linking.solver.values import (
    Class,
    Container,
    ContainerMethod,
    Definition,
    External,
    Function,
    Injected,
    Method,
    Module,
    Value,
    Variable,
)
from indexer.domain.linking.stars import Stars
from indexer.domain.linking.targets import NO_TARGETS, SharedTargets
from indexer.domain.model import Tier

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from indexer.domain.linking.language_rules import LanguageRules
    from indexer.domain.linking.solver.value_sets import Seen
    from indexer.domain.linking.targets import Targets

MAX_EXTERNAL_PARTS = 7
# A site costs as much memory as this many solver steps.
SITE_STEPS = 8
NO_ARGUMENTS: tuple[Variable, ...] = ()
NO_CLASSES: Mapping[Class | Module, Tier] = MappingProxyType({})
NO_NAMES: Mapping[str, Tier] = MappingProxyType({})


class Site:
    """
    One place where something may be called.

    Args:
        scope: Function, class or module whose code contains it.
        result: Variable of the result; -1 if the result is not used.
        arguments: Variables by position; -1 if unknown, `-2 - variable` for an unpacked one (`*x`).
        keywords: (name, variable); the name is "" for an unpacked mapping.
        targets: Called functions of the project, with the tiers that found them.
        constructed: Called classes without a constructor in the project, and modules that are run by name.
        foreign: Dotted names of called external functions and classes, with the tiers that found them.
        seen: Values that were handled as called here.
    """

    __slots__ = ("arguments", "constructed", "foreign", "keywords", "line", "result", "scope", "seen", "targets")

    # There are millions of sites: class attributes as defaults save memory for kinds of sites without these.
    callee: Variable = -1
    receiver: Variable = -1
    attribute = ""
    written = ""
    methods: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    eager = False
    wide = False
    depth = 0

    def __init__(
        self,
        scope: Definition,
        line: int,
        result: Variable,
        arguments: tuple[Variable, ...] = NO_ARGUMENTS,
        keywords: tuple[tuple[str, Variable], ...] = (),
    ) -> None:
        self.scope = scope
        self.line = line
        self.result = result
        self.arguments = arguments
        self.keywords = keywords
        # Sites share these mappings, so they are replaced and never changed in place.
        self.targets: Targets = NO_TARGETS
        self.constructed: Mapping[Class | Module, Tier] = NO_CLASSES
        self.foreign: Mapping[str, Tier] = NO_NAMES
        self.seen: Seen = ()

    @property
    def is_resolved(self) -> bool:
        """Whether the target of the call is known."""
        return bool(self.targets or self.constructed or self.foreign)

    @property
    def is_copied(self) -> bool:
        """Whether the code is that of a copy of a class (copies.py)."""
        return isinstance(self.scope, Function) and self.scope.context is not None


class CallSite(Site):
    """
    A call in the code.

    Args:
        callee: Variable of the called value; -1 if it is unknown.
        receiver: Variable of the expression before the last dot; -1 if there is none.
        given: Types of the arguments, in languages with overloads.
        written: The called expression as in the code; `attribute` is the part after its last dot.
    """

    __slots__ = ("attribute", "callee", "given", "receiver", "written")


class OperatorSite(Site):
    """An operator in the code; it becomes a call once an operand has one of its `methods`, which is rare."""

    __slots__ = ("is_call", "methods")

    def __init__(
        self,
        scope: Definition,
        line: int,
        result: Variable,
        arguments: tuple[Variable, ...],
        methods: tuple[str, ...],
    ) -> None:
        super().__init__(scope, line, result, arguments)
        self.methods = methods
        self.is_call = False


class LoopSite(Site):
    """An iteration in the code, over the value of the `receiver`, which its maker sets."""

    __slots__ = ("receiver",)


class EagerSite(Site):
    """A call whose arguments are passed at once, in every tier, such as that of a decorator."""

    __slots__ = ()
    eager = True


class WideSite(Site):
    """A call that may have any number of targets."""

    __slots__ = ()
    wide = True


class WideCall(WideSite):
    """One with types of arguments, `given`, which its maker sets."""

    __slots__ = ("given",)


class PartialSite(Site):
    """A call of a function that is nested in `depth` partial objects."""

    __slots__ = ("depth",)


@dataclass(slots=True, eq=False)
class Access:
    """One place where an attribute is read (`variable` receives it) or set (`variable` is stored)."""

    scope: Definition
    line: int
    name: str
    variable: Variable
    seen: Seen = ()


_Site = TypeVar("_Site", bound=Site)


class World:
    """State of one link."""

    def __init__(self, rules: LanguageRules) -> None:
        self.rules = rules
        self.solver = Solver()
        self.stars = Stars()
        self.targets = SharedTargets()
        self.tier = Tier.STATIC
        self.modules = Modules()
        self.units: list[Module | None] = []
        self.classes: list[Class] = []
        self.functions: list[Function] = []
        self.methods: dict[str, list[Function]] = {}
        self.sites: list[Site] = []
        self.stored: set[str] = set()
        self.constructed: set[Class] = set()
        self.copied: set[Class] = set()
        self.computed: set[str] = set()
        self.references: dict[tuple[Definition, Definition], int] = {}
        self.extended: dict[tuple[str, str], Class] = {}
        self._packages: dict[tuple[str, str], dict[str, Variable]] = {}
        self._externals: dict[str, External] = {}
        self._waiting: dict[Tier, list[tuple[Callable[..., object], tuple[object, ...]]]] = {}

    def is_shared(self, module: Module) -> bool:
        """Return whether several files may make up a module."""
        return (module.name, self.rules.realm(module)) in self._packages

    def exports_of(self, module: Module) -> dict[str, Variable]:
        """Return the names of a module of several files, as seen from the realm of this one."""
        return self._packages.setdefault((module.name, self.rules.realm(module)), {})

    def complete_packages(self) -> None:
        """Add the names of other realms to modules of several files; call it when all files are loaded."""
        self._packages = seen_from(self._packages, self.solver.union)
        for module in self.units:
            if module is not None and self.is_shared(module):
                module.exports = self.exports_of(module)

    def external(self, name: str) -> External:
        """Return the value for an external dotted name, cut to `MAX_EXTERNAL_PARTS` parts."""
        found = self._externals.get(name)
        if found is None:
            parts = name.split(".")
            if len(parts) > MAX_EXTERNAL_PARTS:
                return self.external(".".join(parts[:MAX_EXTERNAL_PARTS]))
            found = self._externals[name] = External(name)
        return found

    def note_foreign(self, site: Site, name: str) -> None:
        """Record that a site calls an external name."""
        if name not in site.foreign:
            site.foreign = {**site.foreign, name: self.tier}

    def find_module(self, name: str, importer: Module, item: str = "") -> Module | None:
        """Return the module of the project that an import names; None if it is external or lacks the item."""
        found = self.rules.find_module(name, importer, self.modules)
        lacks = found is not None and item and self.is_shared(found) and item not in found.exports
        return None if lacks else found

    def submodule(self, module: Module, name: str) -> Module | None:
        """Return the module that is an attribute of a package once it is imported."""
        return self.rules.submodule(module, name, self.modules)

    def inner_module(self, dotted: str, scope: Definition) -> Module | None:
        """Return the module of a dotted name whose first parts are packages without a file."""
        importer = self.units[scope.unit]
        return self.rules.inner_module(dotted, importer, self.modules) if importer is not None else None

    def import_name(self, module: str, name: str, importer: Module) -> str:
        """Return the dotted name of an import; a default export has the module's name if there is `whole_export`."""
        absolute = self.rules.absolute_name(module, importer)
        if not name or (name == "default" and self.rules.whole_export):
            return absolute
        return joined(absolute, name)

    def container(self, kind: int) -> Container:
        """Make an empty container."""
        rest, every = self.solver.variable(), self.solver.variable()
        self.solver.copy(rest, every)
        return Container(kind, rest, every)

    def item(self, container: Container, key: object) -> Variable:
        """Return the variable of a container's item under a constant key; add a new key to `updated` ones as well."""
        found = container.items.get(key)
        if found is None:
            found = self._new_item(container, key)
            reached = [container]
            for source in reached:
                for other in source.updated:
                    if key not in other.items:
                        self._new_item(other, key)
                        reached.append(other)
                    self.solver.copy(source.items[key], other.items[key])
        return found

    def _new_item(self, container: Container, key: object) -> Variable:
        variable = container.items[key] = self.solver.variable()
        self.solver.copy(variable, container.every)
        return variable

    def site(
        self,
        scope: Definition,
        line: int,
        result: Variable,
        arguments: tuple[Variable, ...] = NO_ARGUMENTS,
        keywords: tuple[tuple[str, Variable], ...] = (),
    ) -> Site:
        """Make a call site."""
        return self.placed(Site(scope, line, result, arguments, keywords))

    def placed(self, site: _Site) -> _Site:
        """Add a call site to the link."""
        self.solver.steps += SITE_STEPS
        self.sites.append(site)
        return site

    def give(self, site: Site, value: Value) -> None:
        """Add a value to the result of a call, if the result is used."""
        if site.result >= 0:
            self.solver.add(site.result, value)

    def give_all(self, site: Site, source: Variable) -> None:
        """Let all values of a variable flow to the result of a call, now and later, if the result is used."""
        if site.result >= 0:
            self.solver.copy(source, site.result)

    def instantiate(self, place: tuple[Variable, Definition, int], named: Value) -> None:
        """Let a variable hold an instance of the class that an annotation names, and record the reference."""
        destination, scope, line = place
        if isinstance(named, Class):
            self.solver.add(destination, named.instance)
            self.references.setdefault((scope, named), line)
        elif isinstance(named, Injected) or (isinstance(named, External) and not self.rules.is_opaque(named.name)):
            self.solver.add(destination, named)

    def release(self) -> None:
        """Release sites and values; as they form cycles, they would stay in memory without garbage collection."""
        self.sites.clear()
        self.solver.release()

    def later(self, tier: Tier, work: Callable[..., object], *arguments: object) -> None:
        """Do work when the link reaches a tier, at once if it already has."""
        if self.tier >= tier:
            work(*arguments)
        else:
            self.solver.steps += 1
            self._waiting.setdefault(tier, []).append((work, arguments))

    def advance(self, tier: Tier) -> None:
        """Enter a tier: do the work that was deferred to it, and propagate values to a fixed point."""
        self.tier = tier
        self.solver.sets.limit_functions(MAX_VALUES)
        for work, arguments in self._waiting.pop(tier, ()):
            if self.solver.is_spent:
                break
            with self.solver.failures.contained():
                work(*arguments)
        self.solver.run()


def joined(module: str, name: str) -> str:
    """Return the dotted name of a member of a module, which may be relative: `..` and `x` give `..x`."""
    return f"{module}{name}" if not name or module.endswith(".") else f"{module}.{name}"


def container_method(container: Container, name: str) -> ContainerMethod:
    """Return a method of a container; the same object for equal arguments."""
    return container.methods.setdefault(name, ContainerMethod(container, name))


def bound(function: Function, receiver: Value) -> Method:
    """Return a function bound to its first argument; the same object for equal arguments."""
    found = function.bound.get(receiver)
    if found is None:
        found = function.bound[receiver] = Method(function, receiver)
    return found
