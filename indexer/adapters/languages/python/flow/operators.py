"""Operators and the protocol methods that implement them."""

from __future__ import annotations

import ast

_OPERATORS = "Add Sub Mult MatMult Div FloorDiv Mod Pow LShift RShift BitAnd BitOr BitXor"
_METHODS = "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor"
BINARY: dict[type[ast.operator], tuple[str, str]] = {
    getattr(ast, operator): (f"__{method}__", f"__r{method}__")
    for operator, method in zip(_OPERATORS.split(), _METHODS.split(), strict=True)
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
