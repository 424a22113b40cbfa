"""What Python code does, read from its syntax trees: verdicts on claims are scored against it."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cgrag_client.evaluation.gaps.truth import Function, definitions_in, parsed, python_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_WORD = re.compile(r"[^\W\d]\w*")
_TESTS = frozenset({"test", "tests", "testing"})
_OBJECT = frozenset({"object", "Exception", "BaseException", "ABC"})


@dataclass(frozen=True, slots=True)
class Body:
    """
    What a function does, including the functions inside of it.

    Args:
        name: Dotted within the file.
        calls: The called functions as written, with their dots.
        raises: Last parts of the names of exceptions in `raise` statements.
        changes: Attributes of `self` that it assigns.
        words: Every identifier of its lines.
    """

    path: str
    name: str
    calls: tuple[str, ...]
    raises: tuple[str, ...]
    changes: tuple[str, ...]
    words: frozenset[str]

    @property
    def called(self) -> frozenset[str]:
        """Last parts of the names of the functions that it calls."""
        return frozenset(each.rpartition(".")[2] for each in self.calls)

    @property
    def owner(self) -> str:
        """The class around; "" for none."""
        return self.name.rpartition(".")[0].rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Type:
    """
    A class.

    Args:
        bases: Last parts of its bases.
        members: Functions, assignments of its body and attributes that its methods assign to `self`.
        is_open: It may have members that no syntax tree shows: it has a metaclass or a decorator, or sets or computes
            attributes by name (`setattr`, `__getattr__`).
    """

    path: str
    name: str
    bases: tuple[str, ...]
    members: frozenset[str]
    is_open: bool


@dataclass(frozen=True, slots=True)
class CodeTruth:
    """
    What the syntax trees of a repository, without its tests, say.

    Args:
        defined: How many definitions have a simple or dotted name, in all files including tests.
        words: Every identifier of any file.
        lines: The lines of each file.
    """

    bodies: tuple[Body, ...]
    types: tuple[Type, ...]
    defined: Mapping[str, int]
    words: frozenset[str]
    lines: Mapping[str, tuple[str, ...]]

    def family(self, owner: Type) -> tuple[Type, ...] | None:
        """Return a class with all its bases; None if one of them is open, ambiguous or not in this repository."""
        found, pending = dict[str, Type](), [owner.name]
        by_name: dict[str, list[Type]] = defaultdict(list)
        for each in self.types:
            by_name[each.name].append(each)
        while pending:
            name = pending.pop()
            if name in found or name in _OBJECT:
                continue
            known = by_name[name]
            if len(known) != 1 or known[0].is_open or name in known[0].bases:
                return None
            found[name] = by_name[name][0]
            pending += found[name].bases
        return tuple(found.values())


def read_code(folder: Path) -> CodeTruth:
    """Read every Python file below a folder; bodies, classes and lines are those of files that are no tests."""
    bodies, types = list[Body](), list[Type]()
    defined: Counter[str] = Counter()
    words: set[str] = set()
    lines: dict[str, tuple[str, ...]] = {}
    for path in python_files(folder):
        text = path.read_text(encoding="utf-8-sig", errors="replace")
        words.update(_WORD.findall(text))
        relative = path.relative_to(folder).as_posix()
        tree = parsed(text)
        if tree is None:
            continue
        found = list(definitions_in(tree))
        for name, _ in found:
            parts = name.split(".")
            defined.update(".".join(parts[start:]) for start in range(len(parts)))
        if is_test(relative):
            continue
        lines[relative] = tuple(text.split("\n"))
        for name, node in found:
            if isinstance(node, ast.ClassDef):
                types.append(_type(relative, name, node))
            else:
                bodies.append(_body(relative, name, node, text))
    return CodeTruth(tuple(bodies), tuple(types), defined, frozenset(words), lines)


def is_test(path: str) -> bool:
    """Return whether a path is that of a test, an example or a page of documentation."""
    *folders, name = path.lower().split("/")
    aside = {*_TESTS, "docs", "doc", "examples", "example", "benchmarks", "extras"}
    return not aside.isdisjoint(folders) or name.startswith(("test_", "conftest", "setup"))


def _body(path: str, name: str, node: Function, text: str) -> Body:
    inside = [each for statement in node.body for each in ast.walk(statement)]
    calls = (_dotted(each.func) for each in inside if isinstance(each, ast.Call))
    raises = (_raised(each) for each in inside if isinstance(each, ast.Raise))
    changes = (target for each in inside for target in _changed(each))
    words = frozenset(_WORD.findall(ast.get_source_segment(text, node) or ""))
    decorated = frozenset(word for each in node.decorator_list for word in _WORD.findall(ast.unparse(each)))
    return Body(
        path,
        name,
        tuple(dict.fromkeys(filter(None, calls))),
        tuple(dict.fromkeys(filter(None, raises))),
        tuple(dict.fromkeys(changes)),
        words | decorated,
    )


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr}" if before else node.attr
    return ""


def _raised(node: ast.Raise) -> str:
    """Return the exception class that a `raise` names; "" if it names none, or a variable."""
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    name = _dotted(raised).rpartition(".")[2] if raised is not None else ""
    return name if name[:1].isupper() else ""


def _changed(node: ast.AST) -> Iterator[str]:
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = [inner for each in node.targets for inner in (each.elts if isinstance(each, ast.Tuple) else [each])]
    elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.AnnAssign) and node.value is not None):
        targets = [node.target]
    for target in targets:
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
            yield target.attr


def _type(path: str, name: str, node: ast.ClassDef) -> Type:
    members: set[str] = set()
    is_open = bool(node.keywords) or bool(node.decorator_list)
    for each in node.body:
        if isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            members.add(each.name)
            members.update(target for inner in ast.walk(each) for target in _changed(inner))
            is_open = is_open or each.name in {"__getattr__", "__getattribute__"}
        elif isinstance(each, ast.Assign | ast.AnnAssign):
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            members.update(target.id for target in targets if isinstance(target, ast.Name))
        else:
            members.update(inner.id for inner in ast.walk(each) if isinstance(inner, ast.Name))
    bases = tuple(_dotted(each).rpartition(".")[2] or "?" for each in node.bases)
    source = {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
    names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    is_open = is_open or bool({"__dict__"} & source) or bool({"setattr", "vars"} & names)
    return Type(path, name.rpartition(".")[2], bases, frozenset(members), is_open)


def is_builtin_failure(name: str) -> bool:
    """Return whether this is a builtin exception, which code may raise without a `raise` that names it."""
    known = getattr(builtins, name, None)
    return isinstance(known, type) and issubclass(known, BaseException)
