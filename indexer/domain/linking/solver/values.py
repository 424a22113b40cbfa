"""
What a slot can hold.

Values are compared by identity, so there is one object for each thing: one instance for each class, one bound method
for each function and receiver. Sets of values are dictionaries in order of insertion: nothing depends on a hash seed.
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
    """A module, or its part in the file at `path`; `exports` are its names, `stars` the modules it takes names from."""

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
    # Of a function in a copy of a class, that copy, and what this is a copy of.
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
        bases: Variables of the written bases.
        parents: The classes that these are without what decorators make of them.
        order: Method resolution order, itself first.
        foreign: Dotted names of bases outside the project, anywhere in the order.
        members: Names of the body.
        own: Attributes that code sets on instances.
        lookups: Attribute of an instance, over the whole order: filled on demand.
        implicit: Of an interface, the classes that implement it without saying so.
        keeps: The flags of its methods that say whether its objects keep what they are given, and give it back.
        original: What this is a copy of, itself if it is none (copies.py).
        copied: Members of a copy, by the class that they come from.
        depth: How many copies made each other to come to this one.
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
        """Whether this represents objects of a single origin."""
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
    """What `super()` gives: attributes from behind `cls` in the order of the receiver's class."""

    cls: Class
    receiver: Value


@dataclass(slots=True, eq=False, repr=False)
class Container(Value):
    """
    A list, tuple, set, mapping or generator (of `function`) made at one place: items by constant key, and others.

    `updated` are mappings that take over what comes under a new key.
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
    """An external value, by its dotted name; its results have the same name."""

    name: str


@dataclass(slots=True, eq=False, repr=False)
class Registry(External):
    """
    Something outside the project that keeps what it is given and runs it later: a signal, an emitter, a router.

    Args:
        made: Whose code makes it.
        kept: What it keeps, by the names of events where it has any.
    """

    made: Definition
    kept: Container


@dataclass(slots=True, eq=False, repr=False)
class Registrar(Value):
    """What hands functions to a function that runs them: `group.command`, `generic.register`."""

    function: Function


@dataclass(slots=True, eq=False, repr=False)
class Injected(Value):
    """Stands where a framework puts what calling `callee` gives; `taken` once some parameter is known to get it."""

    callee: Variable
    scope: Definition
    line: int
    taken: bool = False


class Literal(Value):
    """A word or number, or (`is_prefix`) a word that starts so."""

    __slots__ = ("is_prefix", "value")

    def __init__(self, value: object, *, is_prefix: bool) -> None:
        self.value = value
        self.is_prefix = is_prefix


@dataclass(slots=True, eq=False, repr=False)
class Family(Value):
    """All methods of a class whose names start alike: what `getattr(self, "visit_" + kind)` may give."""

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
    An attribute that calls functions when it is read and set, as a call of `property` makes it.

    Args:
        receiver: The instance that it was found on; None in a class.
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
    """Return whether a class is another one, inherits from it or implements it."""
    return other in cls.order or (other.is_structural and cls.original in other.subclasses)


def below(owner: str, name: str) -> str:
    """Name an attribute of something outside; one that leads to its like, `x.next.next`, comes twice at most."""
    if owner.count(f".{name}") > 1:
        parts = owner.split(".")
        if parts.count(name) > 1:
            while parts[-1] != name:
                parts.pop()
            return ".".join(parts)
    return f"{owner}.{name}"


def without_arity(name: str) -> str:
    """Take the numbers of arguments out of a dotted name, `List.add(1)`."""
    return _ARITY.sub("", name) if name.find("(") > 0 else name


def qualified_name(definition: Definition) -> str:
    """Write a definition's dotted name, its module first."""
    parts = [definition.name]
    owner = definition.owner
    while owner is not None:
        parts.append(owner.name)
        owner = owner.owner
    return ".".join(reversed(parts))
