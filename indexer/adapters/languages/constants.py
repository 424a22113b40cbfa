"""Names that are bound to constant texts in one file, by the scope of each binding."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

FILE = 0


class Constants:
    """
    Texts of names, by the function, class or file whose scope binds the name.

    A dotted name is a member (`TEXTS.missing`); an inner binding of its first part (`TEXTS`) hides it, too.

    Args:
        scopes: The functions and classes of the file, in any order.
    """

    def __init__(self, scopes: Iterable[Node]) -> None:
        self._starts = [-1]
        self._ends: list[int] = []
        self._around = [FILE]
        self._bound: list[dict[str, list[str]]] = [{}]
        for scope in sorted(scopes, key=lambda node: (node.start_byte, -node.end_byte)):
            self._around.append(self._at(scope.start_byte))
            self._starts.append(scope.start_byte)
            self._ends.append(scope.end_byte)
            self._bound.append({})

    def bind(self, name: str, node: Node, texts: Iterable[str] = ()) -> None:
        """Record that the scope of a node binds a name, with its texts; this hides outer bindings of the name."""
        self._bound[self._at(node.start_byte)].setdefault(name, []).extend(texts)

    def bind_in_file(self, name: str, texts: Iterable[str]) -> None:
        """Bind a name in the file scope; an inner binding hides it."""
        self._bound[FILE].setdefault(name, []).extend(texts)

    def assign(self, name: str, node: Node, texts: Iterable[str]) -> None:
        """Add texts to the innermost enclosing binding of a name, else bind it in the scope of the node."""
        holder = self._holder(name.partition(".")[0], node) or self._at(node.start_byte)
        self._bound[holder].setdefault(name, []).extend(texts)

    def texts(self, name: str, node: Node) -> Sequence[str]:
        """Return the texts of a name as seen from a node, by its innermost binding; () if that has no texts."""
        root = name.partition(".")[0]
        for scope in self._outward(node):
            bound = self._bound[scope]
            if name in bound or root in bound:
                return bound.get(name, ())
        return ()

    def _holder(self, name: str, node: Node) -> int:
        return next((scope for scope in self._outward(node) if name in self._bound[scope]), FILE)

    def _outward(self, node: Node) -> Iterator[int]:
        scope = self._at(node.start_byte)
        while scope != FILE:
            yield scope
            scope = self._around[scope]
        yield FILE

    def _at(self, byte: int) -> int:
        """Find the innermost scope: the one that began last, or one around it."""
        scope = bisect_right(self._starts, byte) - 1
        while scope != FILE and self._ends[scope - 1] <= byte:
            scope = self._around[scope]
        return scope
