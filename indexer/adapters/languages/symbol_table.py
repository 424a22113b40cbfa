"""Symbols of one file, with their nodes in the syntax tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from indexer.domain.failures import Failures
from indexer.domain.linking.solver.packed import pack
from indexer.domain.model import ParsedFile, SymbolDef, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from indexer.domain.model import Fact

    TreeTable: TypeAlias = "SymbolTable[int, Node]"
    """Symbol table of a file that was read with tree-sitter; its keys are the ids of nodes."""

MAX_VARIABLE_SIGNATURE = 200
K = TypeVar("K")
N = TypeVar("N")


class SymbolTable(Generic[K, N]):
    """
    Symbols of one file, the module first; some languages have a subclass with more data.

    Args:
        module: The file itself.
        positions: From a definition's node, or its id, to its position in `symbols`.
        own: By position, the nodes of a definition's own body, in order of the text; variables may have none.
    """

    def __init__(self, module: SymbolDef) -> None:
        self.symbols = [module]
        self.positions: dict[K, int] = {}
        self.own: dict[int, list[N]] = {0: []}

    def add(self, key: K, symbol: SymbolDef, own: list[N]) -> int:
        """Add a symbol and give its position."""
        position = len(self.symbols)
        self.symbols.append(symbol)
        self.positions[key] = position
        self.own[position] = own
        return position

    def position(self, key: K) -> int:
        """Return the position of a definition's symbol; that of the module where it has none."""
        return self.positions.get(key, 0)


T = TypeVar("T", bound=SymbolTable[Any, Any])


def read_in_steps(
    language: str,
    alone: SymbolDef,
    symbols: Callable[[], T],
    facts: Callable[[T], tuple[Fact, ...]],
    program: Callable[[T], object],
) -> ParsedFile:
    """
    Read symbols, facts and program of a file; if one step fails, keep the results of earlier ones and the reason.

    Args:
        alone: The only symbol of a file whose symbols cannot be read.
    """
    table: T | None = None
    found: tuple[Fact, ...] = ()
    packed = b""
    failures = Failures()
    with failures.contained():
        table = symbols()
        found = facts(table)
        packed = pack(program(table))
    return ParsedFile(language, tuple(table.symbols) if table else (alone,), found, packed, failures.reason)


def module_symbol(module: str, last_line: int, docstring: str = "", *, complexity: int = 1) -> SymbolDef:
    """Return the symbol of a whole file; its last line is at least 1, even if the file is empty."""
    return SymbolDef(SymbolKind.MODULE, module, "", -1, 1, max(1, last_line), "", docstring, complexity=complexity)


def module_alone(module: str, text: str) -> SymbolDef:
    """Return the symbol of a file of which nothing but its text is known."""
    return module_symbol(module, line_count(text))


def line_count(text: str) -> int:
    """Count the lines of a text; a line feed at its end does not start another line."""
    return text.count("\n") + (not text.endswith("\n"))
