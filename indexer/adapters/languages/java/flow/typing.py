"""Infers static types by simple name: of parameters, and of expressions as far as one file determines them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from indexer.adapters.languages.java.flow.names import outward
from indexer.adapters.languages.java.syntax import simple_name
from indexer.adapters.languages.syntax import children, field, text_of
from indexer.domain.linking.java.overloads import ASSUMED, FUNCTIONAL, NULL, OBJECT, PRIMITIVES, promoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from indexer.adapters.languages.flow_writer import FlowWriter
    from indexer.adapters.languages.java.flow.names import Names
    from indexer.domain.linking.program import Slot

_ARRAY = "[]"
_LITERALS = MappingProxyType(
    {
        "string_literal": "String",
        "character_literal": "char",
        **dict.fromkeys(("true", "false", "instanceof_expression"), "boolean"),
        "null_literal": NULL,
        "class_literal": "Class",
        **dict.fromkeys(("lambda_expression", "method_reference"), FUNCTIONAL),
    }
)
_BOOLEAN = frozenset(("==", "!=", "<", ">", "<=", ">=", "&&", "||"))
# Result types of library methods by name; a method of the project takes precedence.
_RESULTS = MappingProxyType(
    {
        **dict.fromkeys(
            ("toString", "substring", "trim", "getSimpleName", "concat", "toLowerCase", "toUpperCase", "format",
             "getMessage", "replace", "join", "repeat"),
            "String",
        ),
        **dict.fromkeys(("length", "size", "indexOf", "hashCode", "compareTo", "intValue", "parseInt"), "int"),
        **dict.fromkeys(("equals", "isEmpty", "contains", "startsWith", "endsWith", "hasNext"), "boolean"),
        **dict.fromkeys(("longValue", "parseLong", "currentTimeMillis", "nanoTime"), "long"),
        **dict.fromkeys(("doubleValue", "parseDouble"), "double"),
        "getClass": "Class", "forName": "Class", "asList": "List", "charAt": "char",
    }
)  # fmt: skip


class StaticTypes:
    """Infers static types; "" is a type that the file alone does not determine."""

    def __init__(self, writer: FlowWriter, names: Names) -> None:
        self._writer = writer
        self._names = names
        self._declared: dict[Slot, str] = {}
        self._variables: dict[Slot, str] = {}
        self._walkers: dict[str, Callable[[Node], str]] = {
            "parenthesized_expression": lambda node: self.of(children(node)[0]) if children(node) else "",
            "identifier": self._identifier,
            "this": lambda _node: self._this(),
            "field_access": self._field,
            "object_creation_expression": lambda node: self.name(field(node, "type")),
            "array_creation_expression": self._array,
            "cast_expression": lambda node: self.name(field(node, "type")),
            "binary_expression": self._binary,
            "unary_expression": self._unary,
            "update_expression": lambda node: self.of(children(node)[0]) if children(node) else "",
            "ternary_expression": self._ternary,
            "assignment_expression": lambda node: self.of(field(node, "left")),
            "array_access": lambda node: self.of(field(node, "array")).removesuffix(_ARRAY),
            "method_invocation": self._invocation,
        }

    def declare(self, slot: Slot, node: Node | None, value: Node | None = None) -> None:
        """Record the declared type of a variable; for `var`, the type of its value."""
        name = self.of(value) if node is not None and text_of(node) == "var" else self.name(node)
        if name:
            self._declared[slot] = name

    def bound(self, slot: Slot, node: Node | None) -> None:
        """Note that a slot stands for a type variable with a bound."""
        self._variables[slot] = self.name(node) or OBJECT

    def name(self, node: Node | None, *, variable: str = OBJECT) -> str:
        """Write a type by its simple name, a type variable by its bound, or as `variable` where it has none."""
        if node is None:
            return ""
        if node.type == "array_type":
            dimensions = text_of(field(node, "dimensions")).count("[")
            return f"{self.name(field(node, 'element'))}{_ARRAY * dimensions}"
        if node.type == "annotated_type":
            return self.name(children(node)[-1], variable=variable)
        written = simple_name(node)
        found = self._writer.frame.find(f"class {written}")
        around = (info.bounds[written] for info in outward(self._names.current) if written in info.bounds)
        slot = found if found is not None else next(around, None)
        if slot is not None and slot in self._variables:
            return self._variables[slot] if variable else ""
        return written

    def of(self, node: Node | None) -> str:
        """Return the type of an expression."""
        if node is None:
            return ""
        if node.type in _LITERALS:
            return _LITERALS[node.type]
        if node.type.endswith("_literal"):
            return _number(text_of(node).lower(), is_integer="integer" in node.type)
        walker = self._walkers.get(node.type)
        return walker(node) if walker is not None else ""

    def _identifier(self, node: Node) -> str:
        slot = self._names.local(text_of(node))
        return self._declared.get(slot, "") if slot is not None else ""

    def _this(self) -> str:
        current = self._names.current
        return current.name if current is not None and current.node.type != "class_body" else ""

    def _field(self, node: Node) -> str:
        owner, name = field(node, "object"), text_of(field(node, "field"))
        current = self._names.current
        if owner is not None and owner.type == "this" and current is not None and name in current.fields:
            return self._declared.get(current.fields[name], "")
        if name.isupper() and (primitive := PRIMITIVES.get(text_of(owner))):
            return primitive
        return "int" if name == "length" and self.of(owner).endswith(_ARRAY) else ""

    def _array(self, node: Node) -> str:
        made = [child for child in node.children if child.type in ("dimensions", "dimensions_expr")]
        return self.name(field(node, "type")) + _ARRAY * sum(text_of(child).count("[") for child in made)

    def _binary(self, node: Node) -> str:
        sign = text_of(field(node, "operator"))
        if sign in _BOOLEAN:
            return "boolean"
        sides = [self.of(field(node, side)).removeprefix(ASSUMED) for side in ("left", "right")]
        if sign == "+" and "String" in sides:
            return "String"
        return promoted(*sides)

    def _unary(self, node: Node) -> str:
        inner = self.of(field(node, "operand"))
        return "boolean" if text_of(field(node, "operator")) == "!" else promoted(inner, "int")

    def _ternary(self, node: Node) -> str:
        one, other = (self.of(field(node, side)) for side in ("consequence", "alternative"))
        if one == other or other == NULL:
            return one
        return other if one == NULL else promoted(one, other)

    def _invocation(self, node: Node) -> str:
        owner, name = field(node, "object"), text_of(field(node, "name"))
        if name == "valueOf" and owner is not None:
            return f"{ASSUMED}{text_of(owner)}"
        found = _RESULTS.get(name)
        return f"{ASSUMED}{found}" if found else ""


def _number(written: str, *, is_integer: bool) -> str:
    if is_integer:
        return "long" if written.endswith("l") else "int"
    return "float" if written.endswith("f") else "double"
