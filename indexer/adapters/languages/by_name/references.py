"""Calls, bases and imports of one file as rows for the linker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.by_name.arity import argument_count
from indexer.adapters.languages.by_name.naming import dotted, last, receiver_of
from indexer.adapters.languages.by_name.operands import Operand, Operands, operand
from indexer.adapters.languages.by_name.rules import name_of
from indexer.adapters.languages.syntax import children, field, line_of, text_of
from indexer.domain.linking.by_name.program import ABSOLUTE, WILDCARD, BaseRow, CallRow, Form, ImportRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from indexer.adapters.languages.by_name.outline import OpenScope
    from indexer.adapters.languages.by_name.rules import Rules
    from indexer.adapters.languages.by_name.tags import Tag

_FORMS = {"call": Form.BARE, **{f"call.{each.name.lower()}": each for each in Form if each != Form.BARE}}
_NO_CALL = "call.none"
_OWN_TYPE = frozenset(("Self", "self"))
_OWN_CLASS = frozenset(("self", "static"))
_OWN_MODULE = frozenset(("crate", "super", "self"))
_OWN = "self"
_ABOVE = "super"
_MAX_WRITTEN = 200


class References:
    """Collects references from the tags of a file."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._calls: list[tuple[CallRow, Operand, Operand]] = []
        self.operands = Operands(rules.operands)
        self.bases: list[BaseRow] = []
        self.imports: list[ImportRow] = []
        self._named: dict[int, int] = {}
        self._locals: set[tuple[int, str]] = set()

    def prefer(self, tags: list[Tag]) -> None:
        """Record which pattern counts for each name of a call: of those that match, the first in the query file."""
        for tag in tags:
            if tag.kind in _FORMS or tag.kind == _NO_CALL:
                place = _name_of(tag).start_byte
                self._named[place] = min(tag.pattern, self._named.get(place, tag.pattern))

    def calls(self) -> tuple[CallRow, ...]:
        """Return the calls with the types that are declared for their operands."""

        def typed(call: CallRow, left: Operand, right: Operand) -> CallRow:
            of_pointer = call.form == Form.MEMBER
            first, second = (self.operands.type_of(each, of_pointer=of_pointer) for each in (left, right))
            if first and call.form == Form.BARE and self._rules.operators:
                # A call of a variable whose type defines the call operator.
                call = call._replace(form=int(Form.OPERATOR), name=f"{self._rules.operators}()")
            return call._replace(of_type=first, other_type=second) if first or second else call

        return tuple(typed(*each) for each in self._calls)

    def take(self, tag: Tag, frame: OpenScope) -> None:
        """Add the reference of a tag, if it is one."""
        if tag.kind in _FORMS:
            is_local = tag.kind == "call.maybe" and (frame.symbol, text_of(_name_of(tag))) in self._locals
            if self._named[_name_of(tag).start_byte] == tag.pattern and not is_local:
                left = tag.parts.get("receiver") or (_name_of(tag) if tag.kind == "call" else None)
                roles = self._rules.operands
                about = (operand(left, frame, roles), operand(tag.parts.get("other"), frame, roles))
                self._calls.append((_call(tag, frame, self._rules), *about))
        elif tag.kind.startswith("typed"):
            self.operands.declare(tag, frame)
        elif tag.kind == "local":
            self._locals.add((frame.symbol, text_of(tag.node)))
        elif tag.kind == "inherits":
            base = dotted(text_of(tag.node))
            if frame.owner and not frame.is_function and base:
                written = _mark(tag.node) + base
                self.bases.append(BaseRow(frame.symbol, frame.owner, line_of(tag.node), written))
        elif tag.kind.startswith("include"):
            self.imports.append(self._included(tag, frame))
        elif tag.kind.startswith("import"):
            for node, written, alias in _imported(tag):
                self.imports.append(ImportRow(frame.symbol, line_of(node), written, 0, 0, alias))

    def _included(self, tag: Tag, frame: OpenScope) -> ImportRow:
        """Return the import of a file; its path may begin with an unknown value or with a package."""
        written, name = text_of(tag.node).strip("\"'<>"), text_of(tag.parts.get("name"))
        package = self._rules.package_scheme
        if package and written.startswith(package):
            path = written.removeprefix(package).removesuffix(self._rules.extensions[0])
            return ImportRow(frame.symbol, line_of(tag.node), path.replace("/", "."), 0, 0, name)
        parts = tag.node.named_children
        is_whole = len(parts) < 2 or bool(parts[-1].named_children)
        path = (written if is_whole else text_of(parts[-1])).lstrip("/")
        is_relative = is_whole and not tag.kind.endswith("system")
        return ImportRow(frame.symbol, line_of(tag.node), path, 1, int(is_relative), name)


def _name_of(tag: Tag) -> Node:
    return tag.parts.get("name", tag.node)


def _mark(node: Node) -> str:
    return ABSOLUTE if text_of(node).startswith(ABSOLUTE) else ""


def _call(tag: Tag, frame: OpenScope, rules: Rules) -> CallRow:
    form = _FORMS[tag.kind]
    if form == Form.OPERATOR:
        return _operation(tag, frame, rules)
    name = name_of(rules, text_of(_name_of(tag)))
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
    return CallRow(frame.running, frame.owner, position, int(form), simple, receiver, written[:_MAX_WRITTEN], count)


def _operation(tag: Tag, frame: OpenScope, rules: Rules) -> CallRow:
    sign = text_of(_name_of(tag))
    name = rules.operators + {"[": "[]"}.get(sign, sign)
    given, line = int("other" in tag.parts), line_of(_name_of(tag))
    return CallRow(frame.running, frame.owner, line, int(Form.OPERATOR), name, "", name, given)


def _imported(tag: Tag) -> Iterator[tuple[Node, str, str]]:
    """Yield (node, dotted name, alias) of each import of a tag."""
    alias = text_of(field(tag.node.parent, "alias"))
    if tag.kind == "import.tree":
        yield from _leaves(tag.node)
    elif tag.kind == "import.below":
        yield tag.node, ".".join((_OWN, *_modules_around(tag.node.parent), text_of(tag.node))), ""
    elif tag.kind == "import.selected":
        yield from _selected(tag.node)
    elif tag.kind == "import.grouped":
        prefix = tag.node.parent.parent.prev_named_sibling if tag.node.parent and tag.node.parent.parent else None
        yield tag.node, dotted(f"{text_of(prefix)}.{text_of(tag.node)}"), alias
    else:
        yield tag.node, dotted(text_of(tag.node)), alias


def _selected(node: Node) -> Iterator[tuple[Node, str, str]]:
    """Yield (node, name, alias) of each import in a declaration: dotted paths, maybe with names in braces."""
    before, pending = "", [*node.children[1:]]
    while pending:
        child = pending.pop(0)
        kind = child.type
        if kind == "namespace_selectors":
            yield from ((each, *_selector(before, each)) for each in children(child))
            before = ""
        elif kind == "identifier" and (after := pending[0].type if pending else ",") != ",":
            before, pending = _under(before, child), pending[1:] if after == "." else pending
        elif kind != ",":
            yield (child, *_selector(before, child))
            before = ""


def _selector(before: str, node: Node) -> tuple[str, str]:
    if node.type == "namespace_wildcard":
        return before, WILDCARD
    return _under(before, field(node, "name") or node), text_of(field(node, "alias"))


def _modules_around(node: Node | None) -> list[str]:
    """Return the names of the inline modules around a node, outermost first."""
    names: list[str] = []
    while node is not None and (node := node.parent) is not None:
        if node.type == "mod_item":
            names.insert(0, text_of(field(node, "name")))
    return names


def _leaves(tree: Node) -> Iterator[tuple[Node, str, str]]:
    """
    Yield (node, name, alias) of each name that a `use` tree imports; the alias is `*` for all names of a module.

    Within an inline module the alias is prefixed with the module's name.
    """
    around = _modules_around(tree)
    pending = [(tree, "", "")]
    while pending:
        node, before, alias = pending.pop()
        if node.type == "use_list":
            pending += [(child, before, "") for child in reversed(children(node))]
        elif node.type == "scoped_use_list":
            inner = _under(before, field(node, "path"))
            pending += [(child, inner, "") for child in (field(node, "list"),) if child]
        elif node.type == "use_as_clause":
            name = text_of(field(node, "alias"))
            pending += [(child, before, name) for child in (field(node, "path"),) if child]
        elif node.type == "use_wildcard":
            pending += [(child, before, WILDCARD) for child in children(node)[:1]]
        elif not node.type.endswith("comment"):
            written = before if node.type == _OWN and before else _under(before, node)
            known = ".".join((*around, alias or last(written))) if around else alias
            yield node, _within_file(written, around), known


def _within_file(written: str, around: list[str]) -> str:
    """Convert a relative path in an inline module to one relative to the module of the file."""
    names = written.split(".")
    if not around or names[0] not in (_OWN, _ABOVE):
        return written
    rest = [name for name in names if name != _OWN]
    above = sum(name == _ABOVE for name in rest)
    own = around[: len(around) - above]
    return ".".join((*((_OWN, *own) if above <= len(around) else [_ABOVE] * (above - len(around))), *rest[above:]))


def _under(before: str, node: Node | None) -> str:
    return ".".join(part for part in (before, dotted(text_of(node))) if part)
