"""Methods that Lombok generates from annotations, which are in no source."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.adapters.languages.java.syntax import annotations_of, body_members, modifiers
from indexer.adapters.languages.syntax import children, field, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_READ = frozenset(("Data", "Value", "Getter"))
_SET = frozenset(("Data", "Setter"))
_BUILT = frozenset(("Builder", "SuperBuilder"))
_BUILDING = {"builder": "static TBuilder builder()", "toBuilder": "TBuilder toBuilder()", "build": "T build()"}
_KEYS = 8
"""Keys reserved for the methods of one node: at most so many are made for it."""


class Accessor(NamedTuple):
    """
    A generated method: a getter or setter of a field, or a method of a builder.

    Args:
        key: Key of its symbol in the symbol table.
        node: The declarator of its field; the class itself for `builder()`.
        named: The type of the result of a getter; None for other methods.
        taken: The type of its parameter; None without one.
        gives_own: It returns an object of the class; a builder is represented by the object that it builds.
    """

    key: int
    node: Node
    name: str
    signature: str
    named: Node | None
    taken: Node | None
    gives_own: bool = False


def accessors(cls: Node) -> Iterator[Accessor]:
    """Yield the methods that annotations of a class and its fields generate, unless the class declares them."""
    marks = _marks(cls)
    own = {text_of(field(each, "name")) for each in body_members(cls) if each.type == "method_declaration"}
    name, asked = text_of(field(cls, "name")), {"builder", "build"}
    if any("toBuilder" in text_of(each) for each in annotations_of(cls)):
        asked.add("toBuilder")
    for place, (method, given) in enumerate(_BUILDING.items() if marks & _BUILT else ()):
        if method in asked - own:
            signature = given.replace("T", name)
            yield Accessor(-_KEYS * cls.id - place, cls, method, signature, None, None, gives_own=True)
    for member in body_members(cls):
        if member.type == "field_declaration":
            words, all_marks = modifiers(member), marks | _marks(member)
            if "static" in words:
                continue
            for declarator in children(member):
                if declarator.type == "variable_declarator":
                    yield from _of_field(declarator, member, all_marks, own, is_final="final" in words)


def _of_field(declarator: Node, member: Node, marks: set[str], own: set[str], *, is_final: bool) -> Iterator[Accessor]:
    named, name = field(member, "type"), text_of(field(declarator, "name"))
    is_flag = text_of(named) == "boolean"
    if is_flag and name.startswith("is") and name[2:3].isupper():
        name = name[2:]
    capital = name[:1].upper() + name[1:]
    getter = ("is" if is_flag else "get") + capital
    if marks & _READ and getter not in own:
        yield Accessor(-_KEYS * declarator.id, declarator, getter, f"{text_of(named)} {getter}()", named, None)
    setter = f"set{capital}"
    if marks & _SET and not is_final and setter not in own:
        signature = f"void {setter}({text_of(named)} {name})"
        yield Accessor(-_KEYS * declarator.id - 1, declarator, setter, signature, None, named)
    for place, (mark, method) in enumerate((("Builder", name), ("SuperBuilder", name), ("With", f"with{capital}")), 2):
        if mark in marks and method not in own:
            signature = f"{method}({text_of(named)} {name})"
            yield Accessor(-_KEYS * declarator.id - place, declarator, method, signature, None, named, gives_own=True)


def _marks(node: Node) -> set[str]:
    return {text_of(field(each, "name")).rpartition(".")[2] for each in annotations_of(node)}
