"""The code of a claim's subject, and the code that it can reach by calls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from retriever.domain.claims import called_in, identifiers
from retriever.domain.values import EdgeKind, FactKind, Resolution, Symbol, SymbolKind, SymbolMark, Tier
from retriever.usecases.evidence.drafting import read_lines
from retriever.usecases.locating.naming import bases, members, symbols_by_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from retriever.domain.values import Edge, Fact
    from retriever.ports import Snapshot

ALL_TIERS = tuple(Tier)
_FLOW = (EdgeKind.CALL, EdgeKind.REFERENCES)
_MOST_REACHED = 4000
_MOST_OF_A_NAME = 40
"""Most functions of one name; a call of a more frequent name proves nothing."""
_RUN_BY_THE_LANGUAGE = SymbolMark.CONSTRUCTOR | SymbolMark.IMPLICIT
_BY_ANY_NAME = frozenset({"eval", "exec", "globals", "locals", "vars"})
READS_BY_NAME, WRITES_BY_NAME = _BY_ANY_NAME | {"getattr"}, _BY_ANY_NAME | {"setattr"}
"""Built-in functions that can read or write a name that is computed at run time."""


@dataclass(frozen=True)
class Bodies:
    """
    The definitions of a claim's subject, with all definitions inside of them.

    Args:
        symbols: In order of path and line; never empty.
    """

    snapshot: Snapshot
    symbols: tuple[Symbol, ...]

    @classmethod
    def of(cls, snapshot: Snapshot, subjects: Sequence[Symbol]) -> Bodies:
        """Gather the definitions and all definitions within their lines."""
        found: dict[int, Symbol] = {}
        for subject in subjects:
            inside = (subject,) if subject.kind == SymbolKind.VARIABLE else snapshot.symbols.in_file(subject.path)
            is_module = subject.kind == SymbolKind.MODULE
            found[subject.id] = subject
            for each in inside:
                if is_module or (subject.start_line <= each.start_line and each.end_line <= subject.end_line):
                    found[each.id] = each
        return cls(snapshot, tuple(found.values()))

    @property
    def place(self) -> str:
        """Return where the first definition begins, as path and line."""
        return f"{self.symbols[0].path}:{self.symbols[0].start_line}"

    @property
    def by_id(self) -> dict[int, Symbol]:
        """Return the symbols by their ids."""
        return {each.id: each for each in self.symbols}

    @cached_property
    def words(self) -> frozenset[str]:
        """Return every identifier of their lines."""
        return identifiers(self._text)

    @cached_property
    def _text(self) -> str:
        return "\n".join(read_lines(self.snapshot, each.span) for each in self._outermost())

    @cached_property
    def calls(self) -> tuple[Edge, ...]:
        """Return the call edges of the bodies, of any tier."""
        return self.snapshot.graph.outgoing([each.id for each in self.symbols], (EdgeKind.CALL,), ALL_TIERS)

    @cached_property
    def called(self) -> frozenset[str]:
        """Return the identifiers that the bodies call as written, without the functions that they define."""
        return frozenset(called_in(self._text)) - {each.name for each in self.symbols}

    @cached_property
    def called_plainly(self) -> frozenset[str]:
        """Return the identifiers that the bodies call without a receiver, such as parameters and variables."""
        return frozenset(called_in(self._text, plainly=True))

    def call_any(self, names: Set[str]) -> bool:
        """
        Return whether the bodies call one of these look-ups by computed names, or use `__dict__`.

        The index has no call for a look-up of a fixed name.
        """
        called = {edge.target_name.rpartition(".")[2] for edge in self.calls if edge.target_id is None}
        return "__dict__" in self.words or not called.isdisjoint(names)

    def _outermost(self) -> Iterable[Symbol]:
        for each in self.symbols:
            if not any(other.path == each.path and _encloses(other, each) for other in self.symbols):
                yield each

    def opaque(self) -> str:
        """
        Return a call whose target may be any function: of a parameter or an assigned attribute; "" for none.

        A method call leads to a method of that name, whatever its object, unless code assigns to the name.
        """
        for edge in self.calls:
            if edge.resolution != Resolution.UNRESOLVED:
                continue
            receiver, _, name = edge.target_name.rpartition(".")
            is_given = name in self.called_plainly if not receiver else bool(self._setters(name))
            if is_given and not self._defines(name):
                return edge.target_name
        return ""

    def _setters(self, name: str) -> tuple[Fact, ...]:
        return self.snapshot.facts.with_value(FactKind.MUTATES, name)

    def _defines(self, name: str) -> bool:
        kinds = {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS}
        return any(each.name == name and each.kind in kinds for each in self.snapshot.symbols.named(name))

    def outside(self) -> str:
        """Return a call that leaves the repository or is not resolved; "" for none."""
        return next((edge.target_name for edge in self.calls if edge.resolution != Resolution.RESOLVED), "")

    def reaches(self, wanted: frozenset[int], levels: int, *, by_name: bool = True) -> Symbol | None:
        """
        Return the first wanted symbol that calls from these bodies, or their decorators, may lead to; None if none may.

        Args:
            wanted: Ids of the symbols to look for.
            levels: How many calls in a row are followed.
            by_name: Follow an unresolved call in the bodies themselves to every function of that name, and follow
                overrides.
        """
        seen = {each.id for each in self.symbols}
        wrappers = self._wrappers()
        if around := next((each for each in wrappers if each.id in wanted), None):
            return around
        walk, level = _Walk(self.snapshot, self.words), [*seen, *(each.id for each in wrappers)]
        for depth in range(levels):
            following = walk.next(level, is_wide=by_name and depth == 0) - seen
            if hit := wanted & following:
                return next(iter(self.snapshot.symbols.get(sorted(hit))), None)
            seen |= following
            level = sorted(following)
            if not level or len(seen) > _MOST_REACHED:
                break
        return None

    def _wrappers(self) -> tuple[Symbol, ...]:
        """Return functions of the repository that decorate them."""
        names = {written.partition("(")[0].rpartition(".")[2] for each in self.symbols for written in each.decorators}
        found = (
            each for name in sorted(names) if name for each in self.snapshot.symbols.named(name) if each.name == name
        )
        inside = [each for wrapper in found for each in Bodies.of(self.snapshot, (wrapper,)).symbols]
        return tuple(symbols_by_id(self.snapshot, (each.id for each in inside)).values())


class _Walk:
    """
    A walk along calls, level by level, that remembers the classes it has reached and the names it has read.

    Args:
        names: Identifiers of the code at which it begins.
    """

    def __init__(self, snapshot: Snapshot, names: Iterable[str]) -> None:
        self._snapshot = snapshot
        self._names = set(names)
        self._members: dict[int, Sequence[Symbol]] = {}

    def next(self, level: Sequence[int], *, is_wide: bool) -> set[int]:
        """
        Return what the symbols of a level lead to: of a class, constructors, what the language calls and what is named.

        Args:
            is_wide: Follow calls of unknown target to every function and method of their name, and overrides; otherwise
                calls without a receiver alone, and to functions.
        """
        edges = self._snapshot.graph.outgoing(level, _FLOW, ALL_TIERS if is_wide else ())
        found = {edge.target_id for edge in edges if edge.target_id is not None and not self._decorates(edge)}
        unknown = {edge.target_name for edge in edges if edge.resolution == Resolution.UNRESOLVED}
        for written in sorted(each for each in unknown if is_wide or "." not in each):
            name = written.rpartition(".")[2]
            alike = [each for each in self._snapshot.symbols.named(name) if each.name == name and not each.is_test]
            found |= {each.id for each in alike[:_MOST_OF_A_NAME] if is_wide or each.kind == SymbolKind.FUNCTION}
        self._names.update(each.rpartition(".")[2] for each in unknown)
        for made in self._snapshot.symbols.get(sorted(found - self._members.keys())):
            if made.kind == SymbolKind.CLASS:
                family = (made, *bases(self._snapshot, made))
                self._members[made.id] = [each for owner in family for each in members(self._snapshot, owner)]
        return found.union(each.id for own in self._members.values() for each in own if self._may_run(each))

    def _decorates(self, edge: Edge) -> bool:
        """Return whether a class hands a member to a decorator: that was done when it was defined."""
        own = self._members.get(edge.source_id, ())
        return edge.kind == EdgeKind.REFERENCES and any(each.id == edge.target_id for each in own)

    def _may_run(self, member: Symbol) -> bool:
        is_run = bool(member.marks & _RUN_BY_THE_LANGUAGE) or member.name in self._names
        return is_run and member.kind != SymbolKind.CLASS


def _encloses(outer: Symbol, inner: Symbol) -> bool:
    if outer.id == inner.id or outer.kind == SymbolKind.VARIABLE:
        return False
    return outer.kind == SymbolKind.MODULE or (
        (outer.start_line, -outer.end_line) < (inner.start_line, -inner.end_line) and (outer.end_line >= inner.end_line)
    )
