"""Definitions of one file, in order of start line, with their nodes in the tree."""

from __future__ import annotations

import ast
from functools import cache
from inspect import cleandoc
from typing import TYPE_CHECKING, TypeAlias, cast

from indexer.adapters.languages.symbol_table import MAX_VARIABLE_SIGNATURE, SymbolTable, line_count, module_symbol
from indexer.domain.model import SymbolDef, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DefinitionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Owner: TypeAlias = ast.Module | DefinitionNode
_BRANCHES = frozenset(
    {
        ast.If,
        ast.For,
        ast.AsyncFor,
        ast.While,
        ast.IfExp,
        ast.ExceptHandler,
        ast.Assert,
        ast.comprehension,
        ast.match_case,
    }
)
# Fields with names, operators or plain values instead of nodes to visit.
_WORDS_OF_LEAVES = """
ctx op ops id attr arg name names rest cls_name level module kind is_async type_comment type_ignores conversion simple
kwd_attrs type_params tag lineno
"""
_LEAVES = frozenset(_WORDS_OF_LEAVES.split())
_LEAF_FIELDS = {"Constant": ("value", "kind"), "MatchSingleton": ("value",)}
_WORDS_OF_TELLING = """
AnnAssign Assert Assign AsyncFor AugAssign Call Delete ExceptHandler For Global If NamedExpr Nonlocal Raise arg withitem
"""
_TELLING = frozenset(getattr(ast, name) for name in _WORDS_OF_TELLING.split())
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


class PythonSymbols(SymbolTable[Owner, ast.AST]):
    """
    Symbols of one file; modules, classes and functions have nodes of their own (see `own_nodes`).

    Args:
        tree: The syntax tree of `text`.
        lines: The text, split at line feeds.
    """

    def __init__(self, tree: ast.Module, text: str, module: str) -> None:
        own = own_nodes(tree)
        super().__init__(module_symbol(module, line_count(text), docstring_of(tree), complexity=_complexity(own)))
        self.lines = text.split("\n")
        self.positions[tree] = 0
        self.own[0] = own
        self._block(tree.body, 0, prefix="", public=True)

    def release(self) -> None:
        """Release the tree: reference cycles keep the walkers, and so this table, alive for a while."""
        self.positions.clear()
        self.own.clear()

    def _block(self, body: Sequence[ast.AST], parent: int, *, prefix: str, public: bool) -> None:
        """Walk statements, through compound ones, into definitions."""
        variables: set[str] = set()
        pending = [(statement, following) for statement, following in _with_next(body)]
        pending.reverse()
        while pending:
            statement, following = pending.pop()
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._definition(statement, parent, prefix=prefix, public=public)
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                if self.symbols[parent].kind in (SymbolKind.MODULE, SymbolKind.CLASS):
                    self._variables(statement, following, parent, prefix=prefix, public=public, seen=variables)
            else:
                inner = [pair for block in _BLOCKS for pair in _with_next(getattr(statement, block, ()))]
                pending.extend(reversed(inner))

    def _definition(self, node: DefinitionNode, parent: int, *, prefix: str, public: bool) -> None:
        above = self.symbols[parent].kind
        if isinstance(node, ast.ClassDef):
            kind = SymbolKind.CLASS
        else:
            kind = SymbolKind.METHOD if above == SymbolKind.CLASS else SymbolKind.FUNCTION
        local = above in (SymbolKind.FUNCTION, SymbolKind.METHOD)
        visible = public and not local and _is_public(node.name)
        decorators = node.decorator_list
        own = own_nodes(node)
        symbol = SymbolDef(
            kind,
            node.name,
            prefix + node.name,
            parent,
            decorators[0].lineno if decorators else node.lineno,
            node.end_lineno or node.lineno,
            self._signature(node),
            docstring_of(node),
            tuple(self.source(decorator) for decorator in decorators),
            visible,
            _complexity(own),
        )
        position = self.add(node, symbol, own)
        self._block(node.body, position, prefix=f"{prefix}{node.name}.", public=visible)

    def _variables(
        self,
        node: ast.Assign | ast.AnnAssign,
        following: ast.AST | None,
        parent: int,
        *,
        prefix: str,
        public: bool,
        seen: set[str],
    ) -> None:
        """Add one symbol for each name that is bound here for the first time in its block."""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        signature = self.source(node)[:MAX_VARIABLE_SIGNATURE]
        for name in bound_names(targets):
            if name not in seen:
                seen.add(name)
                end = node.end_lineno or node.lineno
                shown = public and _is_public(name)
                docstring = cleandoc(text) if (text := _string_of(following)) is not None else ""
                self.symbols.append(
                    SymbolDef(
                        SymbolKind.VARIABLE,
                        name,
                        prefix + name,
                        parent,
                        node.lineno,
                        end,
                        signature,
                        docstring,
                        (),
                        shown,
                    )
                )

    def source(self, node: ast.expr | ast.stmt) -> str:
        """Give a node's text on one line."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = list(self.lines[first : last + 1])
        lines[-1] = _cut(lines[-1], 0, node.end_col_offset)
        lines[0] = _cut(lines[0], node.col_offset)
        return " ".join(" ".join(lines).split())

    def _signature(self, node: DefinitionNode) -> str:
        """Cut the declaration out of the text; where a comment stands inside it, print it from the tree."""
        body = node.body[0]
        first = body.decorator_list[0] if isinstance(body, DefinitionNode) and body.decorator_list else body
        lines = list(self.lines[node.lineno - 1 : first.lineno])
        if first.lineno == node.lineno:
            lines[-1] = _cut(lines[-1], 0, first.col_offset)
        else:
            lines[-1] = ""
        text = " ".join(" ".join(lines).split())
        if "#" in text or "\\" in text:
            return _printed_signature(node)
        return text[: text.rfind(":")].rstrip()


class Body:
    """
    The nodes of one body that matter for behaviour facts, about one in five; kept, as they are read several times.

    Args:
        owner: The module, class or function.
        own: All its own nodes, in order of the source.
        stored: Names that it binds.
        shared: Names that it declares `global` or `nonlocal`.
    """

    def __init__(self, owner: ast.AST, own: Iterable[ast.AST]) -> None:
        self.owner = owner
        # Exact classes are compared, as `isinstance` takes ten times as long with classes of `ast`.
        self.nodes: list[ast.AST] = []
        self.stored: set[str] = set()
        for node in own:
            kind = node.__class__
            if kind is ast.Name:
                name = cast("ast.Name", node)
                if name.ctx.__class__ is ast.Store:
                    self.stored.add(name.id)
            elif kind in _TELLING:
                self.nodes.append(node)
        declaring = (node for node in self.nodes if isinstance(node, ast.Global | ast.Nonlocal))
        self.shared = {name for node in declaring for name in node.names}


def docstring_of(node: Owner) -> str:
    """Return the dedented docstring of a module, class or function, or ""."""
    text = _string_of(node.body[0]) if node.body else None
    return cleandoc(text) if text is not None else ""


def bound_names(targets: Iterable[ast.expr]) -> list[str]:
    """List the plain names that an assignment binds, through tuples and stars."""
    names: list[str] = []
    pending = list(targets)[::-1]
    while pending:
        target = pending.pop()
        if isinstance(target, ast.Name):
            names.append(target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            pending.extend(reversed(target.elts))
        elif isinstance(target, ast.Starred):
            pending.append(target.value)
    return names


def _with_next(body: Sequence[ast.AST]) -> list[tuple[ast.AST, ast.AST | None]]:
    return list(zip(body, [*body[1:], None], strict=True)) if body else []


def _string_of(node: ast.AST | None) -> str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return node.value.value
    return None


def _is_public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _cut(line: str, start: int, end: int | None = None) -> str:
    """Cut a line by offsets in UTF-8, as trees have them."""
    return line[start:end] if line.isascii() else line.encode()[start:end].decode()


def _printed_signature(node: DefinitionNode) -> str:
    if isinstance(node, ast.ClassDef):
        parts = [ast.unparse(item) for item in [*node.bases, *node.keywords]]
        return f"class {node.name}({', '.join(parts)})" if parts else f"class {node.name}"
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{word} {node.name}({ast.unparse(node.args)}){returns}"


def own_nodes(owner: ast.AST) -> list[ast.AST]:
    """
    List the nodes of a definition's own body in order of the source.

    Of nested definitions only the node itself is listed; lambdas are part of the body that holds them.
    """
    found: list[ast.AST] = []
    pending: list[ast.AST | None] = list(reversed(getattr(owner, "body", ())))
    while pending:
        node = pending.pop()
        if node is None:  # the key of `**mapping` in a dictionary, a keyword-only parameter without default
            continue
        found.append(node)
        for field in _last_fields_first(node.__class__.__name__):
            value = getattr(node, field)
            if value.__class__ is list:
                pending += value[::-1]
            elif value is not None:
                pending.append(value)
    return found


@cache
def _last_fields_first(kind: str) -> tuple[str, ...]:
    """Return the fields of a type of node whose nodes belong to the same body, in reverse order."""
    if kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
        return ()
    leaves = _LEAF_FIELDS.get(kind, _LEAVES)
    return tuple(field for field in reversed(getattr(ast, kind)._fields) if field not in leaves)


def _complexity(nodes: Sequence[ast.AST]) -> int:
    """Count the decisions of the own body, plus one (McCabe, 1976)."""
    count = 1
    for node in nodes:
        kind = node.__class__
        if kind in _BRANCHES:
            count += 1
        elif kind is ast.BoolOp:
            count += len(cast("ast.BoolOp", node).values) - 1
    return count
