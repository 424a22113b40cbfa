"""Facts about values of constants, fields, keys, parameters and options, and reads of environment variables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from common.core.words.terms import split_identifier
from indexer.adapters.languages.syntax import children, end_line_of, line_of, text_of
from indexer.adapters.languages.value_calls import (
    called,
    comments_above,
    environment_variable,
    is_plain,
    last_name,
    on_one_line,
    placeholders,
    text_in,
    words_of,
)
from indexer.domain.model import Fact, FactKind, Origin, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tree_sitter import Node

    from indexer.domain.model import SymbolDef

NAMED = frozenset(("set", "pair", "argument", "parameter"))
_CALLABLE = (SymbolKind.FUNCTION, SymbolKind.METHOD)
_CONSTRUCTORS = ("__init__", "__new__", "constructor", "__construct")
_RECEIVERS = ("self", "cls", "this")
_MAX_NAME = 80
_KEYS = ("keyed_element", "array_element_initializer")
_CALLS = ("call", "call_expression", "object_creation_expression", "new_expression", "composite_literal")


@dataclass(slots=True)
class _Open:
    """The value of a name, up to the byte `end`: keys inside of it are members of the name."""

    end: int
    name: str
    is_key: bool


class ValueReader:
    """Reads the facts of one file from its matches, which must come in order of the text."""

    def __init__(self, symbols: Sequence[SymbolDef], lines: Sequence[str]) -> None:
        self._symbols = symbols
        self._lines = lines
        self._around = [0] * (max((each.end_line for each in symbols), default=0) + 2)
        for position, each in enumerate(symbols):
            if each.kind != SymbolKind.VARIABLE:
                self._around[each.start_line : each.end_line + 1] = [position] * (each.end_line + 1 - each.start_line)
        self._open: list[_Open] = []

    def take(self, kind: str, captures: Mapping[str, list[Node]], *, has_bare: bool) -> Iterator[Fact]:
        """Yield the facts of one match."""
        if kind in NAMED:
            yield from self._given(kind, captures["name"][0], captures["value"][0] if "value" in captures else None)
            return
        first = {name: nodes[0] for name, nodes in captures.items()}
        if kind == "call":
            for called_name, at, value, origin in called(first["function"], first["arguments"]):
                yield self._fact(called_name, at, value, origin)
        elif kind == "placeholder":
            for inserted, told in placeholders(text_of(first[kind])):
                yield self._noted(inserted, first[kind], told, Origin.LOOKED_UP)
        elif kind == "command":
            yield from self._command(first[kind], text_of(first.get("name")))
        elif kind == "text":
            yield from self._literal(first[kind])
        elif kind == "attribute":
            _, _, rest = text_of(first[kind]).partition("default_value")
            told = rest.partition("=")[2].split(",")[0].rstrip(")] ").strip()
            yield self._noted(text_of(first["name"]), first["name"], told, Origin.OPTION)
        elif kind == "property" or (kind.startswith("environment") and kind != "environment.bare"):
            read = FactKind.PROPERTY if kind == "property" else FactKind.ENVIRONMENT
            yield from self._read(read, first[kind] if kind in first else first["name"], first, has_bare=has_bare)

    def _command(self, node: Node, table: str) -> Iterator[Fact]:
        """Yield a command of the program; of a table only if the file looks something up in it."""
        told = text_in(node) if "string" in node.type else text_of(node)
        if told and node.type == "identifier":
            told = "-".join(split_identifier(told)).lower()
        if told and (not table or any(f"{table}{sign}" in each for each in self._lines for sign in ("[", ".get("))):
            yield Fact(self.owner(line_of(node)), FactKind.ENTRY_POINT, f"command {told}", line_of(node))

    def _literal(self, node: Node) -> Iterator[Fact]:
        """Yield a fact for a text of several words on one line; a text that is a whole statement is documentation."""
        said = words_of(text_of(node))
        if said and node.parent is not None and node.parent.type != "expression_statement":
            yield Fact(self.owner(line_of(node)), FactKind.TEXT, said, line_of(node))

    def _read(self, kind: FactKind, whole: Node, first: Mapping[str, Node], *, has_bare: bool) -> Iterator[Fact]:
        if text_of(first.get("function")).startswith("environ") and not has_bare:
            return  # the WSGI environment has the same name
        line = line_of(whole)
        for name, value, origin in environment_variable(first.get("arguments") or first["name"], whole):
            yield Fact(self.owner(line), kind, name, line, 0, value, origin)

    def _given(self, kind: str, name: Node, value: Node | None) -> Iterator[Fact]:
        while self._open and self._open[-1].end <= name.start_byte:
            self._open.pop()
        line = line_of(name)
        owner = self._symbols[self.owner(line)]
        is_local = owner.kind in _CALLABLE
        written = text_of(name)
        own = last_name(written)
        if not own or len(own) > _MAX_NAME or (kind == "parameter" and own in _RECEIVERS):
            return
        if kind == "parameter":
            if is_local or (owner.kind == SymbolKind.CLASS and value):
                around = self._symbols[owner.parent] if owner.parent >= 0 else owner
                makes = owner.name in (*_CONSTRUCTORS, around.name) or not is_local
                yield self._fact(own, name, value, Origin.CONSTRUCTOR if makes else Origin.PARAMETER)
            return
        if value is None or _is_code(value.type):
            return
        is_kept = not is_local
        if is_local and kind == "set":
            is_kept = value.type != "identifier" and any(sign in written for sign in ".>@")
        elif is_local:
            is_kept = is_plain(value)
        keys = self._keys(name, own, is_local=is_local) if is_kept else []
        if is_kept and (kind == "set" or not is_local or len(keys) > 1):
            yield self._fact(".".join(keys), name, value, Origin.ASSIGNED)
        self._open.append(_Open(value.end_byte, own, is_key=kind != "set"))

    def _keys(self, name: Node, own: str, *, is_local: bool) -> list[str]:
        owner = self.owner(line_of(name))
        classes = []
        while owner > 0:
            if self._symbols[owner].kind == SymbolKind.CLASS:
                classes.append(self._symbols[owner].name)
            owner = self._symbols[owner].parent
        around = [each.name for each in self._open]
        made = _made_type(name) if is_local and all(each.is_key for each in self._open) else ""
        return [*reversed(classes), *filter(None, [made]), *around, own]

    def owner(self, line: int) -> int:
        """Return the position of the innermost class, function or module around a line."""
        return self._around[line] if line < len(self._around) else 0

    def _fact(self, name: str, at: Node, value: Node | None, origin: Origin) -> Fact:
        told = on_one_line(value) if value and not _is_block(value) else ""
        last = max(line_of(at), end_line_of(value)) if value else 0
        return self._noted(name, at, told, origin, last, is_plain=value is not None and is_plain(value))

    def _noted(self, name: str, at: Node, told: str, origin: Origin, last: int = 0, *, is_plain: bool = True) -> Fact:
        line = line_of(at)
        end, above = last if last > line else 0, comments_above(self._lines, line)
        return Fact(self.owner(line), FactKind.VALUE, name, line, end, told, origin, above, is_plain and told != "")


@cache
def _is_code(kind: str) -> bool:
    return any(part in kind for part in ("function", "lambda", "closure"))


def _is_block(value: Node) -> bool:
    """Return whether a value over several lines has keys of its own."""
    inner = children(value)
    inner = children(inner[-1]) if value.type == "composite_literal" and inner else inner
    is_long = value.end_point.row > value.start_point.row
    return is_long and any("pair" in each.type or each.type in _KEYS for each in inner)


def _made_type(name: Node) -> str:
    """Return the type that is constructed with an argument or key; "" if the callee is no type."""
    node, made = name.parent, ""
    while node is not None and "statement" not in node.type and "block" not in node.type:
        if node.type in _CALLS or node.type == "struct_expression":
            parts = (node.child_by_field_name(field) for field in ("function", "constructor", "type", "name"))
            written = last_name(text_of(next(filter(None, parts), None)))
            made = written if written[:1].isupper() else made
        node = node.parent
    return made
