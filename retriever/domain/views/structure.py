"""Structure of a codebase: dependencies between its modules, cycles among them, and a diagram of both."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CIRCULAR = "-.->"
"""The arrow of a dependency that lies on a cycle."""
_APART = 2
"""Folder levels, below the common prefix, by which modules outside of a scope are named."""
_SPOKEN_FOR = frozenset('"#`<>&')
"""Characters with a meaning in a mermaid label: its end, entities, markdown and HTML."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """
    One file (or module) uses another, `uses` times.

    Args:
        own: The module of `path` where several files form one module, as in a Go package; "" for the file itself.
        other: Likewise, of `depends_on`.
    """

    path: str
    depends_on: str
    uses: int
    own: str = ""
    other: str = ""

    @property
    def ends(self) -> tuple[str, str]:
        """The modules at both ends."""
        return self.own or self.path, self.other or self.depends_on


def group_of(path: str, scope: str, depth: int) -> str:
    """
    Return the name of the module that a file belongs to.

    Args:
        path: The file.
        scope: Path prefix of the part in question; "" for the whole repository.
        depth: Levels below the scope that a name has; a file above that depth is a module by itself. Outside of the
            scope, a name has up to two folders below the prefix common with the scope; without any, it is the file.
    """
    parts = path.split("/")
    base = scope.strip("/").split("/") if scope else []
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(parts, base, strict=False)))
    if shared == len(base):
        return "/".join(parts[: shared + depth])
    folders = parts[:-1]
    return "/".join(folders[: shared + _APART]) if len(folders) > shared else path


def grouped(dependencies: Iterable[Dependency], scope: str, depth: int) -> tuple[Dependency, ...]:
    """
    Sum dependencies by module; those within one module and those that do not touch the scope are left out.

    Most uses first; ties break by path.
    """
    uses: Counter[tuple[str, str]] = Counter()
    for each in dependencies:
        if not each.path.startswith(scope) and not each.depends_on.startswith(scope):
            continue
        pair = group_of(each.path, scope, depth), group_of(each.depends_on, scope, depth)
        if pair[0] != pair[1]:
            uses[pair] += each.uses
    found = (Dependency(source, target, count) for (source, target), count in uses.items())
    return tuple(sorted(found, key=lambda each: (-each.uses, each.path, each.depends_on)))


def cycles(dependencies: Iterable[Dependency]) -> tuple[tuple[str, ...], ...]:
    """
    Find groups of modules that depend on each other in a circle (strongly connected components).

    Files of one module are no cycle, however much they use each other.

    Returns:
        Groups of two or more, the smallest first (they are the easiest to break), each in order.
    """
    import networkx  # imported only here: it takes a tenth of the start-up time, and few questions need it

    graph = networkx.DiGraph()
    graph.add_edges_from(each.ends for each in dependencies)
    found = (tuple(sorted(part)) for part in networkx.strongly_connected_components(graph) if len(part) > 1)
    return tuple(sorted(found, key=lambda part: (len(part), part)))


def coupling(dependencies: Sequence[Dependency], scope: str) -> tuple[tuple[str, int, int], ...]:
    """
    Count for each module outside the scope its uses of the scope, and the scope's uses of it.

    Without a scope, each module is counted against all others.

    Returns:
        (module, uses of the scope, uses by the scope), by the sum, most first; ties break by path.
    """
    towards: Counter[str] = Counter()
    back: Counter[str] = Counter()
    for each in dependencies:
        if not scope:
            towards[each.path] += each.uses
            back[each.depends_on] += each.uses
        elif each.depends_on.startswith(scope) and not each.path.startswith(scope):
            towards[each.path] += each.uses
        elif each.path.startswith(scope) and not each.depends_on.startswith(scope):
            back[each.depends_on] += each.uses
    modules = sorted({*towards, *back}, key=lambda name: (-(towards[name] + back[name]), name))
    return tuple((name, towards[name], back[name]) for name in modules)


def mermaid(dependencies: Sequence[Dependency], limit: int) -> str:
    """
    Draw the `limit` first dependencies as a mermaid flowchart; those that lie on a cycle are dotted.

    Each node is labelled where it first occurs, so a text that is cut after any line is still a valid flowchart.
    """
    member = {path: group for group in cycles(dependencies) for path in group}
    keys: dict[str, str] = {}

    def node(name: str) -> str:
        if name in keys:
            return keys[name]
        keys[name] = f"m{len(keys)}"
        return f'{keys[name]}["{_label(name)}"]'

    lines = ["flowchart LR"]
    for each in dependencies[:limit]:
        ends = each.ends
        circular = ends[0] != ends[1] and ends[0] in member and member[ends[0]] == member.get(ends[1])
        arrow = CIRCULAR if circular else "-->"
        lines.append(f"  {node(each.path)} {arrow}|{each.uses}| {node(each.depends_on)}")
    return "\n".join(lines)


def _label(name: str) -> str:
    """Escape, by character number, what has a meaning in mermaid and what is not printable."""
    return "".join(f"#{ord(char)};" if char in _SPOKEN_FOR or not char.isprintable() else char for char in name)
