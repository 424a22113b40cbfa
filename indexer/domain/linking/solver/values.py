"""
The values that a slot can hold.

Values are compared by identity, so each is one object: one instance for each class, one bound method for each function
and receiver. Sets of values keep the order of insertion: nothing depends on a hash seed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

Variable: TypeAlias = int
_ARITY = re.compile(r"\.?\((?:\d+|\*)\)")


class Value:
    """Anything that a slot can hold."""

    __slots__ = ()


@dataclass(slots=True, eq=False, repr=False)
class Definition(Value):
    """A function, class or module of some file."""

    unit: int
    scope: int
    name: str
    owner: Definition | None
    symbol: int
    line: int


class Module(Definition):
    """A module, or its part in the file at `path`; `stars` are modules from which it imports all names."""

    __slots__ = ("exports", "is_package", "path", "stars")

    def __init__(self, unit: int, name: str, path: str, *, is_package: bool) -> None:
        super().__init__(unit, 0, name, None, 0, 1)
        self.path = path
        self.exports: dict[str, Variable] = {}
        self.stars: list[Module | str] = []
        self.is_package = is_package


@dataclass(slots=True, eq=False, repr=False)
class Function(Definition):
    """A function, method or lambda; `holder` is the class in whose body it stands."""

    parameters: list[Variable] = field(default_factory=list)
    positional: int = 0
    names: dict[str, int] = field(default_factory=dict)
    variadic: Container | None = None
    keyword: Container | None = None
    result: Variable = -1
    generator: Container | None = None
    flags: int = 0
    is_property: bool = False
    is_fixture: bool = False
    is_wrapper: bool = False
    wrapped: Function | None = None
    passed: tuple[int, ...] = ()
    types: tuple[str, ...] = ()
    bound: dict[Value, Method] = field(default_factory=dict)
    attributes: dict[str, Variable] = field(default_factory=dict)
    # In a copy of a class: `context` is this copy, `original` the copied function.
    context: Class | None = None
    original: Function = field(init=False)
    holder: Class | None = field(init=False)

    def __post_init__(self) -> None:
        self.original = self
        self.holder = self.owner if isinstance(self.owner, Class) else None


@dataclass(slots=True, eq=False, repr=False)
class Class(Definition):
    """
    A class.

    Args:
        bases: Variables of the bases as written.
        parents: The base classes as resolved without decorators.
        order: Method resolution order, itself first.
        foreign: Dotted names of external bases of all classes in the order.
        members: Variables of the names of the body.
        own: Variables of the attributes that code sets on instances.
        lookups: Variables of attributes of an instance, over the whole order; filled on demand.
        implicit: For an interface, the classes that implement it without declaring it.
        keeps: Flags of its methods: KEEPS if its objects store arguments, GIVES if they return their contents.
        original: The class of which this is a copy (copies.py); itself if it is none.
        copied: Members of a copy, by the class from which they come.
        depth: Nesting of copies: 1 for a copy, 2 for one whose objects a copy creates; 0 for others.
    """

    parents: list[Class] = field(default_factory=list)
    bases: list[Variable] = field(default_factory=list)
    metaclass: Variable = -1
    order: list[Class] = field(init=False)
    foreign: list[str] = field(default_factory=list)
    subclasses: list[Class] = field(default_factory=list)
    members: dict[str, Variable] = field(default_factory=dict)
    own: dict[str, Variable] = field(default_factory=dict)
    fields: list[str] = field(default_factory=list)
    lookups: dict[str, Variable] = field(default_factory=dict)
    class_lookups: dict[str, Variable] = field(default_factory=dict)
    is_enum: bool = False
    is_structural: bool = False
    implicit: list[Class] = field(default_factory=list)
    keeps: int = 0
    original: Class = field(init=False)
    copied: dict[Class, dict[str, Variable]] = field(default_factory=dict)
    depth: int = 0
    instance: Instance = field(init=False)

    def __post_init__(self) -> None:
        self.order, self.original, self.instance = [self], self, Instance(self)

    @property
    def is_copy(self) -> bool:
        """Whether this is a copy, which represents the objects that one call site creates."""
        return self.original is not self


@dataclass(slots=True, eq=False, repr=False)
class Instance(Value):
    """Any instance of a class."""

    cls: Class


@dataclass(slots=True, eq=False, repr=False)
class Method(Value):
    """A function together with its first argument."""

    function: Function
    receiver: Value


@dataclass(slots=True, eq=False, repr=False)
class Super(Value):
    """The result of `super()`: attributes are searched after `cls` in the resolution order of the receiver's class."""

    cls: Class
    receiver: Value


@dataclass(slots=True, eq=False, repr=False)
class Container(Value):
    """
    A list, tuple, set, mapping or generator (of `function`) that is created at one place.

    `items` are variables by constant key, `rest` is the variable of items under unknown keys, `every` that of all
    items. `updated` are mappings that get each item of this one, also under new keys.
    """

    kind: int
    rest: Variable
    every: Variable
    function: Function | None = None
    items: dict[object, Variable] = field(default_factory=dict)
    methods: dict[str, ContainerMethod] = field(default_factory=dict)
    updated: tuple[Container, ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class ContainerMethod(Value):
    """A method of a container, such as its `append`."""

    container: Container
    name: str


@dataclass(slots=True, eq=False, repr=False)
class External(Value):
    """An external value, by its dotted name; instances of an external class have the same name as the class."""

    name: str


@dataclass(slots=True, eq=False, repr=False)
class Registry(External):
    """
    An external object that stores functions and calls them later: a signal, an emitter, a router.

    Args:
        made: The definition whose code creates it.
        kept: The stored functions, by event name where there are events.
    """

    made: Definition
    kept: Container


@dataclass(slots=True, eq=False, repr=False)
class Registrar(Value):
    """A method that registers functions for `function` to call: `group.command`, `generic.register`."""

    function: Function


@dataclass(slots=True, eq=False, repr=False)
class Injected(Value):
    """Placeholder of the result of `callee`, which a framework injects; `taken` once a parameter receives it."""

    callee: Variable
    scope: Definition
    line: int
    taken: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Literal(Value):
    """A constant text or number; with `is_prefix`, any text that starts with `value`."""

    value: object
    is_prefix: bool


@dataclass(slots=True, eq=False, repr=False)
class Family(Value):
    """All methods of a class with a prefix: possible results of `getattr(self, "visit_" + kind)`."""

    receiver: Instance
    prefix: str


@dataclass(slots=True, eq=False, repr=False)
class Partial(Value):
    """A callable with some arguments already in place."""

    callee: Variable
    arguments: tuple[Variable, ...]
    keywords: tuple[tuple[str, Variable], ...]


@dataclass(slots=True, eq=False, repr=False)
class Property(Value):
    """
    An attribute that calls functions when it is read or set: the result of a call of `property`.

    Args:
        receiver: The instance on which it is accessed; None in a class.
    """

    getter: Variable
    setter: Variable
    receiver: Instance | None = None
    bound: dict[Instance, Property] = field(default_factory=dict)

    def of(self, receiver: Instance) -> Property:
        """Return the property bound to an instance; the same object for the same instance."""
        if receiver not in self.bound:
            self.bound[receiver] = Property(self.getter, self.setter, receiver)
        return self.bound[receiver]


def is_below(cls: Class, other: Class) -> bool:
    """Return whether `cls` is `other`, inherits from it or implements it."""
    return other in cls.order or (other.is_structural and cls.original in other.subclasses)


def below(owner: str, name: str) -> str:
    """Return the dotted name of an attribute of an external value; a repeated attribute is limited to `x.next.next`."""
    if owner.count(f".{name}") > 1:
        parts = owner.split(".")
        if parts.count(name) > 1:
            while parts[-1] != name:
                parts.pop()
            return ".".join(parts)
    return f"{owner}.{name}"


def without_arity(name: str) -> str:
    """Remove numbers of arguments from a dotted name: `List.add(1)` gives `List.add`."""
    return _ARITY.sub("", name) if name.find("(") > 0 else name


def qualified_name(definition: Definition) -> str:
    """Return a definition's dotted name, which starts with its module."""
    parts = [definition.name]
    owner = definition.owner
    while owner is not None:
        parts.append(owner.name)
        owner = owner.owner
    return ".".join(reversed(parts))
