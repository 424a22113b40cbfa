"""Builds the symbols of one file and their nesting from its tags in order of the text."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from indexer.adapters.languages.by_name.arity import arity_of
from indexer.adapters.languages.by_name.naming import last
from indexer.adapters.languages.by_name.rules import DeclarationContext, name_of
from indexer.adapters.languages.syntax import line_of, one_line, text_of
from indexer.domain.linking.by_name.program import DefinitionRow
from indexer.domain.model import SymbolDef, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

    from indexer.adapters.languages.by_name.comments import Comments
    from indexer.adapters.languages.by_name.rules import Rules
    from indexer.adapters.languages.by_name.tags import Tag

MAX_SIGNATURE = 500
_WRAPPERS = frozenset(("template_declaration",))
_BODY_FIELDS = ("body", "value", "accessors")
_BEFORE_BODY = frozenset(("field_initializer_list", "constructor_initializer"))
_HEAD_FIELDS = ("name", "parameters", "superclass")
_ATTRIBUTES = frozenset(("attribute_list", "attribute_declaration"))


@dataclass(slots=True)
class OpenScope:
    """
    A definition or scope that encloses the current node.

    Args:
        node: Its node; None for the file.
        symbol: Position of the innermost symbol.
        name: Dotted prefix of names of its members; "" at the top.
        owner: Dotted name of the innermost type; "" outside of types.
        word: First word of its declaration if it is a type; "" for other frames.
        section: Last word like `private:` so far.
        is_function: It is a callable.
        is_public: Its members may be visible from outside.
        around: For a block of methods apart from their type, position of the enclosing symbol; -1 for other frames.
    """

    node: Node | None
    symbol: int = 0
    name: str = ""
    owner: str = ""
    word: str = ""
    section: str = ""
    is_function: bool = False
    is_public: bool = True
    around: int = -1

    @property
    def running(self) -> int:
        """Return the position of the symbol whose lines contain the code directly in this scope."""
        return self.symbol if self.around < 0 else self.around


@dataclass(slots=True)
class _Draft:
    symbol: SymbolDef
    decorators: list[str] = field(default_factory=list)
    complexity: int = 1


class Outline:
    """
    The symbols so far.

    Args:
        private: Ids of nodes of definitions that a statement elsewhere makes private.
    """

    def __init__(self, rules: Rules, path: str, comments: Comments, private: Iterable[int]) -> None:
        self._rules = rules
        self._path = path
        self._comments = comments
        self._private = frozenset(private)
        self._drafts: list[_Draft] = []
        self._types: dict[str, int] = {}
        self._frames = [OpenScope(None)]
        self._takers = {
            "definition": self._define,
            "declaration": self._define,
            "scope": self._scope,
            "section": self._section,
            "reopened": self._reopen,
            "hidden": self._hide,
            "branch": self._branch,
            "inner": self._decorate,
        }
        self.definitions: list[DefinitionRow] = []

    @property
    def first_line(self) -> int:
        """Return the line of the first symbol; 0 without any."""
        return self._drafts[0].symbol.start_line if self._drafts else 0

    def at(self, node: Node) -> OpenScope:
        """Return the innermost frame around a node; nodes must come in order."""
        while (open_node := self._frames[-1].node) is not None and open_node.end_byte <= node.start_byte:
            self._frames.pop()
        return self._frames[-1]

    def take(self, tag: Tag) -> bool:
        """Add a tag to the outline, if it is about definitions or their nesting."""
        taker = self._takers.get(tag.kind.partition(".")[0])
        if taker:
            taker(tag)
        return taker is not None

    def _name(self, node: Node) -> str:
        return name_of(self._rules, text_of(node))

    def _whole(self, node: Node) -> Node:
        """Return the node that ends with a definition: its body where that follows as a sibling, else its own node."""
        behind = node.next_named_sibling
        is_split = node.type.endswith("signature") and behind is not None and behind.type in self._rules.bodies
        return behind if is_split and behind is not None else node

    def _section(self, tag: Tag) -> None:
        self.at(tag.node).section = text_of(tag.node)

    def _scope(self, tag: Tag) -> None:
        """Open a scope whose name qualifies its members."""
        around, is_type = self.at(tag.node), tag.kind == "scope.type"
        name = _joined(around.name, self._name(tag.parts["name"]))
        symbol = self._types.get(name, 0) if is_type else around.symbol
        owner, word = (name, _word(tag.node)) if is_type else (around.owner, around.word)
        public = around.is_public and (not symbol or self._drafts[symbol - 1].symbol.is_public)
        beside = around.running if is_type else -1
        self._frames.append(OpenScope(tag.node, symbol, name, owner, word, is_public=public, around=beside))

    def _reopen(self, tag: Tag) -> None:
        """Open another block of the same type, without a section such as `private:` so far."""
        self._frames.append(replace(self.at(tag.node), node=tag.node, section=""))

    def _hide(self, tag: Tag) -> None:
        """Make the earlier definition that a tag names in the same scope private."""
        qualified = _joined(self.at(tag.node).name, text_of(tag.node).lstrip(":"))
        for draft in self._drafts:
            if draft.symbol.qualified_name == qualified:
                draft.symbol = replace(draft.symbol, is_public=False)

    def _define(self, tag: Tag) -> None:
        """Add a symbol and open it."""
        around = self.at(tag.node)
        is_declaration, what = tag.kind.startswith("declaration"), tag.kind.rpartition(".")[2]
        written = self._name(tag.parts["name"])
        if (is_declaration and around.is_function) or not written:
            return
        qualified = _joined(around.name, written)
        path, is_type = qualified.rpartition(".")[0], what == "class"
        is_member = what == "function" and bool(around.word or ("." in written and not around.is_function))
        kind = {"class": SymbolKind.CLASS, "variable": SymbolKind.VARIABLE}.get(
            what, SymbolKind.METHOD if is_member else SymbolKind.FUNCTION
        )
        position = self._add(tag, kind, qualified, around)
        public = self._drafts[-1].symbol.is_public
        if is_type:
            self._types[qualified] = position
        owner = qualified if is_type else (path if is_member else around.owner)
        word = _word(tag.node) if is_type else ""
        is_function, whole = what == "function", self._whole(tag.node)
        self._frames.append(
            OpenScope(whole, position, qualified, owner, word, is_function=is_function, is_public=public)
        )
        if what != "variable":
            least, most = arity_of(tag.parts.get("parameters")) if self._rules.counts_arguments else (0, -1)
            hidden = self._rules.hides_static and kind == SymbolKind.FUNCTION and not public
            self.definitions.append(
                DefinitionRow(position, path, int(is_member), least, most, int(is_declaration), int(hidden))
            )

    def _decorate(self, tag: Tag) -> None:
        """Add an attribute that stands inside of its definition."""
        frame = self.at(tag.node)
        parent = tag.node.parent
        if parent is not None and parent.type in self._rules.modifiers:
            parent = parent.parent
        if frame.symbol and parent is not None and frame.node is not None and parent.id == frame.node.id:
            self._drafts[frame.symbol - 1].decorators.append(one_line(text_of(tag.node)).strip("@#[]"))

    def _branch(self, tag: Tag) -> None:
        """Add a branch to the complexity of the innermost symbol."""
        symbol = self.at(tag.node).symbol
        if symbol:
            self._drafts[symbol - 1].complexity += 1

    def symbols(self, module: SymbolDef) -> tuple[SymbolDef, ...]:
        """Return all symbols, that of the file first."""
        drafts = ((each.symbol, tuple(each.decorators), each.complexity) for each in self._drafts)
        return (module, *(replace(symbol, decorators=named, complexity=count) for symbol, named, count in drafts))

    def _add(self, tag: Tag, kind: SymbolKind, qualified: str, around: OpenScope) -> int:
        node = _wrapped(tag.node)
        start, docstring, attributes = self._comments.above(line_of(node))
        modifiers = [child for child in tag.node.children if child.type in self._rules.modifiers]
        words = frozenset(word for child in modifiers for word in text_of(child).split())
        if tag.node.id in self._private:
            words |= {"private"}
        about = DeclarationContext(words, around.section, around.word, self._path, last_name(qualified))
        public = around.is_public and not around.is_function and self._rules.is_public(about)
        parent = self._types.get(qualified.rpartition(".")[0], around.symbol)
        symbol = SymbolDef(
            kind, last_name(qualified), qualified, parent, start, _last_line(self._whole(tag.node)),
            _signature(node, tag.node, self._rules.bodies), docstring, (), public,
        )  # fmt: skip
        self._drafts.append(_Draft(symbol, attributes))
        return len(self._drafts)


def last_name(qualified: str) -> str:
    """Return the last part of a qualified name; operators may hold dots of their own."""
    head, joint, operator = qualified.rpartition(".operator")
    return f"operator{operator}" if joint and not operator[:1].isalnum() and head else last(qualified)


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _last_line(node: Node) -> int:
    return node.end_point.row + (node.end_point.column > 0)  # some nodes, such as macros of C, end behind the line feed


def _wrapped(node: Node) -> Node:
    parent = node.parent
    while parent is not None and parent.type in _WRAPPERS:
        node, parent = parent, parent.parent
    return node


def _word(node: Node) -> str:
    return node.type.partition("_")[0] if not node.type.startswith("impl") else _implementation(node)


def _implementation(node: Node) -> str:
    """Return "implementation" for a trait, whose methods have its visibility; "impl" if they have their own."""
    return "implementation" if node.child_by_field_name("trait") is not None else "impl"


def _signature(outer: Node, node: Node, body_types: frozenset[str]) -> str:
    source = outer.text or b""
    children = outer.children if outer.id == node.id else [child for child in outer.children if child.id != node.id]
    start = next((child.start_byte for child in children if child.type not in _ATTRIBUTES), outer.start_byte)
    if node.children and node.children[-1].type == "end":
        heads = [head.end_byte for name in _HEAD_FIELDS if (head := node.child_by_field_name(name)) is not None]
        end = max(heads, default=node.end_byte)
    else:
        bodies = [body.start_byte for name in _BODY_FIELDS if (body := node.child_by_field_name(name)) is not None]
        bodies += [child.start_byte for child in node.children if child.type in _BEFORE_BODY | body_types]
        made = node.child_by_field_name("right")
        bodies += [block.start_byte for block in (made and made.child_by_field_name("block"),) if block is not None]
        end = min(bodies, default=node.end_byte)
    text = source[start - outer.start_byte : end - outer.start_byte].decode("utf-8", "replace")
    opened, closed = text.find("{"), text.rfind("}")
    if -1 < opened < closed:
        text = f"{text[:opened]}{{ ... }}{text[closed + 1 :]}"
    return one_line(text).rstrip(" ;:={")[:MAX_SIGNATURE]
