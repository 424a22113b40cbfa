"""Finds what implements an interface, and what overrides a method."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from common.core.contract.understanding import Relation
from retriever.domain.questions.names import parse
from retriever.domain.values import EdgeKind, FactKind, Resolution, Symbol, SymbolKind, SymbolMark
from retriever.usecases.locating.naming import bases, closest, find_symbols, members, symbols_by_id
from retriever.usecases.using.found import Use, Using, examples_last, one_of_each

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retriever.domain.values import Edge
    from retriever.ports import Snapshot

_MOST = 200
"""Most subtypes of one interface that are considered."""


def implementers_of(snapshot: Snapshot, interface: Symbol) -> Using:
    """
    List the types that implement an interface, trait or base class.

    A structural interface is implemented by the types that have all of its methods, by name and number of parameters,
    including methods of embedded types.
    """
    methods = _Methods(snapshot)
    uses = one_of_each(_types_below(snapshot, interface, methods))
    partly = _having_part(snapshot, interface, methods) if _is_structural(interface) else []
    notes = (f"and, if what they embed of elsewhere has the rest: {', '.join(partly)}",) if partly else ()
    return _using(interface, Relation.IMPLEMENTS, uses, notes)


def overridden(snapshot: Snapshot, methods: Iterable[Symbol]) -> list[Symbol]:
    """Keep those of the methods of one name that are overridden by others and override none themselves."""
    of_owner = {each.parent_id: each for each in methods if each.parent_id is not None}
    owners = snapshot.symbols.get(list(of_owner)[:_MOST])
    above = {owner.id: {base.id for base in bases(snapshot, owner)} & of_owner.keys() for owner in owners}
    wide = [owner.id for owner in owners if _is_structural(owner)]
    topmost = {top for found in above.values() for top in found if not above.get(top)}
    return [each for key, each in of_owner.items() if key in topmost or key in wide or _handlers(snapshot, each)]


def overriders_of(snapshot: Snapshot, method: Symbol) -> Using:
    """List the methods that override a method, or the handlers of a procedure that a contract declares."""
    handlers = _handlers(snapshot, method)
    relation = Relation.IMPLEMENTS if handlers else Relation.OVERRIDES
    return _using(method, relation, handlers or overriding(snapshot, method), ())


def _handlers(snapshot: Snapshot, procedure: Symbol) -> list[Use]:
    """Return the handlers of a procedure: its declaration has call edges to the server methods of its name."""
    owners = snapshot.symbols.get([procedure.parent_id] if procedure.parent_id is not None else [])
    if not any(each.marks & SymbolMark.OPEN for each in owners):
        return []
    edges = snapshot.graph.outgoing([procedure.id], (EdgeKind.CALL,))
    called = symbols_by_id(snapshot, (each.target_id for each in edges if each.line == procedure.start_line))
    named = (each for each in called.values() if each.name.casefold() == procedure.name.casefold())
    return one_of_each(Use(each, each.path, each.start_line) for each in named)


def overriding(snapshot: Snapshot, method: Symbol) -> list[Use]:
    """Return the methods of the same name in the subtypes of a method's type, including those in tests."""
    methods = _Methods(snapshot)
    owners = snapshot.symbols.get([method.parent_id] if method.parent_id is not None else [])
    below = {use.user.id: use.user for owner in owners for use in _types_below(snapshot, owner, methods)}
    # Looked up by name: a file may have thousands of types, and reading it for each of them takes seconds.
    inside: dict[int | None, list[Symbol]] = defaultdict(list)
    for each in snapshot.symbols.named(method.name):
        if each.kind == SymbolKind.METHOD and each.name == method.name:
            inside[each.parent_id].append(each)
    own = [each for owner in below for each in inside[owner]]
    apart = (each for owner in below.values() if owner.marks & SymbolMark.APART for each in methods.of(owner))
    own += [each for each in apart if each.name == method.name]
    return one_of_each(Use(each, each.path, each.start_line) for each in own)


def methods_of(snapshot: Snapshot, owner: Symbol) -> list[Symbol]:
    """Return the methods that a type defines itself, those in other files of its folder last."""
    return _Methods(snapshot).of(owner)


def _using(thing: Symbol, relation: Relation, uses: Sequence[Use], notes: tuple[str, ...]) -> Using:
    code = tuple(examples_last(use for use in uses if not use.user.is_test))
    tests = tuple(use for use in uses if use.user.is_test)
    return Using(thing.qualified_name, relation, thing, code, len(tests), notes=notes, test_uses=tests)


class _Methods:
    """Reads the methods of types, also from other files of the folder; each folder is read once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._of_folder: dict[str, dict[str, list[Symbol]]] = {}

    def of(self, owner: Symbol) -> list[Symbol]:
        """Return the own methods of a type."""
        own = [each for each in members(self._snapshot, owner) if each.kind == SymbolKind.METHOD]
        elsewhere = self._in_folder(owner).get(owner.qualified_name, []) if owner.marks & SymbolMark.APART else []
        return list(dict.fromkeys([*own, *elsewhere]))

    def _in_folder(self, owner: Symbol) -> dict[str, list[Symbol]]:
        folder = _folder(owner.path)
        if folder not in self._of_folder:
            found = self._of_folder.setdefault(folder, {})
            paths = (file.path for file in self._snapshot.files.all() if file.parsed and _folder(file.path) == folder)
            for each in (each for path in paths for each in self._snapshot.symbols.in_file(path)):
                if each.kind == SymbolKind.METHOD:
                    found.setdefault(each.qualified_name.rpartition(".")[0], []).append(each)
        return self._of_folder[folder]


def _types_below(snapshot: Snapshot, owner: Symbol, methods: _Methods) -> Iterable[Use]:
    # A type that embeds a structural interface is itself an interface, or has all its methods anyway.
    if _is_structural(owner):
        return _having_all(snapshot, owner, methods)
    return [*_below(snapshot, owner), *_declared(snapshot, owner)]


def _declared(snapshot: Snapshot, owner: Symbol) -> Iterator[Use]:
    """Yield the classes that declare an interface by other means than a base class, such as a decorator."""
    facts = [each for each in snapshot.facts.with_value(FactKind.IMPLEMENTS, owner.name) if not each.detail]
    users = symbols_by_id(snapshot, (each.symbol_id for each in facts))
    for each in sorted(users.values(), key=lambda each: (each.path, each.start_line)):
        yield Use(each, each.path, each.start_line)


def _below(snapshot: Snapshot, owner: Symbol) -> Iterator[Use]:
    """Yield the types that inherit from a type, nearest first; indirect ones with the type in between."""
    level, through = [owner], {owner.id: ""}
    while level and len(through) < _MOST:
        edges = snapshot.graph.incoming([each.id for each in level], (EdgeKind.INHERITS,))
        sources = symbols_by_id(snapshot, (edge.source_id for edge in edges))
        level = []
        for edge in edges:
            source = sources[edge.source_id]
            user = _implemented_for(snapshot, edge) if source.kind == SymbolKind.MODULE else source
            if user is None or user.id in through:
                continue
            level.append(user)
            through[user.id] = user.qualified_name
            yield Use(user, source.path, edge.line, edge.confidence, through.get(edge.target_id or 0, ""))


def _implemented_for(snapshot: Snapshot, edge: Edge) -> Symbol | None:
    """Return the type for which an `impl` block implements an interface; it may be defined in another file."""
    facts = snapshot.facts.of([edge.source_id], (FactKind.IMPLEMENTS,))
    name = next((parse(each.detail) for each in facts if each.line == edge.line), None)
    types = closest(find_symbols(snapshot, name), name) if name else ()
    return next((each for each in types if each.kind == SymbolKind.CLASS), None)


def _is_structural(interface: Symbol) -> bool:
    return bool(interface.marks & SymbolMark.STRUCTURAL)


def _having_all(snapshot: Snapshot, interface: Symbol, methods: _Methods) -> list[Use]:
    """Return the types that have every method of an interface and of those that it embeds."""
    found = [each for each, lacks in _held(snapshot, interface, methods) if not lacks]
    return sorted((Use(each, each.path, each.start_line) for each in found), key=lambda use: (use.path, use.line))


def _having_part(snapshot: Snapshot, interface: Symbol, methods: _Methods) -> list[str]:
    """Name the types with some of the methods that embed an external type, which may have the rest; without tests."""
    partly = [each for each, lacks in _held(snapshot, interface, methods) if lacks and not each.is_test]
    edges = snapshot.graph.outgoing([each.id for each in partly], (EdgeKind.INHERITS,))
    embedding = {each.source_id for each in edges if each.resolution != Resolution.RESOLVED}
    return sorted({each.qualified_name for each in partly if each.id in embedding})


def _held(snapshot: Snapshot, interface: Symbol, methods: _Methods) -> Iterator[tuple[Symbol, bool]]:
    """Yield the types with at least one method of an interface, each with whether it lacks others."""
    wanted = [each for holder in (interface, *bases(snapshot, interface)) for each in methods.of(holder)]
    alike = (each for name in dict.fromkeys(each.name for each in wanted) for each in snapshot.symbols.named(name))
    starts = [owner for each in alike for owner in _owners(snapshot, each)]
    candidates = {each.id: each for start in starts for each in (start, *(use.user for use in _below(snapshot, start)))}
    for each in list(candidates.values())[:_MOST]:
        if _is_structural(each):
            continue
        held = [one for holder in (each, *bases(snapshot, each)) for one in methods.of(holder)]
        has = [any(_is_same(method, own) for own in held) for method in wanted]
        if any(has):
            yield each, not all(has)


def _owners(snapshot: Snapshot, method: Symbol) -> list[Symbol]:
    """Return the types that own a method; they may be defined in another file of the folder."""
    owner = method.qualified_name.rpartition(".")[0]
    named = snapshot.symbols.named(owner) if owner else ()
    return [
        each
        for each in named
        if each.kind == SymbolKind.CLASS and each.name == owner and _folder(each.path) == _folder(method.path)
    ]


def _is_same(one: Symbol, other: Symbol) -> bool:
    return one.name == other.name and _parameters(one) == _parameters(other)


def _parameters(method: Symbol) -> int:
    """Count the parameters in the signature of a method."""
    text = method.signature.partition(f"{method.name}(")[2]
    depth, commas, is_filled = 1, 0, False
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0:
            break
        commas += letter == "," and depth == 1
        is_filled = is_filled or not letter.isspace()
    return commas + 1 if is_filled else 0


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
