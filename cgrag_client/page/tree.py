"""Draws trees as SVG: the call flows in the text of answers, and the users of a symbol."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_STEP = re.compile(r"(?P<indent> *)(?P<arrow>→ )?(?P<name>\S.*?)(?: \((?P<place>[^()]*)\)(?P<more>.*))?")
_LETTER, _ROW, _INDENT, _MARGIN = 7.9, 30, 30, 12
_BOX = 22


@dataclass(frozen=True, slots=True)
class Step:
    """A node of a tree, `depth` levels below its root; `place` is where it is defined, "" if that is not indexed."""

    depth: int
    name: str
    place: str = ""


def parse_flow(text: str) -> tuple[Step, ...]:
    """Return the steps of a call flow, which is indented by two blanks a level; () if the text is no call flow."""
    steps: list[Step] = []
    for line in text.rstrip("\n").split("\n"):
        match = _STEP.fullmatch(line)
        if match is None or bool(match["arrow"]) != bool(match["indent"]) or len(match["indent"]) % 2:
            return ()
        steps.append(Step(len(match["indent"]) // 2, f"{match['name']}{match['more'] or ''}", match["place"] or ""))
    roots = sum(step.depth == 0 for step in steps)
    return tuple(steps) if len(steps) > roots > 0 else ()


def draw(steps: Sequence[Step], label: str) -> str:
    """
    Return a tree as SVG, one node a line, with a line from each node to its parent.

    Args:
        label: Description of the picture for screen readers.
    """
    width = max(_x(step) + len(_text(step)) * _LETTER for step in steps) + 3 * _MARGIN
    height = len(steps) * _ROW + 2 * _MARGIN
    drawn: list[str] = []
    last: dict[int, int] = {}
    for row, step in enumerate(steps):
        parent = last.get(step.depth - 1)
        if parent is not None:
            drawn.append(_joint(steps[parent], parent, step, row))
        last = {**{depth: at for depth, at in last.items() if depth < step.depth}, step.depth: row}
    drawn += [_node(step, row) for row, step in enumerate(steps)]
    return (
        f'<svg class="diagram" role="img" aria-label="{escape(label)}" width="{width:.0f}"'
        f' viewBox="0 0 {width:.0f} {height:.0f}">{"".join(drawn)}</svg>'
    )


def _x(step: Step) -> float:
    return _MARGIN + step.depth * _INDENT


def _y(row: int) -> float:
    return _MARGIN + row * _ROW


def _text(step: Step) -> str:
    return f"{step.name}  {step.place}" if step.place else step.name


def _joint(parent: Step, parent_row: int, step: Step, row: int) -> str:
    x = _x(parent) + _INDENT / 2
    top, middle = _y(parent_row) + _BOX, _y(row) + _BOX / 2
    return f'<path class="edge" d="M{x:.0f} {top:.0f}V{middle:.0f}H{_x(step):.0f}"/>'


def _node(step: Step, row: int) -> str:
    x, y = _x(step), _y(row)
    name_width = len(step.name) * _LETTER + 16
    place = f'<tspan class="place" dx="14">{escape(step.place)}</tspan>' if step.place else ""
    return (
        f'<rect class="node" x="{x:.0f}" y="{y:.0f}" width="{name_width:.0f}" height="{_BOX}" rx="5"/>'
        f'<text x="{x + 8:.0f}" y="{y + 15:.0f}">{escape(step.name)}{place}</text>'
    )
