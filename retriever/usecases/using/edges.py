"""Finds users by the edges of the graph: who calls, extends, uses or tests something, and what it calls."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from common.core.contract.understanding import Relation
from common.core.words.terms import count_terms, terms_of
from retriever.domain.values import EdgeKind, Symbol, SymbolKind
from retriever.domain.views.text_places import lines_with
from retriever.usecases.locating.naming import constructors, innermost, members, symbols_by_id
from retriever.usecases.locating.occurrences import files_with, symbols_with
from retriever.usecases.using.found import Use, Using, one_of_each
from retriever.usecases.using.implementing import overriding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retriever.domain.values import Edge
    from retriever.ports import Snapshot

_NAMED = 5
"""Most files that are named of those with the name of a type."""
_NAMED_AFTER, _STEM = 12, 4
"""Most tests named after a definition, and first letters of its words by which names are filtered."""
_UNSURE, _READ = 5, 12
"""Most places with the name that are listed as possible users; more for variables: these rarely have edges."""
_TESTING = frozenset({SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD})
_KINDS: Mapping[Relation, tuple[EdgeKind, ...]] = {
    Relation.CALLS: (EdgeKind.CALL,),
    Relation.INHERITS: (EdgeKind.INHERITS,),
    Relation.USES: (EdgeKind.CALL, EdgeKind.INHERITS, EdgeKind.REFERENCES),
    Relation.TESTS: (EdgeKind.CALL, EdgeKind.INHERITS, EdgeKind.REFERENCES),
}
_OUTSIDE = 8
"""Most external callees that are listed."""
_HOPS = 3
"""Most calls between a test and a definition that no test uses directly."""
_WALKED = 60
"""Most callers of one hop that are followed."""


def users_of(snapshot: Snapshot, symbol: Symbol, relation: Relation) -> Using:
    """List the users of a definition for a relation; tests are only counted if there are other users."""
    found = _incoming(snapshot, symbol, relation)
    shown = [use for use in found if not use.user.is_test] or found
    shown.sort(key=lambda use: _order(use, symbol))
    seen = frozenset(each.user.id for each in shown)
    likely = _unresolved(snapshot, symbol, seen) if shown else _namings(snapshot, symbol, in_tests=False)
    unsure = tuple(islice(likely, _READ if symbol.kind == SymbolKind.VARIABLE else _UNSURE))
    more = _named_elsewhere(snapshot, symbol, shown) if relation == Relation.USES and shown else ()
    return Using(name_of(symbol), relation, symbol, tuple(shown), len(found) - len(shown), unsure, notes=more)


def _named_elsewhere(snapshot: Snapshot, symbol: Symbol, shown: Sequence[Use]) -> tuple[str, ...]:
    """
    Note how many more files of its language have the name of a type in code, for example in signatures without edges.

    If several types have the name, nothing is noted.
    """
    own = snapshot.files.at(symbol.path)
    alike = [each for each in snapshot.symbols.named(symbol.name) if each.kind == SymbolKind.CLASS]
    if symbol.kind != SymbolKind.CLASS or own is None or len(alike) > 1:
        return ()
    told = {symbol.path, *(use.path for use in shown)}
    alike_in = files_with(snapshot, symbol.name, in_code=True)
    own_language = [each.path for each in alike_in if each.path not in told and each.language == own.language]
    more = [path for path in own_language if any(lines_with(snapshot.files.text(path), symbol.name))]
    if not more:
        return ()
    count = f"{len(more)} more file{'' if len(more) == 1 else 's'}"
    return (f"and its name stands in {count}, as a type or in ways that are not resolved: {', '.join(more[:_NAMED])}",)


def callees_of(snapshot: Snapshot, symbol: Symbol) -> Using:
    """List the callees of a definition in the repository, by line; external callees are noted."""
    inside = members(snapshot, symbol) if symbol.kind == SymbolKind.CLASS else ()
    edges = snapshot.graph.outgoing([symbol.id, *(each.id for each in inside)], (EdgeKind.CALL,))
    called = symbols_by_id(snapshot, (each.target_id for each in edges))
    edges = tuple(sorted(edges, key=lambda each: (each.line, each.target_name)))
    by_site: dict[tuple[int, str], list[Use]] = {}
    for use in one_of_each(
        Use(called[each.target_id], symbol.path, each.line, each.confidence)
        for each in edges
        if each.target_id in called and each.target_id != symbol.id
    ):
        by_site.setdefault((use.line, use.user.name), []).append(use)
    uses = tuple(replace(each[0], others=len(each) - 1) for each in by_site.values())
    outside = dict.fromkeys(each.target_name.rpartition(".")[2] for each in edges if each.target_id is None)
    named = ", ".join(list(outside)[:_OUTSIDE])
    notes = (f"and outside of the repository, or unresolved: {named}",) if outside else ()
    return Using(name_of(symbol), Relation.CALLEES, symbol, uses, notes=notes)


def tests_of(snapshot: Snapshot, symbol: Symbol) -> Using:
    """
    List the tests that use a definition; if none uses it directly, those that reach it through other code.

    Tests with all words of its name in their names or paths come first.
    """
    found = [use for use in _incoming(snapshot, symbol, Relation.TESTS, members_too=True) if use.user.is_test]
    if not found:
        found = list(_tests_behind(snapshot, symbol))
    own = set(terms_of(symbol.name)[1:] or terms_of(symbol.name))

    def order(use: Use) -> tuple[bool, bool, str, int]:
        user = use.user
        is_named_after = own <= set(count_terms(f"{user.qualified_name} {user.path}"))
        return not is_named_after, user.kind == SymbolKind.MODULE, user.path, use.line

    found.sort(key=order)
    named_after = _named_after(snapshot, symbol, frozenset(use.user.id for use in found))
    likely = sorted(_namings(snapshot, symbol, in_tests=True), key=order) if not found and not named_after else []
    unsure = tuple(likely[:_UNSURE])
    return Using(name_of(symbol), Relation.TESTS, symbol, tuple(found), unsure=unsure, named_after=named_after)


def _named_after(snapshot: Snapshot, symbol: Symbol, known: frozenset[int]) -> tuple[Use, ...]:
    """
    Return the test files, then the tests, with all words of a definition in their names, fewest other words first.

    For a method with a lower-case name the words of its class are required too.
    """
    is_plain = symbol.kind == SymbolKind.METHOD and symbol.name.islower()
    owner = symbol.qualified_name.rpartition(".")[0] if is_plain else ""
    own = frozenset((*count_terms(owner), *(terms_of(symbol.name)[1:] or terms_of(symbol.name))))
    files = [
        file
        for file in snapshot.files.all()
        if file.is_test and file.parsed and own <= count_terms(file.path.rpartition("/")[2].partition(".")[0]).keys()
    ]
    stems = [term[:_STEM] for term in own]
    spelled = (
        name for name in snapshot.lexical.corpus().symbols.by_name if all(map(name.casefold().__contains__, stems))
    )
    names = [name for name in spelled if own <= count_terms(name).keys()]
    tests = [each for name in names for each in snapshot.symbols.named(name) if each.is_test and each.kind in _TESTING]
    found = [
        *(snapshot.symbols.in_file(file.path)[0] for file in sorted(files, key=lambda each: len(each.path))),
        *sorted(tests, key=lambda each: (len(count_terms(each.name)), each.path, each.start_line)),
    ]
    told = dict.fromkeys(each for each in found if each.id not in known) if own else ()
    return tuple(Use(each, each.path, each.start_line) for each in told)[:_NAMED_AFTER]


def _tests_behind(snapshot: Snapshot, symbol: Symbol) -> Iterator[Use]:
    """Yield the tests that reach a definition by the fewest calls, each with the function that it uses directly."""
    seen, level = {symbol.id}, [symbol]
    for _ in range(_HOPS):
        names = {each.id: name_of(each) for each in level}
        # A test may also refer to a function without calling it: a command for a runner, a callback for a fixture.
        edges = snapshot.graph.incoming([each.id for each in level], _KINDS[Relation.TESTS])
        edges = tuple(each for each in edges if each.source_id not in seen)
        callers = symbols_by_id(snapshot, (each.source_id for each in edges))
        tests = [
            Use(callers[each.source_id], callers[each.source_id].path, each.line, each.confidence, names[target])
            for each in edges
            if (target := each.target_id) in names and callers[each.source_id].is_test
        ]
        if tests:
            yield from one_of_each(tests)
            return
        seen.update(callers)
        calling = {each.source_id for each in edges if each.kind in _KINDS[Relation.CALLS]}
        level = [callers[each] for each in callers if each in calling][:_WALKED]


def _incoming(snapshot: Snapshot, symbol: Symbol, relation: Relation, *, members_too: bool = False) -> list[Use]:
    """
    Return one use of each user; users of a class include the callers of its constructors.

    For a class without users the users of its members are returned: they get its instances from elsewhere.
    """
    inside = members(snapshot, symbol) if symbol.kind == SymbolKind.CLASS else ()
    if symbol.kind == SymbolKind.METHOD:
        return _of_each(snapshot, [symbol.id], relation) or one_of_each(_over_interface(snapshot, symbol, relation))
    if members_too:
        return _of_each(snapshot, [symbol.id, *(each.id for each in inside)], relation)
    making = [each.id for each in constructors(snapshot, symbol)] if inside and relation != Relation.INHERITS else []
    found = _of_each(snapshot, [symbol.id, *making], relation)
    if found or relation != Relation.USES:
        return found
    return _of_each(snapshot, [each.id for each in inside], relation)


def _over_interface(snapshot: Snapshot, symbol: Symbol, relation: Relation) -> Iterator[Use]:
    """
    Yield the users of the methods that override a method: the linker resolves calls of an interface to these.

    A use with only one of them as its target is marked as a use through that method.
    """
    below = {use.user.id: use.user for use in overriding(snapshot, symbol)}
    edges = [each for each in snapshot.graph.incoming(list(below), _KINDS[relation]) if each.source_id not in below]
    targets = Counter((each.source_id, each.line) for each in edges)
    for use, edge in zip(uses_by(snapshot, edges), edges, strict=True):
        only = below.get(edge.target_id or 0) if targets[edge.source_id, edge.line] == 1 else None
        yield replace(use, through=name_of(only)) if only else use


def _of_each(snapshot: Snapshot, targets: Sequence[int], relation: Relation) -> list[Use]:
    edges = [e for e in snapshot.graph.incoming(targets, _KINDS[relation]) if e.source_id not in targets]
    return one_of_each(uses_by(snapshot, edges))


def uses_by(snapshot: Snapshot, edges: Iterable[Edge]) -> Iterator[Use]:
    """Yield the uses of edges, in their order."""
    told = list(edges)
    users = symbols_by_id(snapshot, (each.source_id for each in told))
    for edge in told:
        user = users[edge.source_id]
        yield Use(user, user.path, edge.line, edge.confidence)


def _unresolved(snapshot: Snapshot, symbol: Symbol, seen: frozenset[int]) -> Iterator[Use]:
    """Yield further users that call a method of this name on an object of unknown type."""
    if symbol.kind != SymbolKind.METHOD:
        return
    for use in _namings(snapshot, symbol, in_tests=False, seen=seen):
        edges = snapshot.graph.outgoing([use.user.id], (EdgeKind.CALL,))
        here = [each for each in edges if each.line == use.line and each.target_name.endswith(f".{symbol.name}")]
        if here and all(each.target_id is None for each in here):
            yield use


def _namings(
    snapshot: Snapshot, symbol: Symbol, *, in_tests: bool, seen: frozenset[int] = frozenset()
) -> Iterator[Use]:
    """Yield code that has the name of a definition, with the first such line: its calls may be unresolved."""
    is_plain = symbol.name.islower() and "_" not in symbol.name
    is_field = symbol.kind == SymbolKind.VARIABLE
    if is_plain and not in_tests and not is_field:
        return  # a plain word has many meanings
    is_telling = in_tests and not is_plain  # a property is read without a call
    own = snapshot.files.at(symbol.path)
    forms = [symbol.name] if is_telling or symbol.kind == SymbolKind.CLASS else [f"{symbol.name}(", f"{symbol.name} ("]
    if is_field:
        forms = [f".{symbol.name}"] if is_plain else [symbol.name]
    met = {symbol.id, *seen}
    speaking = symbols_with(snapshot, symbol.name)
    for file in files_with(snapshot, symbol.name, with_tests=in_tests, in_code=True):
        if own is None or file.language != own.language:
            continue
        symbols, text = snapshot.symbols.in_file(file.path), snapshot.files.text(file.path)
        starts = {each.start_line for each in symbols if each.name == symbol.name}
        lines: dict[Symbol, list[int]] = {}
        for number in sorted({line for form in forms for line in lines_with(text, form)} - starts):
            user = innermost(symbols, number) or (symbols[0] if in_tests and symbols else None)
            is_meant = user is not None and user.is_test == in_tests and (user.name != symbol.name or in_tests)
            is_meant = is_meant and not (is_field and user is not None and user.kind == SymbolKind.CLASS)
            if (
                user is not None
                and is_meant
                and (user.id in speaking or user.kind is SymbolKind.MODULE)
                and user.id not in met
            ):
                lines.setdefault(user, []).append(number)
        met.update(user.id for user in lines)
        edges = snapshot.graph.outgoing([user.id for user in lines], _KINDS[Relation.USES])
        known = {(each.source_id, each.line) for each in edges if each.target_name.rpartition(".")[2] == symbol.name}
        for user, numbers in lines.items():  # a line before it may be a comment
            yield Use(user, user.path, next((each for each in numbers if (user.id, each) in known), numbers[0]))


def _order(use: Use, symbol: Symbol) -> tuple[bool, float, str, int]:
    """Sort key: users in the same top-level folder come before others, such as examples; then by confidence."""
    is_elsewhere = use.user.path.partition("/")[0] != symbol.path.partition("/")[0]
    return is_elsewhere, -use.confidence, use.user.path, use.line


def name_of(symbol: Symbol) -> str:
    """Return the qualified name of a definition, or the name of a module."""
    return symbol.qualified_name or symbol.module
