"""Calls, bases and imports of one file as rows for the linker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.by_name.arity import argument_count
from indexer.adapters.languages.by_name.naming import dotted, last, receiver_of
from indexer.adapters.languages.by_name.rules import name_of
from indexer.adapters.languages.syntax import children, field, line_of, text_of
from indexer.domain.linking.by_name.program import ABSOLUTE, BaseRow, CallRow, Form, ImportRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from indexer.adapters.languages.by_name.outline import OpenScope
    from indexer.adapters.languages.by_name.rules import Rules
    from indexer.adapters.languages.by_name.tags import Tag

_FORMS = {
    "call": Form.BARE,
    "call.own": Form.OWN,
    "call.base": Form.BASE,
    "call.path": Form.PATH,
    "call.member": Form.MEMBER,
    "call.new": Form.NEW,
    "call.declared": Form.DECLARED,
    "call.maybe": Form.MAYBE,
}
_NO_CALL = "call.none"
_OWN_TYPE = frozenset(("Self", "self"))
_OWN_CLASS = frozenset(("self", "static"))
_OWN_MODULE = frozenset(("crate", "super", "self"))
_MAX_WRITTEN = 200


class References:
    """Collects the rows while the tags go by."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.calls: list[CallRow] = []
        self.bases: list[BaseRow] = []
        self.imports: list[ImportRow] = []
        self._named: dict[int, int] = {}
        self._locals: set[tuple[int, str]] = set()

    def prefer(self, tags: list[Tag]) -> None:
        """Learn which pattern counts for each name: the first in the query file."""
        for tag in tags:
            if tag.kind in _FORMS or tag.kind == _NO_CALL:
                place = _name_of(tag).start_byte
                self._named[place] = min(tag.pattern, self._named.get(place, tag.pattern))

    def take(self, tag: Tag, frame: OpenScope) -> None:
        """Add what a tag says, if it is about references."""
        if tag.kind in _FORMS:
            is_local = tag.kind == "call.maybe" and (frame.symbol, text_of(_name_of(tag))) in self._locals
            if self._named[_name_of(tag).start_byte] == tag.pattern and not is_local:
                self.calls.append(_call(tag, frame, self._rules))
        elif tag.kind == "local":
            self._locals.add((frame.symbol, text_of(tag.node)))
        elif tag.kind == "inherits":
            base = dotted(text_of(tag.node))
            if frame.owner and not frame.is_function and base:
                written = _mark(tag.node) + base
                self.bases.append(BaseRow(frame.symbol, frame.owner, line_of(tag.node), written))
        elif tag.kind.startswith("include"):
            written = text_of(tag.node).strip("\"'<>").lstrip("/")
            relative = not tag.kind.endswith("system")
            self.imports.append(ImportRow(frame.symbol, line_of(tag.node), written, 1, int(relative), ""))
        elif tag.kind.startswith("import"):
            alias = text_of(field(tag.node.parent, "alias"))
            for written in _imported(tag):
                self.imports.append(ImportRow(frame.symbol, line_of(tag.node), written, 0, 0, alias))


def _name_of(tag: Tag) -> Node:
    return tag.parts.get("name", tag.node)


def _mark(node: Node) -> str:
    return ABSOLUTE if text_of(node).startswith(ABSOLUTE) else ""


def _call(tag: Tag, frame: OpenScope, rules: Rules) -> CallRow:
    form = _FORMS[tag.kind]
    whole = text_of(_name_of(tag))
    name = name_of(rules, whole)
    simple = name if rules.has_plain_names else last(name)
    behind = tag.parts.get("receiver")
    written_receiver = text_of(behind) if behind is not None else ""
    receiver = receiver_of(written_receiver) if behind is not None else last(name.rpartition(".")[0])
    if form == Form.PATH and receiver in _OWN_TYPE and frame.owner:
        form, receiver = Form.OWN, ""
    elif form == Form.PATH and receiver in _OWN_MODULE:
        form, receiver = Form.BARE, ""
    if form == Form.NEW and name in _OWN_CLASS and frame.owner:
        name = frame.owner
    written = f"{dotted(written_receiver)}.{simple}" if receiver and behind is not None else name
    written = _mark(behind if behind is not None else _name_of(tag)) + written
    is_macro = "arguments" not in tag.parts and tag.node.type in ("macro_invocation", "token_tree")
    count = -1 if is_macro else argument_count(tag.parts.get("arguments"))
    position = line_of(_name_of(tag))
    return CallRow(frame.symbol, frame.owner, position, int(form), simple, receiver, written[:_MAX_WRITTEN], count)


def _imported(tag: Tag) -> Iterator[str]:
    if tag.kind == "import.tree":
        yield from _leaves(tag.node, "")
    elif tag.kind == "import.grouped":
        prefix = tag.node.parent.parent.prev_named_sibling if tag.node.parent and tag.node.parent.parent else None
        yield dotted(f"{text_of(prefix)}.{text_of(tag.node)}")
    else:
        yield dotted(text_of(tag.node))


def _leaves(tree: Node, prefix: str) -> Iterator[str]:
    """Give each name that a tree of `use` brings in, without aliases; a wildcard brings in its module."""
    pending = [(tree, prefix)]
    while pending:
        node, before = pending.pop()
        if node.type == "use_list":
            pending += [(child, before) for child in reversed(children(node))]
        elif node.type == "scoped_use_list":
            pending += [(inner, _under(before, field(node, "path"))) for inner in (field(node, "list"),) if inner]
        elif node.type == "use_as_clause":
            pending += [(inner, before) for inner in (field(node, "path"),) if inner]
        elif node.type == "use_wildcard":
            pending += [(inner, before) for inner in children(node)[:1]]
        elif node.type == "self":
            yield before
        else:
            yield _under(before, node)


def _under(before: str, node: Node | None) -> str:
    return ".".join(part for part in (before, dotted(text_of(node))) if part)
