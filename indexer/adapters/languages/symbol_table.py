"""Symbols of one file that was read with tree-sitter, and where in the tree each of them stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.domain.model import SymbolDef, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_VARIABLE_SIGNATURE = 200


class SymbolTable:
    """
    Symbols in order of start line, the module first.

    Args:
        positions: From the id of a definition's node to its position in `symbols`.
        own: By position, the nodes of a definition's own body, in order; nested definitions come without theirs.
    """

    def __init__(self, module: str, last_line: int, docstring: str) -> None:
        self.symbols = [SymbolDef(SymbolKind.MODULE, module, "", -1, 1, max(1, last_line), "", docstring)]
        self.positions: dict[int, int] = {}
        self.own: dict[int, list[Node]] = {0: []}

    def add(self, node: Node, symbol: SymbolDef, own: list[Node]) -> int:
        """Add a symbol and give its position."""
        self.symbols.append(symbol)
        self.positions[node.id] = len(self.symbols) - 1
        self.own[len(self.symbols) - 1] = own
        return len(self.symbols) - 1

    def position(self, node: Node) -> int:
        """Give the position of a definition's symbol; that of the module where it has none."""
        return self.positions.get(node.id, 0)

    def is_type(self, position: int) -> bool:
        """Tell whether a symbol is a class or the like."""
        return self.symbols[position].kind == SymbolKind.CLASS


def module_alone(module: str, text: str) -> SymbolDef:
    """Give the symbol of a file of which nothing but its text is known."""
    lines = max(1, text.count("\n") + (not text.endswith("\n")))
    return SymbolDef(SymbolKind.MODULE, module, "", -1, 1, lines, "", "")
