"""Draws the mermaid flowcharts of module dependencies in answers as SVG: in layers from left to right."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from html import escape
from itertools import pairwise

_EDGE = re.compile(r"\s*(?P<source>\S+?) (?P<arrow>-\.->|-->)\|(?P<count>\d+)\| (?P<target>\S.*?)\s*")
_NODE = re.compile(r'(?P<key>\w+)(?:\["(?P<label>.*)"\])?')
_NUMBERED = re.compile(r"#(\d+);")
_LETTER, _HEIGHT, _GAP_X, _GAP_Y, _PADDING, _MARGIN = 7.9, 30, 90, 18, 12, 12


@dataclass(frozen=True, slots=True)
class Edge:
    """One dependency; `count` is its number of uses, `circular` says whether it is part of a cycle."""

    source: str
    target: str
    count: str
    circular: bool


@dataclass(frozen=True, slots=True)
class _Box:
    x: float
    y: float
    width: float


def parse(text: str) -> tuple[dict[str, str], tuple[Edge, ...]]:
    """Return the labels of nodes by their keys, and the edges, in order; lines that are no edges are ignored."""
    labels: dict[str, str] = {}
    edges: list[Edge] = []
    for line in text.splitlines():
        match = _EDGE.fullmatch(_unspaced(line))
        ends = [_node(match[name], labels) for name in ("source", "target")] if match else []
        if match and all(ends):
            edges.append(Edge(ends[0], ends[1], match["count"], match["arrow"] != "-->"))
    return labels, tuple(edges)


def draw(text: str) -> str:
    """Return the flowchart as SVG; "" for a text that has no edges."""
    labels, edges = parse(text)
    if not edges:
        return ""
    boxes = _placed(_layers(tuple(labels), edges), labels)
    width = max(box.x + box.width for box in boxes.values()) + _MARGIN
    height = max(box.y for box in boxes.values()) + _HEIGHT + _MARGIN
    lines = "".join(_line(boxes[each.source], boxes[each.target], each) for each in edges)
    shapes = "".join(_shape(box, labels[key]) for key, box in boxes.items())
    counts = "".join(
        _count(boxes[each.source], boxes[each.target], each, sum(other.source == each.source for other in edges[:at]))
        for at, each in enumerate(edges)
    )
    arrow = (
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 8 4 0 8z" class="head"/></marker></defs>'
    )
    return (
        f'<svg class="diagram" role="img" aria-label="dependencies of modules" width="{width:.0f}"'
        f' viewBox="0 0 {width:.0f} {height:.0f}">{arrow}{lines}{shapes}{counts}</svg>'
    )


def _unspaced(line: str) -> str:
    """Return a line with the blanks in its labels encoded, so that blanks only separate its parts."""
    return re.sub(r'\["(.*?)"\]', lambda match: f'["{match[1].replace(" ", "#32;")}"]', line)


def _node(written: str, labels: dict[str, str]) -> str:
    match = _NODE.fullmatch(written)
    if match is None:
        return ""
    label = _NUMBERED.sub(lambda number: chr(int(number[1])), match["label"] or "")
    labels.setdefault(match["key"], label or match["key"])
    return match["key"]


def _layers(keys: tuple[str, ...], edges: tuple[Edge, ...]) -> list[list[str]]:
    """Return the nodes by layers: each in a later layer than all nodes that use it, except where there are cycles."""
    depth = dict.fromkeys(keys, 0)
    forward = _without_cycles(keys, edges)
    for _ in keys:
        changed = False
        for source, target in forward:
            if depth[target] <= depth[source]:
                depth[target], changed = depth[source] + 1, True
        if not changed:
            break
    layers: dict[int, list[str]] = defaultdict(list)
    for key in keys:
        layers[depth[key]].append(key)
    ordered = [layers[level] for level in sorted(layers)]
    for before, layer in pairwise(ordered):
        layer.sort(key=lambda key: _middle(key, before, forward))
    return ordered


def _without_cycles(keys: tuple[str, ...], edges: tuple[Edge, ...]) -> list[tuple[str, str]]:
    """Return the edges in their order, without those that would close a cycle with the edges before."""
    following: dict[str, set[str]] = {key: set() for key in keys}
    kept: list[tuple[str, str]] = []
    for each in edges:
        if each.source != each.target and not _reaches(each.target, each.source, following):
            following[each.source].add(each.target)
            kept.append((each.source, each.target))
    return kept


def _reaches(start: str, end: str, following: dict[str, set[str]]) -> bool:
    seen, left = set(), [start]
    while left:
        key = left.pop()
        if key == end:
            return True
        if key not in seen:
            seen.add(key)
            left += following[key]
    return False


def _middle(key: str, before: list[str], edges: list[tuple[str, str]]) -> float:
    places = [before.index(source) for source, target in edges if target == key and source in before]
    return sum(places) / len(places) if places else len(before)


def _placed(layers: list[list[str]], labels: dict[str, str]) -> dict[str, _Box]:
    boxes: dict[str, _Box] = {}
    tallest = max(map(len, layers))
    x = float(_MARGIN)
    for level, layer in enumerate(layers):
        width = max(len(labels[key]) for key in layer) * _LETTER + 2 * _PADDING
        # Every other layer is half a row lower, so that lines across it pass between its boxes.
        top = _MARGIN + (tallest - len(layer) + level % 2) * (_HEIGHT + _GAP_Y) / 2
        for place, key in enumerate(layer):
            boxes[key] = _Box(x, top + place * (_HEIGHT + _GAP_Y), width)
        x += width + _GAP_X
    return boxes


def _ends(source: _Box, target: _Box) -> tuple[float, float, float, float]:
    """Return start and end of a line; a line to an earlier layer leaves its box at the left, others at the right."""
    back = target.x <= source.x
    x1 = source.x if back else source.x + source.width
    x2 = target.x + target.width if back else target.x
    return x1, source.y + _HEIGHT / 2, x2, target.y + _HEIGHT / 2


def _line(source: _Box, target: _Box, edge: Edge) -> str:
    x1, y1, x2, y2 = _ends(source, target)
    bend = (x2 - x1) / 2
    kind = "edge circular" if edge.circular else "edge"
    curve = f"M{x1:.0f} {y1:.0f}C{x1 + bend:.0f} {y1:.0f} {x2 - bend:.0f} {y2:.0f} {x2:.0f} {y2:.0f}"
    return f'<path class="{kind}" d="{curve}" marker-end="url(#arrow)"/>'


def _count(source: _Box, target: _Box, edge: Edge, place: int) -> str:
    """Return the label with an edge's count, near the edge's start; `place` shifts labels of edges from one node."""
    x1, y1, x2, y2 = _ends(source, target)
    along = 0.15 + 0.13 * (place % 5)
    x, y = x1 + (x2 - x1) * along, y1 + (y2 - y1) * along**2 * (3 - 2 * along)
    return f'<text class="count" x="{x:.0f}" y="{y - 3:.0f}">{escape(edge.count)}</text>'


def _shape(box: _Box, label: str) -> str:
    x, y = box.x + box.width / 2, box.y + _HEIGHT / 2 + 4
    return (
        f'<rect class="node" x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" height="{_HEIGHT}" rx="6"/>'
        f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="middle">{escape(label)}</text>'
    )
