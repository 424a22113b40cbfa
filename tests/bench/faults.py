"""Small faults in Python code: each changes one operator, constant, comparison, return or statement."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
_LOGS = frozenset({"log", "_log", "_LOG", "logger"})


@dataclass(frozen=True, slots=True)
class Fault:
    """
    A change of a part of a file.

    Args:
        kind: What was changed.
        start, end: Places of the part in the file's bytes.
        after: What stands there then.
    """

    kind: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def applied(self, source: bytes) -> bytes:
        """Return the file with the fault."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def faults_of(source: bytes) -> list[Fault]:
    """Return the faults that can be put into a file, in order of place."""
    offsets = [0]
    for line in source.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    found = []
    for node, kind, after in _changes(ast.parse(source)):
        start = offsets[node.lineno - 1] + node.col_offset
        end = offsets[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        before = source[start:end].decode()
        found.append(Fault(kind, node.lineno, start, end, before, after))
    return sorted(found, key=lambda each: (each.start, each.kind, each.after))


def _changes(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str, str]]:
    """Yield nodes with what they would become; neither in annotations and types nor within f-strings."""
    for child in _children(tree):
        if isinstance(child, ast.stmt):
            yield from ((child, kind, after) for kind, after in _of_statement(child))
        elif isinstance(child, ast.expr):
            yield from ((child, kind, f"({after})") for kind, after in _of_expression(child))
        yield from _changes(child)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.JoinedStr | ast.arg):
        return
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child


def _of_statement(node: ast.stmt) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield "return", "return None"
    if isinstance(node, ast.Raise | ast.Break | ast.Continue | ast.AugAssign) or _is_effect(node):
        yield "dropped statement", "pass"


def _is_effect(node: ast.stmt) -> bool:
    """Tell whether a statement is done for its effect: a call that is no log line, or a change of an object."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    value = node.value if isinstance(node, ast.Expr) else None
    value = value.value if isinstance(value, ast.Await) else value
    if not isinstance(value, ast.Call):
        return False
    first = ast.unparse(value.func).partition(".")[0]
    return first not in _LOGS


def _of_expression(node: ast.expr) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            changed = copy.deepcopy(node)
            changed.ops[at] = _COMPARISONS[type(operator)]()
            yield "comparison", ast.unparse(changed)
    elif isinstance(node, ast.BoolOp):
        changed_bool = copy.deepcopy(node)
        changed_bool.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        yield "operator", ast.unparse(changed_bool)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "operator", ast.unparse(node.operand)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        changed_operator = copy.deepcopy(node)
        changed_operator.op = _OPERATORS[type(node.op)]()
        yield "operator", ast.unparse(changed_operator)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        value = not node.value if isinstance(node.value, bool) else node.value + 1
        yield "constant", repr(value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
        changed_call = copy.deepcopy(node)
        changed_call.func = ast.Name(_CALLS[node.func.id])
        yield "operator", ast.unparse(changed_call)
