"""A tree of calls, and its picture as indented text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retriever.domain.values import Symbol

CYCLE = "↻"
EXTERNAL = "⇢"


@dataclass(frozen=True, slots=True)
class FlowNode:
    """
    One call in a flow.

    Args:
        symbol: The callee; None for one outside the repository, which `name` names.
        line: Line of the call in the caller's file; 0 for the entry.
        repeats: The symbol stands higher up on this branch (a cycle) or was expanded before; no children then.
        more: Callees that were left out.
    """

    name: str
    symbol: Symbol | None = None
    line: int = 0
    children: tuple[FlowNode, ...] = ()
    repeats: bool = False
    cycle: bool = False
    more: int = 0

    def walk(self) -> Iterator[FlowNode]:
        """Yield this node and all below it, in the order of the picture."""
        yield self
        for child in self.children:
            yield from child.walk()


def render(root: FlowNode) -> str:
    """
    Draw a flow: one call a line, indented by depth, with the place of each definition.

    Calls that lead back up are marked ↻, those that leave the repository ⇢.
    """
    return "\n".join(_lines(root, 0)) + "\n"


def _lines(node: FlowNode, depth: int) -> Iterator[str]:
    yield "  " * depth + ("→ " if depth else "") + _label(node)
    for child in node.children:
        yield from _lines(child, depth + 1)
    if node.more:
        yield "  " * (depth + 1) + f"... {node.more} more calls"


def _label(node: FlowNode) -> str:
    if node.symbol is None:
        return f"{EXTERNAL} {node.name} (external)"
    place = f"{node.symbol.path}:{node.symbol.start_line}"
    if node.cycle:
        return f"{CYCLE} {node.name} (cycle, {place})"
    return f"{node.name} ({place})" + (" (see above)" if node.repeats else "")
