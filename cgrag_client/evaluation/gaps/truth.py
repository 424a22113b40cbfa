"""The names that a repository defines, read from its syntax trees: gaps are scored against them, not the index."""

from __future__ import annotations

import ast
import builtins
import re
import sys
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

VENDORED = frozenset({"node_modules", "vendor", "_vendor", "_vendored", "extern", "third_party"})
"""Folders with code of other projects, possibly a copy of one that evaluation results are published for."""
LEFT_OUT = VENDORED | {".git", ".venv", "venv", "__pycache__", "build", "dist"}
_OF_TESTS = ("_tests", "-tests", ".tests")
_DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")
Function = ast.FunctionDef | ast.AsyncFunctionDef
_MAX_BYTES = 900_000
_MAX_OTHER_BYTES = 16_000_000


@dataclass(frozen=True, slots=True)
class Definition:
    """
    A function, method or class.

    Args:
        qualified_name: Dotted within the file.
        module: Importable name of the file.
        docstring: First sentence or line; "" without one.
        doc_lines: First and last line of the documentation string; (0, 0) without one.
        is_plain: A class that inherits from nothing.
    """

    path: str
    qualified_name: str
    module: str
    docstring: str = ""
    doc_lines: tuple[int, int] = (0, 0)
    is_class: bool = False
    is_plain: bool = False

    @property
    def name(self) -> str:
        """The last part."""
        return self.qualified_name.rpartition(".")[2]

    @property
    def is_test(self) -> bool:
        """It stands in a file of tests."""
        *folders, name = self.path.lower().split("/")
        in_tests = any(each in {"tests", "test", "testing"} or each.endswith(_OF_TESTS) for each in folders)
        return in_tests or folders[:1] == ["t"] or name.startswith(("test_", "conftest"))


@dataclass(frozen=True, slots=True)
class Truth:
    """
    Everything that the syntax trees of a repository say about names.

    Args:
        definitions: In order of path and line.
        words: Every identifier-like word of each Python file.
        external: Dotted names that the code takes from packages outside the repository.
        unread: Simple names that seem to be defined in files that this version of Python cannot parse.
        other_words: Every identifier-like word of the files that are not Python.
    """

    definitions: tuple[Definition, ...]
    words: Mapping[str, frozenset[str]]
    external: tuple[str, ...]
    unread: frozenset[str] = frozenset()
    other_words: frozenset[str] = frozenset()

    @property
    def all_words(self) -> frozenset[str]:
        """Every identifier-like word in any file."""
        return self.other_words.union(*self.words.values())

    def times(self) -> Counter[str]:
        """
        Count how many definitions end with each dotted name, each file's overloads as one.

        A name whose last part is in `unread` is counted once more: the file that does not parse may define it, too.
        """
        found: Counter[str] = Counter()
        for _, *each in dict.fromkeys((d.path, d.module, d.qualified_name) for d in self.definitions):
            parts = ".".join(each).split(".")
            found.update(".".join(parts[start:]) for start in range(len(parts)))
        found.update([name for name in found if name.rpartition(".")[2] in self.unread])
        return found


def read_truth(folder: Path) -> Truth:
    """Read every Python file below a folder; of files that do not parse, only the words and apparent definitions."""
    definitions: list[Definition] = []
    words: dict[str, frozenset[str]] = {}
    imported: dict[str, None] = {}
    modules: set[str] = set()
    unread: set[str] = set()
    for path in python_files(folder):
        text = path.read_text(encoding="utf-8-sig", errors="replace")
        relative = path.relative_to(folder).as_posix()
        words[relative] = frozenset(_WORD.findall(text))
        tree = parsed(text)
        if tree is None:
            unread.update(_DEFINED.findall(text))
            continue
        module = _module_name(path, folder)
        modules.add(module.partition(".")[0])
        definitions.extend(_definition(node, relative, name, module) for name, node in definitions_in(tree))
        imported.update(dict.fromkeys(_imports(tree)))
    own = modules | set(_folders(folder))
    outside = tuple(name for name in imported if name.partition(".")[0] not in own)
    return Truth(tuple(definitions), words, outside, frozenset(unread), _other_words(folder))


def _other_words(folder: Path) -> frozenset[str]:
    """Return the words of all files that are not Python; a name that occurs in one is not used as an absent one."""
    found: set[str] = set()
    for path in folder.rglob("*"):
        is_own = not LEFT_OUT.intersection(path.relative_to(folder).parts)
        if is_own and path.suffix != ".py" and path.is_file() and path.stat().st_size <= _MAX_OTHER_BYTES:
            data = path.read_bytes()
            if b"\0" not in data[:8192]:
                found.update(_WORD.findall(data.decode("utf-8", "replace")))
    return frozenset(found)


def is_known_outside(name: str) -> bool:
    """Return whether a name belongs to Python's builtins or standard library."""
    return name in sys.stdlib_module_names or hasattr(builtins, name)


def python_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(folder).parts
        if not LEFT_OUT.intersection(inside) and path.is_file() and path.stat().st_size <= _MAX_BYTES:
            yield path


def parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _module_name(path: Path, root: Path) -> str:
    """Return the dotted module name, from the outermost package; outside of packages, the name of the file alone."""
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while folder != root and (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts) or path.parent.name


def definitions_in(tree: ast.Module) -> Iterator[tuple[str, ast.ClassDef | Function]]:
    """Yield the classes and functions of a file by their names, dotted within the file."""
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, prefix = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield prefix + child.name, child
                pending.append((child, f"{prefix}{child.name}."))
            else:
                pending.append((child, prefix))


def _definition(node: ast.ClassDef | Function, path: str, qualified: str, module: str) -> Definition:
    is_class = isinstance(node, ast.ClassDef)
    plain = isinstance(node, ast.ClassDef) and not node.bases and not node.keywords
    return Definition(path, qualified, module, *_documentation(node), is_class, plain)


def _documentation(node: ast.ClassDef | Function) -> tuple[str, tuple[int, int]]:
    text = ast.get_docstring(node)
    if not text:
        return "", (0, 0)
    first = node.body[0]
    return " ".join(text.split("\n\n")[0].split()), (first.lineno, first.end_lineno or first.lineno)


def _imports(tree: ast.Module) -> Iterator[str]:
    """Yield names taken from absolute imports, and attributes read from modules that are imported as a whole."""
    whole: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name != "*")
        elif isinstance(node, ast.Import):
            whole.update(alias.name for alias in node.names if alias.asname is None and "." not in alias.name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in whole:
            yield f"{node.value.id}.{node.attr}"


def _folders(folder: Path) -> Iterator[str]:
    for path in python_files(folder):
        yield from path.relative_to(folder).parts[:-1]
        yield path.stem
