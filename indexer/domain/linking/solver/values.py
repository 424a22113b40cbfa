"""
What a slot can hold.

Values are compared by identity, so there is one object for each thing: one instance for each class, one bound method
for each function and receiver. Sets of values are dictionaries in order of insertion: nothing depends on a hash seed.
"""

from __future__ import annotations

import re
from typing import TypeAlias

Variable: TypeAlias = int
_ARITY = re.compile(r"\.?\((?:\d+|\*)\)")


class Value:
    """Anything that a slot can hold."""

    __slots__ = ()


class Definition(Value):
    """A function, class or module of some file."""

    __slots__ = ("line", "name", "owner", "scope", "symbol", "unit")

    def __init__(self, unit: int, scope: int, name: str, owner: Definition | None, symbol: int, line: int) -> None:
        self.unit = unit
        self.scope = scope
        self.name = name
        self.owner = owner
        self.symbol = symbol
        self.line = line


class Module(Definition):
    """A module, or its part in the file at `path`; `exports` are its names, `stars` the modules it takes names from."""

    __slots__ = ("exports", "is_package", "path", "stars")

    def __init__(self, unit: int, name: str, path: str, *, is_package: bool) -> None:
        super().__init__(unit, 0, name, None, 0, 1)
        self.path = path
        self.exports: dict[str, Variable] = {}
        self.stars: list[Module | str] = []
        self.is_package = is_package


class Function(Definition):
    """A function, method or lambda; `holder` is the class in whose body it stands."""

    __slots__ = (
        "attributes",
        "bound",
        "context",
        "flags",
        "generator",
        "holder",
        "is_fixture",
        "is_property",
        "is_wrapper",
        "keyword",
        "names",
        "original",
        "parameters",
        "passed",
        "positional",
        "result",
        "types",
        "variadic",
        "wrapped",
    )

    def __init__(self, unit: int, scope: int, name: str, owner: Definition | None, symbol: int, line: int) -> None:
        super().__init__(unit, scope, name, owner, symbol, line)
        self.holder: Class | None = owner if isinstance(owner, Class) else None
        self.parameters: list[Variable] = []
        self.positional = 0
        self.names: dict[str, int] = {}
        self.variadic: Container | None = None
        self.keyword: Container | None = None
        self.result: Variable = -1
        self.generator: Container | None = None
        self.flags = 0
        self.is_property = False
        self.is_fixture = False
        self.is_wrapper = False
        self.wrapped: Function | None = None
        self.passed: tuple[int, ...] = ()
        self.types: tuple[str, ...] = ()
        self.bound: dict[Value, Method] = {}
        self.attributes: dict[str, Variable] = {}
        # Of a function in a copy of a class, that copy, and what this is a copy of.
        self.context: Class | None = None
        self.original: Function = self


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

    __slots__ = (
        "bases",
        "class_lookups",
        "copied",
        "depth",
        "fields",
        "foreign",
        "implicit",
        "instance",
        "is_enum",
        "is_structural",
        "keeps",
        "lookups",
        "members",
        "metaclass",
        "order",
        "original",
        "own",
        "parents",
        "subclasses",
    )

    def __init__(self, unit: int, scope: int, name: str, owner: Definition | None, symbol: int, line: int) -> None:
        super().__init__(unit, scope, name, owner, symbol, line)
        self.parents: list[Class] = []
        self.bases: list[Variable] = []
        self.metaclass: Variable = -1
        self.order: list[Class] = [self]
        self.foreign: list[str] = []
        self.subclasses: list[Class] = []
        self.members: dict[str, Variable] = {}
        self.own: dict[str, Variable] = {}
        self.fields: list[str] = []
        self.lookups: dict[str, Variable] = {}
        self.class_lookups: dict[str, Variable] = {}
        self.is_enum = False
        self.is_structural = False
        self.implicit: list[Class] = []
        self.keeps = 0
        self.original: Class = self
        self.copied: dict[Class, dict[str, Variable]] = {}
        self.depth = 0
        self.instance = Instance(self)

    @property
    def is_copy(self) -> bool:
        """Whether this represents objects of a single origin."""
        return self.original is not self


class Instance(Value):
    """Any instance of a class."""

    __slots__ = ("cls",)

    def __init__(self, cls: Class) -> None:
        self.cls = cls


class Method(Value):
    """A function together with its first argument."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Function, receiver: Value) -> None:
        self.function = function
        self.receiver = receiver


class Super(Value):
    """What `super()` gives: attributes from behind `cls` in the order of the receiver's class."""

    __slots__ = ("cls", "receiver")

    def __init__(self, cls: Class, receiver: Value) -> None:
        self.cls = cls
        self.receiver = receiver


class Container(Value):
    """
    A list, tuple, set, mapping or generator (of `function`) made at one place: items by constant key, and others.

    `updated` are mappings that take over what comes under a new key.
    """

    __slots__ = ("every", "function", "items", "kind", "methods", "rest", "updated")

    def __init__(self, kind: int, rest: Variable, every: Variable) -> None:
        self.kind = kind
        self.function: Function | None = None
        self.items: dict[object, Variable] = {}
        self.methods: dict[str, ContainerMethod] = {}
        self.updated: tuple[Container, ...] = ()
        self.rest = rest
        self.every = every


class ContainerMethod(Value):
    """A method of a container, such as its `append`."""

    __slots__ = ("container", "name")

    def __init__(self, container: Container, name: str) -> None:
        self.container = container
        self.name = name


class External(Value):
    """An external value, by its dotted name; its results have the same name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Registry(External):
    """
    Something outside the project that keeps what it is given and runs it later: a signal, an emitter, a router.

    Args:
        made: Whose code makes it.
        kept: What it keeps, by the names of events where it has any.
    """

    __slots__ = ("kept", "made")

    def __init__(self, name: str, made: Definition, kept: Container) -> None:
        super().__init__(name)
        self.made = made
        self.kept = kept


class Registrar(Value):
    """What hands functions to a function that runs them: `group.command`, `generic.register`."""

    __slots__ = ("function",)

    def __init__(self, function: Function) -> None:
        self.function = function


class Injected(Value):
    """Stands where a framework puts what calling `callee` gives; `taken` once some parameter is known to get it."""

    __slots__ = ("callee", "line", "scope", "taken")

    def __init__(self, callee: Variable, scope: Definition, line: int) -> None:
        self.callee = callee
        self.scope = scope
        self.line = line
        self.taken = False


class Literal(Value):
    """A word or number, or (`is_prefix`) a word that starts so."""

    __slots__ = ("is_prefix", "value")

    def __init__(self, value: object, *, is_prefix: bool) -> None:
        self.value = value
        self.is_prefix = is_prefix


class Family(Value):
    """All methods of a class whose names start alike: what `getattr(self, "visit_" + kind)` may give."""

    __slots__ = ("prefix", "receiver")

    def __init__(self, receiver: Instance, prefix: str) -> None:
        self.receiver = receiver
        self.prefix = prefix


class Partial(Value):
    """A callable with some arguments already in place."""

    __slots__ = ("arguments", "callee", "keywords")

    def __init__(
        self, callee: Variable, arguments: tuple[Variable, ...], keywords: tuple[tuple[str, Variable], ...]
    ) -> None:
        self.callee = callee
        self.arguments = arguments
        self.keywords = keywords


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
