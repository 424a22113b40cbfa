"""Edges of a core layer: walks use indexed queries; edges around many symbols come from a table in memory."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

from retriever.adapters.core.database import as_list, by_number
from retriever.adapters.core.link_table import LinkTable
from retriever.domain.values import DEFAULT_TIERS, Edge, EdgeKind, FactKind, Resolution, SymbolKind, Tier
from retriever.domain.views.structure import Dependency

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.adapters.core.database import Database
    from retriever.adapters.core.files import SqliteFiles
    from retriever.domain.ranking.corpus import Floats

_TIERS = as_list(DEFAULT_TIERS)
_DEFINED = (SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD)

_KIND, _TIER, _RESOLUTION = by_number(EdgeKind), by_number(Tier), by_number(Resolution)


class SqliteGraph:
    """Implements `Graph`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._links: LinkTable | None = None

    def outgoing(
        self, ids: Sequence[int], kinds: Sequence[EdgeKind], tiers: Sequence[Tier] = (), *, min_confidence: float = 0.0
    ) -> tuple[Edge, ...]:
        """Return edges that start at these symbols."""
        edges = self._edges("edges_out", ids, kinds, tiers, min_confidence)
        position = _positions(ids)
        return tuple(sorted(edges, key=lambda edge: position[edge.source_id]))

    def incoming(
        self, ids: Sequence[int], kinds: Sequence[EdgeKind], *, min_confidence: float = 0.0
    ) -> tuple[Edge, ...]:
        """Return resolved edges that end at these symbols."""
        edges = self._edges("edges_in", ids, kinds, (), min_confidence)
        position = _positions(ids)
        return tuple(sorted(edges, key=lambda edge: position[edge.target_id or 0]))

    def pairs(self, ids: Sequence[int], kinds: Sequence[EdgeKind]) -> Floats:
        """Return rows of (source, target, highest confidence) of resolved edges from or to these symbols."""
        with self._lock:
            if self._links is None:
                self._links = LinkTable(self._database, _TIERS)
        return self._links.around(ids, kinds)

    def fan_in(self, ids: Sequence[int]) -> dict[int, int]:
        """Return the number of distinct callers by symbol; symbols without any are left out."""
        return self._fan("fan_in", ids)

    def fan_out(self, ids: Sequence[int]) -> dict[int, int]:
        """Return the number of distinct callees inside the repository by symbol; symbols without any are left out."""
        return self._fan("fan_out", ids)

    def _fan(self, statement: str, ids: Sequence[int]) -> dict[int, int]:
        rows = self._database.rows(statement, ids=as_list(ids), kind=int(EdgeKind.CALL), tiers=_TIERS)
        return {int(key): int(count) for key, count in rows}

    def _edges(
        self, statement: str, ids: Sequence[int], kinds: Sequence[EdgeKind], tiers: Sequence[Tier], confidence: float
    ) -> list[Edge]:
        if not ids:
            return []
        rows = self._database.rows(
            statement,
            ids=as_list(ids),
            kinds=as_list(kinds),
            tiers=as_list(tiers) if tiers else _TIERS,
            confidence=confidence,
        )
        return [_edge(row) for row in rows]


class SqliteStructure:
    """Implements `Structure`: aggregates over the whole graph, computed by the database once and cached."""

    def __init__(self, database: Database, files: SqliteFiles) -> None:
        self._database = database
        self._files = files
        self._lock = threading.Lock()
        self._dependencies: tuple[Dependency, ...] | None = None
        self._busy: dict[tuple[str, int], tuple[tuple[int, int], ...]] = {}
        self._external: frozenset[str] | None = None

    def dependencies(self) -> tuple[Dependency, ...]:
        """Return how often each file uses each other file, in order of path."""
        with self._lock:
            if self._dependencies is None:
                self._dependencies = self._load_dependencies()
            return self._dependencies

    def hotspots(self, callers: int) -> tuple[tuple[int, int], ...]:
        """Return (symbol id, callers) of symbols with more than `callers` callers, without tests, most first."""
        return self._busiest("hotspots", callers)

    def god_functions(self, callees: int) -> tuple[tuple[int, int], ...]:
        """Return (symbol id, callees) of symbols with more than `callees` distinct callees, most first."""
        return self._busiest("god_functions", callees)

    def unreferenced(self) -> tuple[int, ...]:
        """Return ids of classes, functions and methods that only they themselves and tests refer to, by place."""
        rows = self._database.rows("unreferenced", kinds=as_list(_DEFINED), entry_point=int(FactKind.ENTRY_POINT))
        return tuple(int(key) for (key,) in rows)

    def external_imports(self, written: str) -> tuple[tuple[int, int], ...]:
        """Return (symbol id, line) of imports of external packages whose name has these parts, by path and line."""
        wanted = f".{_dotted(written)}."
        names = [each for each in self.external_names() if wanted in f".{_dotted(each)}."]
        rows = self._database.rows("external_imports", kind=int(EdgeKind.IMPORT), names=as_list(names)) if names else []
        return tuple((int(source), int(line)) for source, line in rows)

    def external_names(self) -> frozenset[str]:
        """Return every dotted name that the code is known to use from outside the repository."""
        with self._lock:
            if self._external is None:
                rows = self._database.rows("external_names", resolution=int(Resolution.EXTERNAL))
                self._external = frozenset(row[0] for row in rows)
            return self._external

    def _busiest(self, statement: str, above: int) -> tuple[tuple[int, int], ...]:
        with self._lock:
            if (statement, above) not in self._busy:
                rows = self._database.rows(statement, kind=int(EdgeKind.CALL), tiers=_TIERS, above=above)
                self._busy[statement, above] = tuple((int(key), int(count)) for key, count in rows)
            return self._busy[statement, above]

    def _load_dependencies(self) -> tuple[Dependency, ...]:
        files = self._files.all()
        path = {file.id: file.path for file in files}
        place = {file.id: (file.module, file.path.rpartition("/")[0]) for file in files if file.parsed}
        shared = Counter(place.values())
        unit = {key: each[1] or "." for key, each in place.items() if shared[each] > 1}
        kinds = {"import": int(EdgeKind.IMPORT), "inherits": int(EdgeKind.INHERITS)}
        rows = self._database.rows(
            "dependencies", tiers=_TIERS, **kinds, static=int(Tier.STATIC), precise=int(Tier.PRECISE)
        )
        found = (
            Dependency(path[source], path[target], uses, unit.get(source, ""), unit.get(target, ""))
            for source, target, uses in rows
        )
        return tuple(sorted(found, key=lambda each: (each.path, each.depends_on)))


def _positions(ids: Sequence[int]) -> dict[int, int]:
    return {each: index for index, each in reversed(list(enumerate(ids)))}


def _edge(row: tuple[Any, ...]) -> Edge:
    source, target, name, kind, line, confidence, tier, resolution = row
    return Edge(source, target, name, _KIND[kind], line, confidence, _TIER[tier], _RESOLUTION[resolution])


def _dotted(name: str) -> str:
    """Return a name of a package as its language writes it, with dots between its parts."""
    return ".".join(filter(None, name.replace("::", ".").replace("/", ".").replace("@", "").split(".")))
