"""Input of the linker by name for one file: tuples of str and int only, so that `marshal` can serialize them."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

ABSOLUTE: Final = "\\"
"""Prefix of absolute names, to which namespaces and imports do not apply."""

WILDCARD: Final = "*"
"""Alias of an import of all names of a module."""


class Form(IntEnum):
    """Form of a call expression."""

    BARE = 1
    """`name()`"""
    OWN = 2
    """`self.name()`"""
    BASE = 3
    """`super.name()`"""
    PATH = 4
    """`Type::name()`, also through modules and namespaces"""
    MEMBER = 5
    """`value.name()`"""
    NEW = 6
    """`new Name()`"""
    MAYBE = 7
    """`name`: a call if there is a method of that name, else a variable"""
    DECLARED = 8
    """`Name value(...)`: makes an object if there is a type of that name"""
    OPERATOR = 9
    """`left + right`: a call if the type of an operand defines the operator"""


class DefinitionRow(NamedTuple):
    """
    A callable or a type.

    Args:
        symbol: Position in the file's list.
        owner: Dotted name of what it stands in, namespace included; "" at the top.
        is_member: It stands in a type.
        least: Fewest arguments that it takes.
        most: Most arguments that it takes; -1 for any number.
        is_declaration: It has no body; the definition stands elsewhere.
        is_local: Other files cannot see it.
    """

    symbol: int
    owner: str
    is_member: int
    least: int
    most: int
    is_declaration: int
    is_local: int


class CallRow(NamedTuple):
    """
    A call.

    Args:
        symbol: Position of the caller.
        owner: Dotted name of the type that the caller belongs to; "" for none.
        receiver: Last name of the path or value in front; "" for none.
        written: As in the source, dotted, receiver included; with `ABSOLUTE` in front where that is written.
        given: Number of arguments; -1 if unknown.
        of_type: Declared type of the receiver, or of the left operand; "" if unknown.
        other_type: Declared type of the right operand.
    """

    symbol: int
    owner: str
    line: int
    form: int
    name: str
    receiver: str
    written: str
    given: int
    of_type: str = ""
    other_type: str = ""


class BaseRow(NamedTuple):
    """
    The type `owner` inherits from `base`, which is written as in calls.

    Args:
        symbol: Position of the type, or of the module where the type is elsewhere.
    """

    symbol: int
    owner: str
    line: int
    base: str


class ImportRow(NamedTuple):
    """
    An import.

    Args:
        written: A dotted name, or the path of a file.
        is_relative: The file is looked for beside the importing one first.
        alias: What the file calls it; "" for its last name, `WILDCARD` for all names in it.
    """

    symbol: int
    line: int
    written: str
    is_file: int
    is_relative: int
    alias: str


class FieldRow(NamedTuple):
    """A field of the type `owner`, which other files may use, with the dotted name of its own type."""

    owner: str
    name: str
    type: str


class Program(NamedTuple):
    """
    All rows of a file.

    Args:
        space: Dotted namespace that the whole file is in; "" for none.
    """

    space: str
    definitions: tuple[DefinitionRow, ...]
    calls: tuple[CallRow, ...]
    bases: tuple[BaseRow, ...]
    imports: tuple[ImportRow, ...]
    fields: tuple[FieldRow, ...] = ()


NO_PROGRAM = Program("", (), (), (), ())


def loaded(plain: object) -> Program:
    """Return the rows of a program that was kept as plain tuples."""
    assert isinstance(plain, tuple)
    space, definitions, calls, bases, imports, fields = plain
    return Program(
        space,
        tuple(DefinitionRow(*row) for row in definitions),
        tuple(CallRow(*row) for row in calls),
        tuple(BaseRow(*row) for row in bases),
        tuple(ImportRow(*row) for row in imports),
        tuple(FieldRow(*row) for row in fields),
    )


def plain(program: Program) -> tuple[object, ...]:
    """Give a program as tuples of plain values."""
    return (program.space, *(tuple(tuple(row) for row in rows) for rows in program[1:]))
