"""Links remote procedure calls across languages: from the caller of a client method to the server's handler."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.domain.linking.tiers import CONFIDENCE
from indexer.domain.model import Edge, EdgeKind, Resolution, SymbolKind, Tier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.domain.model import SymbolDef
    from indexer.domain.snapshots.core import IndexedFile, LinkedEdges

# Names of the classes that gRPC code generators make for a service, in Python, Java, Kotlin, Go and TypeScript.
_CLIENTS = ("BlockingStub", "FutureStub", "CoroutineStub", "AsyncStub", "Stub", "Client")
_SERVERS = ("Servicer", "CoroutineImplBase", "ImplBase", "Server")
_BEFORE = ("Unimplemented", "New", "Unsafe", "I")
_CONTRACT = ".proto"


class _Place(NamedTuple):
    file: int
    symbol: int


class Contracts:
    """
    The handlers and the contract definitions of all remote procedures in a tree, and the calls of these.

    Args:
        files: All files.
        linked: The edges of each language.
    """

    def __init__(self, files: Sequence[IndexedFile], linked: Sequence[LinkedEdges]) -> None:
        self._files = files
        self._linked = linked
        self._handlers: dict[tuple[str, str], list[_Place]] = {}
        self._written: dict[tuple[str, str], list[_Place]] = {}
        for each in linked:
            for edge in each.edges:
                if edge.kind == EdgeKind.INHERITS:
                    self._serve(_Place(each.files[edge.source[0]], edge.source[1]), edge.target_name)
        for position, file in enumerate(files):
            if file.source.path.endswith(_CONTRACT) and file.parsed is not None:
                for symbol, defined in enumerate(file.parsed.symbols):
                    service, _, name = defined.qualified_name.rpartition(".")
                    if service:
                        self._written.setdefault(_key(service, name), []).append(_Place(position, symbol))

    def _serve(self, place: _Place, base: str) -> None:
        """Record the methods of a class as handlers if its base is generated from a service."""
        service = _service(base.rpartition(".")[2], _SERVERS)
        parsed = self._files[place.file].parsed
        if not service or parsed is None:
            return
        owner = parsed.symbols[place.symbol].qualified_name
        for symbol, defined in enumerate(parsed.symbols):
            if defined.kind == SymbolKind.METHOD and defined.qualified_name == f"{owner}.{defined.name}":
                self._handlers.setdefault(_key(service, defined.name), []).append(_Place(place.file, symbol))

    def edges(self) -> list[Edge]:
        """Return call edges: caller to handler, caller to procedure in a contract file, and procedure to handler."""
        found: dict[Edge, None] = {}
        if self._handlers or self._written:
            for each in self._linked:
                for edge in each.edges:
                    if edge.kind == EdgeKind.CALL and edge.resolution == Resolution.EXTERNAL:
                        source = _Place(each.files[edge.source[0]], edge.source[1])
                        found.update(dict.fromkeys(self._called(source, edge)))
            for key, written in self._written.items():
                for place in written:
                    line = self._symbol(place).start_line
                    found.update(dict.fromkeys(self._to(place, line, self._handlers.get(key, ()))))
        return sorted(found, key=lambda edge: (edge.source, edge.line, edge.target or edge.source))

    def _called(self, source: _Place, edge: Edge) -> Iterator[Edge]:
        owner, _, name = edge.target_name.rpartition(".")
        service = _service(owner.rpartition(".")[2], _CLIENTS)
        if service:
            key = _key(service, name)
            yield from self._to(source, edge.line, [*self._handlers.get(key, ()), *self._written.get(key, ())])

    def _to(self, source: _Place, line: int, targets: Sequence[_Place]) -> Iterator[Edge]:
        for target in targets:
            name = self._symbol(target).qualified_name
            tier = Tier.PROTOCOL
            yield Edge(
                (source.file, source.symbol),
                (target.file, target.symbol),
                name,
                EdgeKind.CALL,
                line,
                CONFIDENCE[tier],
                tier,
                Resolution.RESOLVED,
            )

    def _symbol(self, place: _Place) -> SymbolDef:
        parsed = self._files[place.file].parsed
        assert parsed is not None
        return parsed.symbols[place.symbol]


def _key(service: str, name: str) -> tuple[str, str]:
    """Return (service, procedure) as key; the procedure's first letter is capitalized, as languages differ in it."""
    return service.rpartition(".")[2], name[:1].upper() + name[1:]


def _service(name: str, ends: Sequence[str]) -> str:
    """Return the name of the service that a class was generated from, "" for other classes."""
    end = next((each for each in ends if name.endswith(each)), "")
    stem = name.removesuffix(end) if end else ""
    before = next((each for each in _BEFORE if stem.startswith(each) and stem[len(each) : len(each) + 1].isupper()), "")
    return stem.removeprefix(before)
