"""
Resolves calls by their names.

A name is searched in the scopes around the call, in its type and the types that this inherits from, in its file, and in
all files of the language, in this order. The first of these with the name decides; the call is resolved only if there
is exactly one definition. A call on an unknown value is resolved if only one type has a method of that name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from indexer.domain.failures import Failures
from indexer.domain.linking.by_name.crates import Crates
from indexer.domain.linking.by_name.definitions import Definitions, NamedDefinition, joined, narrowed, nearest
from indexer.domain.linking.by_name.program import ABSOLUTE, CallRow, Form
from indexer.domain.linking.tiers import CONFIDENCE
from indexer.domain.model import Edge, EdgeKind, Linked, Resolution, Tier

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from indexer.domain.linking.by_name.semantics import NameSemantics
    from indexer.domain.model import LinkUnit

Meaning: TypeAlias = "tuple[NamedDefinition, Tier] | Resolution"
_ONLY_IF_FOUND = frozenset((Form.MAYBE, Form.DECLARED, Form.OPERATOR))
_MAX_FAMILY = 13
"""Greatest number of targets of one call: an interface's method and at most twelve that implement it."""


class NameLinker:
    """Links the files of one language."""

    def __init__(self, semantics: NameSemantics) -> None:
        self._semantics = semantics

    def link(self, units: Sequence[LinkUnit]) -> Linked:
        """
        Return all edges, without repetitions, in order of source file, line and symbol.

        Args:
            units: All files of the language, in order of path.

        Raises UnitsFailed.
        """
        link, platform = _Link(self._semantics, units), self._semantics.platform
        return Linked(link.edges(), by_name=True, platform=platform, failed=link.failures.reasons)


class _Link:
    def __init__(self, semantics: NameSemantics, units: Sequence[LinkUnit]) -> None:
        self._semantics = semantics
        self._units = units
        self._known = Definitions(units)
        self._crates = Crates(units, self._known.programs) if semantics.has_crates else None
        self._imported: dict[int, dict[str, str]] = {}
        self.failures = Failures()

    def edges(self) -> list[Edge]:
        found: dict[Edge, None] = {}
        for unit in range(len(self._units)):
            with self.failures.contained(unit):
                found.update(dict.fromkeys([*self._calls(unit), *self._inheritance(unit), *self._imports(unit)]))
        return sorted(found, key=_order)

    def _calls(self, unit: int) -> Iterator[Edge]:
        for call in self._known.programs[unit].calls:
            found, source = self._meaning(unit, call), (unit, call.symbol)
            if isinstance(found, Resolution) and call.form in _ONLY_IF_FOUND:
                continue
            if found is Resolution.UNRESOLVED and call.form == Form.MEMBER and (family := self._family(call)):
                for each in family:
                    yield self._edge(source, (each, Tier.ARGUMENT), call.written, EdgeKind.CALL, call.line)
                continue
            typed = self._by_type(unit, call) if found is Resolution.UNRESOLVED else []
            for meant in typed or [found]:
                yield self._edge(source, meant, call.written, EdgeKind.CALL, call.line)

    def _meaning(self, unit: int, call: CallRow) -> Meaning:
        if call.form in (Form.BARE, Form.PATH) and (found := self._by_path(unit, call)) is not None:
            return found
        owner = joined(self._known.programs[unit].space, call.owner) if call.owner else ""
        if call.form in (Form.NEW, Form.DECLARED):
            return self._construction(unit, call)
        if call.form == Form.OPERATOR:
            return self._operation(unit, call)
        if call.form == Form.OWN:
            return self._member(unit, call, owner) or Resolution.UNRESOLVED
        if call.form == Form.BASE:
            return self._inherited(unit, call, owner, unit) or Resolution.UNRESOLVED
        if self._has_known_container(unit, call):
            return self._in_container(unit, call) or Resolution.UNRESOLVED
        if call.form == Form.PATH:
            return Resolution.EXTERNAL if call.receiver else self._bare(unit, call, owner)
        return self._anywhere(unit, call) if call.form == Form.MEMBER else self._bare(unit, call, owner)

    def _by_path(self, unit: int, call: CallRow) -> Meaning | None:
        """Resolve the path of a call through the crates of the tree; None if nothing has that name."""
        if self._crates is None:
            return None
        place = self._crates.place(unit, call.written)
        if place is None:
            return Resolution.EXTERNAL if self._crates.is_outside(unit, call.written) else None
        found = self._known.at(place)
        if found is None:
            return None
        if not found.is_type or found.name == call.name:
            return found, Tier.STATIC
        members = [
            each for each in self._members_of(found, call.name, unit) if self._crates.is_one(each.unit, place[0])
        ]
        own = [each for each in members if each.unit == place[0]] or members
        return _one(own, call, Tier.STATIC) if own else None

    def _operation(self, unit: int, call: CallRow) -> Meaning:
        """Find the operator that the type of the left operand defines, or a function for the type of either."""
        if found := self._by_type(unit, call):
            return found[0]
        types = {each.rpartition(".")[2] for each in (call.of_type, call.other_type)}
        names = {each for each in types if self._known.types(each)}
        functions = self._known.functions(call.name, unit) if names else []
        taking = [each for each in functions if not names.isdisjoint(self._known.words_of(each))]
        return _one(nearest(taking, unit), call._replace(given=call.given + 1), Tier.STATIC)

    def _by_type(self, unit: int, call: CallRow) -> list[Meaning]:
        """Find the method of a receiver's declared type, or the inherited one, then the methods that override it."""
        made = self._type(unit, written) if (written := self._known.receiver_type(unit, call)) else None
        found = self._in_type(unit, call, made) if made is not None else None
        if made is None or found is None:
            return []
        others = [each for each in self._known.members(call.name) if each.owner != made.full_name]
        below = [each for each in others if self._is_below(each.unit, each.owner, made.full_name)]
        return [found, *((each, Tier.ARGUMENT) for each in below[:_MAX_FAMILY])]

    def _in_type(self, unit: int, call: CallRow, made: NamedDefinition) -> Meaning | None:
        if members := self._members_of(made, call.name, unit):
            return _one(nearest(members, unit), call, Tier.STATIC)
        return self._inherited(unit, call, made.full_name, made.unit)

    def _has_known_container(self, unit: int, call: CallRow) -> bool:
        if call.form == Form.PATH:
            return self._known.is_container(call.receiver) or self._type(unit, self._container(call)) is not None
        return call.form == Form.MEMBER and bool(self._known.types(call.receiver))

    def _bare(self, unit: int, call: CallRow, owner: str) -> Meaning:
        space = self._known.programs[unit].space
        scope = self._units[unit].parsed.symbols[call.symbol].qualified_name
        implicit = self._semantics.has_implicit_receiver
        while True:
            inner = self._known.in_file(joined(joined(space, scope), call.name), unit)
            if inner := [each for each in inner if implicit or not each.is_member]:
                return _one(self._with_bodies(inner), call, Tier.STATIC)
            if not scope:
                break
            scope = scope.rpartition(".")[0]
        if implicit and owner and (found := self._member(unit, call, owner)):
            return found
        if call.form == Form.MAYBE:
            return Resolution.UNRESOLVED
        if functions := self._known.functions(call.name, unit):
            return _one(nearest(functions, unit), call, Tier.UNIQUE_NAME)
        is_named = self._known.types(call.name) or self._full_name(unit, call.name)
        return self._construction(unit, call) if is_named else Resolution.UNRESOLVED

    def _with_bodies(self, found: list[NamedDefinition]) -> list[NamedDefinition]:
        """Add the definitions with the full names of the declarations."""
        names = {each.full_name for each in found if each.is_declaration}
        if not names:
            return found
        return found + [each for each in self._known.bodies(found[0].name) if each.full_name in names]

    def _member(self, unit: int, call: CallRow, owner: str) -> Meaning | None:
        """Find a method of a type, its own or inherited; None if there is none of that name."""
        last = owner.rpartition(".")[2]
        members = [each for each in self._known.in_container(call.name, last, unit) if each.is_member]
        exact = [each for each in members if each.owner == owner]
        if not exact and not self._semantics.names_types_by_imports:
            exact = members
        if exact:
            return _one(nearest(exact, unit), call, Tier.STATIC)
        return self._inherited(unit, call, owner, unit)

    def _inherited(self, unit: int, call: CallRow, owner: str, defined: int) -> Meaning | None:
        """Find an inherited method of a type, which is defined in the file `defined`; None if there is none."""
        seen = {owner}
        pending = [(defined, base) for base in self._known.bases(owner)]
        while pending:
            found = self._type(*pending.pop(0))
            if found is None or found.full_name in seen:
                continue
            seen.add(found.full_name)
            if members := self._members_of(found, call.name, unit):
                return _one(members, call, Tier.STATIC)
            pending += [(found.unit, base) for base in self._known.bases(found.full_name)]
        return None

    def _members_of(self, made: NamedDefinition, name: str, unit: int) -> list[NamedDefinition]:
        found = self._known.in_container(name, made.name, unit)
        return [each for each in found if each.is_member and each.owner == made.full_name]

    def _in_container(self, unit: int, call: CallRow) -> Meaning | None:
        found = self._type(unit, self._container(call))
        if found is not None and self._semantics.names_types_by_imports:
            return self._in_type(unit, call, found)
        if candidates := self._known.in_container(call.name, call.receiver, unit):
            return _one(nearest(candidates, unit), call, Tier.STATIC)
        return self._inherited(unit, call, found.full_name, found.unit) if found is not None else None

    def _container(self, call: CallRow) -> str:
        whole = self._semantics.names_types_by_imports and call.form == Form.PATH
        return call.written.rpartition(".")[0] if whole else call.receiver

    def _family(self, call: CallRow) -> list[NamedDefinition]:
        """Find an interface's method and its implementations; none if other types have a method of that name."""
        if call.name in self._semantics.common:
            return []
        members = [each for each in self._known.members(call.name) if each.takes(call.given)]
        if not 1 < len(members) <= _MAX_FAMILY:
            return []
        owners = {each.owner: each for each in members}
        for top in owners:
            below = [each for owner, each in owners.items() if owner != top and self._is_below(each.unit, owner, top)]
            if len(below) == len(owners) - 1:
                return members
        return []

    def _is_below(self, unit: int, owner: str, top: str) -> bool:
        found = (self._type(unit, base) for base in self._known.bases(owner))
        return any(each is not None and each.full_name == top for each in found)

    def _anywhere(self, unit: int, call: CallRow) -> Meaning:
        if call.name in self._semantics.common:
            return Resolution.UNRESOLVED
        members = self._known.members(call.name)
        if not members and self._semantics.has_extensions:
            members = nearest(self._known.functions(call.name, unit), unit)
        return _one(members, call, Tier.UNIQUE_NAME)

    def _construction(self, unit: int, call: CallRow) -> Meaning:
        written = call.written if self._semantics.names_types_by_imports else call.name
        made = self._type(unit, written)
        if made is None:
            return self._missing(unit, written)
        name = self._semantics.constructor or made.name
        constructors = self._members_of(made, name, unit)
        if constructors and not isinstance(found := _one(constructors, call, Tier.STATIC), Resolution):
            return found
        return made, Tier.STATIC

    def _type(self, unit: int, written: str) -> NamedDefinition | None:
        """Find the type to which a name refers: the imported one, that in the file or namespace, else the only one."""
        if full_name := self._full_name(unit, written):
            named = self._known.types(full_name.rpartition(".")[2])
            exact = [each for each in named if each.full_name == full_name]
            return exact[0] if len(exact) == 1 else None
        candidates = self._known.types(written.rpartition(".")[2])
        if "." in written:
            candidates = [each for each in candidates if f".{each.full_name}".endswith(f".{written}")] or candidates
        candidates = [each for each in candidates if each.unit == unit] or candidates
        if len(candidates) > 1 and self._semantics.names_types_by_imports:
            beside = joined(self._known.programs[unit].space, written)
            candidates = [each for each in candidates if each.full_name == beside] or candidates
        is_one = len({each.full_name for each in candidates}) == 1 and self._semantics.has_open_types
        return candidates[0] if is_one or len(candidates) == 1 else None

    def _missing(self, unit: int, written: str) -> Resolution:
        """Return EXTERNAL for a type without a definition in the tree, UNRESOLVED for an ambiguous one."""
        full_name = self._full_name(unit, written)
        named = self._known.types((full_name or written).rpartition(".")[2])
        is_here = any(not full_name or each.full_name == full_name for each in named)
        return Resolution.UNRESOLVED if is_here else Resolution.EXTERNAL

    def _full_name(self, unit: int, written: str) -> str:
        """Return the full name of a type that is written absolute or imported; "" for others."""
        if not self._semantics.names_types_by_imports:
            return ""
        if written.startswith(ABSOLUTE):
            return written.removeprefix(ABSOLUTE)
        if unit not in self._imported:
            rows = (row for row in self._known.programs[unit].imports if not row.is_file)
            self._imported[unit] = {row.alias or row.written.rpartition(".")[2]: row.written for row in rows}
        first, _, rest = written.partition(".")
        imported = self._imported[unit].get(first, "")
        return joined(imported, rest) if imported else ""

    def _inheritance(self, unit: int) -> Iterator[Edge]:
        for row in self._known.programs[unit].bases:
            found = self._type(unit, row.base)
            target: Meaning = (found, Tier.STATIC) if found is not None else self._missing(unit, row.base)
            symbol = self._units[unit].parsed.symbols[row.symbol]
            # A base that is declared elsewhere in the file, as by `impl`, gets the line of the type itself.
            line = row.line if symbol.start_line <= row.line <= symbol.end_line else symbol.start_line
            yield self._edge((unit, row.symbol), target, row.base, EdgeKind.INHERITS, line)

    def _imports(self, unit: int) -> Iterator[Edge]:
        importer = self._units[unit].path
        for row in self._known.programs[unit].imports:
            if self._crates is not None:
                place = self._crates.imported(unit, row)
                if place is None and row.is_file:
                    continue  # a default path of a manifest, without a file
                places = [place] if place is not None else []
            elif row.is_file:
                beside = bool(row.is_relative)
                files = self._known.file(row.written, importer, self._semantics.endings, beside=beside)
                places = [(file, 0) for file in files]
            else:
                places = self._known.dotted(self._semantics.without_unnamed(row.written))
            others = [place for place in places if place[0] != unit]
            if others or not places:  # else an import of the file itself
                yield from self._place_edges((unit, row.symbol), others, row.written, row.line)

    def _edge(self, source: tuple[int, int], found: Meaning, written: str, kind: EdgeKind, line: int) -> Edge:
        written = written.removeprefix(ABSOLUTE)
        if isinstance(found, Resolution):
            if found == Resolution.EXTERNAL and kind != EdgeKind.IMPORT:
                written = self._full_name(source[0], written) or written
            confidence = CONFIDENCE[Tier.STATIC] if found == Resolution.EXTERNAL else 0.0
            return Edge(source, None, written, kind, line, confidence, Tier.STATIC, found)
        target, tier = found
        name = self._known.dotted_name(*(place := (target.unit, target.symbol)))
        return Edge(source, place, name, kind, line, CONFIDENCE[tier], tier, Resolution.RESOLVED)

    def _place_edges(
        self, source: tuple[int, int], places: Sequence[tuple[int, int]], written: str, line: int
    ) -> Iterator[Edge]:
        """Yield edges to all definitions of one name, as overloads; one unresolved edge for several names or files."""
        names = {self._known.dotted_name(*place) for place in places}
        if len(names) != 1 or (len(places) > 1 and not places[0][1]):
            missing = Resolution.UNRESOLVED if places else Resolution.EXTERNAL
            yield self._edge(source, missing, written, EdgeKind.IMPORT, line)
            return
        for place in places[:_MAX_FAMILY]:
            name, confidence = self._known.dotted_name(*place), CONFIDENCE[Tier.STATIC]
            yield Edge(source, place, name, EdgeKind.IMPORT, line, confidence, Tier.STATIC, Resolution.RESOLVED)


def _one(candidates: Iterable[NamedDefinition], call: CallRow, tier: Tier) -> Meaning:
    found = list(narrowed(list(candidates), call.given))
    return (found[0], tier) if len(found) == 1 else Resolution.UNRESOLVED


def _order(edge: Edge) -> tuple[int, int, int, int, str, int, tuple[int, int]]:
    unit, symbol = edge.source
    return unit, edge.line, symbol, edge.kind, edge.target_name, edge.resolution, edge.target or (-1, -1)
