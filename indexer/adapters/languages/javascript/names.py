"""Names of functions and classes: their own, or those of the variables they are bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.adapters.languages.javascript.syntax import (
    CLASSES,
    FIELDS,
    FUNCTIONS,
    arguments_of,
    bare,
    dotted,
    key_of,
    last_name,
)
from indexer.adapters.languages.syntax import field, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

# Wrappers when called as members (`React.memo`); a plain name that is called counts as one by default.
_WRAPPERS = frozenset(("memo", "forwardRef", "debounce", "throttle", "once", "memoize", "curry", "promisify", "wrap"))
_WORDS_OF_NO_WRAPPERS = """
setTimeout setInterval setImmediate requestAnimationFrame queueMicrotask require describe it test beforeEach afterEach
beforeAll afterAll Promise
"""
_NO_WRAPPERS = frozenset(_WORDS_OF_NO_WRAPPERS.split())
_ASSIGNING = ("assignment_expression", "augmented_assignment_expression")
_BINDING = frozenset((*_ASSIGNING, "pair", *FIELDS))
_SEE_THROUGH = frozenset(
    ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression", "await_expression")
)


def own_name(node: Node) -> str:
    """Return the name that a definition itself has; "" without one."""
    if node.type == "method_definition":
        return key_of(field(node, "name")) or text_of(field(node, "name"))
    return text_of(field(node, "name"))


def bound_name(node: Node) -> str | None:
    """
    Name a function or class by what it is bound to: a variable, a property, a field, a default export.

    A name with dots starts from the enclosing scope (`api.users.list`). None without a name, as for a
    callback; `const load = memo(function () {})` names its function `load`.
    """
    parent = _holder(node).parent
    if parent is None or parent.type in _BINDING:
        return _bound_in(parent)
    if parent.type == "variable_declarator":
        name = field(parent, "name")
        return text_of(name) if name is not None and name.type == "identifier" else None
    return "default" if parent.type == "export_statement" else None


def _bound_in(parent: Node | None) -> str | None:
    """Return the name that an assignment, a property or a field binds its value to."""
    if parent is None:
        return None
    if parent.type in _ASSIGNING:
        return _assigned_name(field(parent, "left"))
    if parent.type == "pair":
        return _joined(object_path(parent.parent), key_of(field(parent, "key")))
    return key_of(field(parent, "name") or field(parent, "property"))


def chained_names(node: Node) -> Iterator[str]:
    """Yield the names in `A = exports.b = function () {}` before the one next to the function, innermost first."""
    holder = _holder(node)
    parent = holder.parent
    while parent is not None and parent.type == "assignment_expression":
        holder = _outermost(parent)
        parent = holder.parent
        if parent is not None and parent.type == "assignment_expression":
            yield _assigned_name(field(parent, "left")) or ""
    if parent is not None and parent.type == "variable_declarator":
        yield text_of(field(parent, "name"))


def object_path(node: Node | None) -> str | None:
    """Return the name that an object literal is bound to; "" if that adds nothing to names, None without one."""
    parent = _outermost(node).parent if node is not None else None
    if parent is None or parent.type in _BINDING:
        name = _bound_in(parent)
        return "" if name == "exports" and parent is not None and parent.type in _ASSIGNING else name
    if parent.type == "variable_declarator":
        return text_of(field(parent, "name"))
    if parent.type == "arguments" and parent.parent is not None:
        return object_path(parent.parent)
    return ""


def prototype_owner(left: Node | None) -> str:
    """Give `Foo` for `Foo.prototype` and `Foo.prototype.bar`; "" for anything else."""
    written = dotted(left)
    owner, found, rest = written.partition(".prototype")
    return owner if found and "." not in owner and rest.count(".") <= 1 else ""


def _assigned_name(left: Node | None) -> str | None:
    written = dotted(left)
    if not written:
        return None
    if written == "module.exports":
        return "exports"
    for prefix in ("module.exports.", "exports.", "this."):
        written = written.removeprefix(prefix)
    return written


def _joined(path: str | None, key: str | None) -> str | None:
    if key is None:
        return None
    return f"{path}.{key}" if path else key


def _outermost(node: Node) -> Node:
    while node.parent is not None and node.parent.type in _SEE_THROUGH:
        node = node.parent
    return node


def _holder(node: Node) -> Node:
    """Return the outermost expression whose value is a definition, or a call that wraps it."""
    node = _outermost(node)
    for _ in range(3):
        parent = node.parent
        if parent is None or parent.type != "arguments" or parent.parent is None:
            return node
        call = parent.parent
        functions = [item for item in arguments_of(call) if item.type in FUNCTIONS | CLASSES]
        if call.type != "call_expression" or len(functions) > 1 or not _wraps(call):
            return node
        outer = _outermost(call)
        if outer.parent is None or outer.parent.type not in (
            "variable_declarator",
            "arguments",
            "pair",
            "assignment_expression",
            "export_statement",
            *FIELDS,
        ):
            return node
        node = outer
    return node


def _wraps(call: Node) -> bool:
    callee = bare(field(call, "function"))
    if callee is None:
        return False
    if callee.type == "member_expression":
        return last_name(callee) in _WRAPPERS
    if callee.type == "call_expression":
        return last_name(field(callee, "function")) not in _NO_WRAPPERS
    name = text_of(callee)
    is_hook = name.startswith("use") and name[3:4].isupper() and name != "useCallback"
    return callee.type == "identifier" and name not in _NO_WRAPPERS and not is_hook
