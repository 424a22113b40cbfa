"""A tree of calls, and its picture as indented text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retriever.domain.values import Symbol

CYCLE = "↻"
EXTERNAL = "⇢"


class Again(Enum):
    """Reference to the place in a flow where the calls of a repeated symbol are shown."""

    CYCLE = "cycle"
    BEFORE = "see above"
    LATER = "see below"


@dataclass(frozen=True, slots=True)
class FlowNode:
    """
    One call in a flow.

    Args:
        symbol: The callee; None for one outside the repository, which has only a name.
        line: Line of the call in the caller's file; 0 for the entry.
        again: Set if the symbol's calls are shown elsewhere; CYCLE if higher up on this branch. No children then.
        more: Number of callees in the repository that are not among the children.
    """

    name: str
    symbol: Symbol | None = None
    line: int = 0
    children: tuple[FlowNode, ...] = ()
    again: Again | None = None
    more: int = 0

    def walk(self) -> Iterator[FlowNode]:
        """Yield this node and all below it, in the order of the picture."""
        yield self
        for child in self.children:
            yield from child.walk()


def render(root: FlowNode) -> str:
    """
    Draw a flow: one call a line, indented by depth, with the place of each definition.

    Calls that lead back up are marked ↻, those that leave the repository ⇢. The number of calls that are not shown
    follows the caller.
    """
    return "\n".join(_lines(root, 0)) + "\n"


def _lines(node: FlowNode, depth: int) -> Iterator[str]:
    yield "  " * depth + ("→ " if depth else "") + _label(node)
    for child in node.children:
        yield from _lines(child, depth + 1)


def _label(node: FlowNode) -> str:
    if node.symbol is None:
        return f"{EXTERNAL} {node.name} (external)"
    place = f"{node.symbol.path}:{node.symbol.start_line}"
    if node.again == Again.CYCLE:
        return f"{CYCLE} {node.name} (cycle, {place})"
    more = f" +{node.more} call{'' if node.more == 1 else 's'}" if node.more else ""
    return f"{node.name} ({place})" + (f" ({node.again.value})" if node.again else more)
