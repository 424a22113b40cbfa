"""Operators and the protocol methods that implement them."""

from __future__ import annotations

import ast

BINARY: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("__add__", "__radd__"),
    ast.Sub: ("__sub__", "__rsub__"),
    ast.Mult: ("__mul__", "__rmul__"),
    ast.MatMult: ("__matmul__", "__rmatmul__"),
    ast.Div: ("__truediv__", "__rtruediv__"),
    ast.FloorDiv: ("__floordiv__", "__rfloordiv__"),
    ast.Mod: ("__mod__", "__rmod__"),
    ast.Pow: ("__pow__", "__rpow__"),
    ast.LShift: ("__lshift__", "__rlshift__"),
    ast.RShift: ("__rshift__", "__rrshift__"),
    ast.BitAnd: ("__and__", "__rand__"),
    ast.BitOr: ("__or__", "__ror__"),
    ast.BitXor: ("__xor__", "__rxor__"),
}
UNARY: dict[type[ast.unaryop], str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}
COMPARE: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Eq: ("__eq__",),
    ast.NotEq: ("__ne__", "__eq__"),
    ast.Lt: ("__lt__",),
    ast.LtE: ("__le__",),
    ast.Gt: ("__gt__",),
    ast.GtE: ("__ge__",),
}


def prefix_of(node: ast.BinOp, left: ast.expr) -> str:
    """Return the identifier that a computed name starts with (`"visit_" + kind`, `"visit_%s" % kind`), or ""."""
    if not isinstance(left, ast.Constant) or not isinstance(left.value, str):
        return ""
    if isinstance(node.op, ast.Add):
        text = left.value
    elif isinstance(node.op, ast.Mod):
        text = left.value.partition("%")[0]
    else:
        return ""
    return text if text.isidentifier() else ""
