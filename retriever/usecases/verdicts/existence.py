"""Verdicts on whether a name exists: as a definition, an attribute that its owner sets, or otherwise in code."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapOutcome
from common.core.words.terms import terms_of
from retriever.domain.claims import identifiers, names_in
from retriever.domain.questions.names import RECEIVERS, Name, parse
from retriever.domain.tasks.gaps import Match
from retriever.domain.values import EdgeKind, FactKind, Resolution, SymbolKind
from retriever.usecases.locating.naming import (
    FUNCTIONS,
    bases,
    closest,
    constructors,
    find_modules,
    find_symbols,
    members,
    symbols_by_id,
)
from retriever.usecases.verdicts.bodies import Bodies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.contract.evidence import Span
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot

_ANY_NAME = frozenset({"__getattr__", "__getattribute__", "method_missing", "__call"})
"""Special methods that can provide any other member of an object."""
_MARKERS = frozenset({"abc.ABC", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol"})
"""External bases that add no members."""


def at_place(snapshot: Snapshot, written: str, place: Span | None) -> Match | None:
    """Return the definition of a name in the cited lines, else in the cited file; None for none or several."""
    name = parse(written)
    if name is None or not name.parts or place is None:
        return None
    there = [each for each in find_symbols(snapshot, name) if each.path == place.path]
    within = [
        each
        for each in there
        if not place.start_line or (each.start_line <= place.end_line and place.start_line <= each.end_line)
    ]
    found = closest(within or there, name)
    if not found or len({each.qualified_name for each in found}) > 1:
        return None
    at = found[0]
    return Match(GapOutcome.RESOLVED, "symbol", f"{name.dotted} is defined at {at.path}:{at.start_line}", found)


def as_member(snapshot: Snapshot, written: str) -> Match | None:
    """
    Return what is known of a member without a definition: an attribute that its class or a module sets.

    The member is absent if all members of its owner are known and none has the name. A name without an owner that
    occurs in code is out of coverage: it may be external. None if nothing is known of the name.
    """
    name = parse(written)
    if name is None or not name.parts:
        return None
    if len(name.parts) == 1:
        detail = f"no definition is called {name.last}, but code has the name"
        return Match(GapOutcome.OUT_OF_COVERAGE, "attribute", detail) if occurs(snapshot, name.last) else None
    owner = Name(name.parts[:-1], name.path)
    classes = [each for each in closest(find_symbols(snapshot, owner), owner) if each.kind == SymbolKind.CLASS]
    if not classes:
        return _of_module(snapshot, owner, name) or _of_object(snapshot, owner, name)
    family = list(dict.fromkeys(each for one in classes for each in (one, *bases(snapshot, one))))
    if place := _set_inside(snapshot, family, name.last):
        return Match(
            GapOutcome.RESOLVED, "attribute", f"{name.dotted} is an attribute that is set at {place}", tuple(classes)
        )
    written_there = snapshot.texts.find(name.dotted, limit=1)
    reason = f"{written_there[0].path} has it" if written_there else _may_have_more(snapshot, family, name.last)
    if not reason and all(each.is_test for each in classes):
        reason = "only tests define one, and another may be meant"
    if reason:
        return Match(
            GapOutcome.OUT_OF_COVERAGE,
            "attribute",
            f"it cannot be said whether {owner.dotted} has {name.last}: {reason}",
        )
    elsewhere = [
        each for each in snapshot.symbols.named(name.last) if each.name == name.last and each.kind != SymbolKind.MODULE
    ]
    hint = f"; {elsewhere[0].qualified_name} is in {elsewhere[0].path}:{elsewhere[0].start_line}" if elsewhere else ""
    at = classes[0]
    detail = f"{owner.dotted} ({at.path}:{at.start_line}) has no {name.last}{hint}"
    return Match(GapOutcome.ABSENT, "attribute", detail, alike=tuple(each.qualified_name for each in elsewhere[:1]))


def _of_module(snapshot: Snapshot, owner: Name, name: Name) -> Match | None:
    """Return a match if a module has the name anywhere in its lines; None otherwise."""
    for module in find_modules(snapshot, owner.parts):
        if name.last in Bodies.of(snapshot, (module,)).words:
            return Match(GapOutcome.RESOLVED, "attribute", f"{module.path} has {name.last}", (module,))
    return None


def _of_object(snapshot: Snapshot, owner: Name, name: Name) -> Match | None:
    """Return that a member of a variable or of an external type cannot be checked; None if the name is unknown."""
    is_type = owner.last[:1].isupper()
    is_known = snapshot.structure.external_imports(owner.last) if is_type else occurs(snapshot, name.last)
    if not is_known:
        return None
    why = "it is imported from elsewhere" if is_type else "its type is not known"
    detail = f"it cannot be said whether {owner.dotted} has {name.last}: {why}"
    return Match(GapOutcome.OUT_OF_COVERAGE, "attribute", detail)


def _set_inside(snapshot: Snapshot, family: list[Symbol], last: str) -> str:
    for each in family:
        inside = Bodies.of(snapshot, (each,))
        for fact in snapshot.facts.of([one.id for one in inside.symbols], (FactKind.MUTATES,)):
            names = fact.value.replace("->", ".").split(".")
            is_own = names[0] in RECEIVERS or names[0] == each.name or len(names_in(fact.value)) == 1
            if is_own and last in names_in(fact.value)[:1] + names_in(fact.value)[1:2]:
                return f"{each.path}:{fact.line}"
        if _is_declared(snapshot, each, last):
            return f"{each.path}:{each.start_line}"
    return ""


def _is_declared(snapshot: Snapshot, owner: Symbol, last: str) -> bool:
    """Return whether a class assigns or declares a name outside of its functions."""
    inside = Bodies.of(snapshot, (owner,)).symbols
    functions = [each for each in inside if each.kind in FUNCTIONS]
    given = (
        each
        for each in snapshot.values.named(last)
        if each.path == owner.path and each.keys[-1] == last and owner.name in each.keys[:-1]
    )
    return any(each.name == last and each.kind == SymbolKind.VARIABLE for each in inside) or any(
        not any(one.start_line <= each.line <= one.end_line for one in functions) for each in given
    )


def _own_lines(snapshot: Snapshot, owner: Symbol) -> str:
    """Return the lines of a class outside of its functions and its docstring."""
    said = {line.strip() for line in owner.docstring.split("\n")}
    text = snapshot.files.lines(owner.path, owner.start_line, owner.end_line)
    inside = Bodies.of(snapshot, (owner,)).symbols
    functions = [each for each in inside if each.kind in FUNCTIONS]
    covered = {line for each in functions for line in range(each.start_line, each.end_line + 1)}
    lines = enumerate(text.split("\n"), owner.start_line)
    return "\n".join(line for number, line in lines if number not in covered and line.strip(" \"'") not in said)


def _may_have_more(snapshot: Snapshot, family: list[Symbol], last: str) -> str:
    edges = snapshot.graph.outgoing([each.id for each in family], (EdgeKind.INHERITS,))
    outside = [edge.target_name for edge in edges if edge.resolution != Resolution.RESOLVED]
    foreign = next((each for each in outside if not _lacks(each, last)), "")
    if foreign:
        return f"it extends {foreign}"
    if any(last in identifiers(_own_lines(snapshot, each)) for each in family):
        return "its lines have the name"
    if any(last in identifiers(made.signature) for each in family for made in constructors(snapshot, each)):
        return "its constructor takes one"
    if given := _ANY_NAME.intersection(one.name for each in family for one in members(snapshot, each)):
        return f"{min(given)} may give it"
    owners = {each.name.casefold() for each in family}
    own = {one.id for each in family for one in Bodies.of(snapshot, (each,)).symbols}
    facts = snapshot.facts.with_value(FactKind.MUTATES, last)
    setters = symbols_by_id(snapshot, (fact.symbol_id for fact in facts))
    for fact in facts:
        receiver = fact.value.rpartition(".")[0].rpartition(".")[2]
        if setters[fact.symbol_id].is_test:
            continue
        if receiver and receiver not in RECEIVERS and not _is_of_other(snapshot, fact.detail or receiver, family):
            is_alike = len(receiver) > 2 and any(
                receiver.replace("_", "").casefold() in owner or owner in receiver.casefold() for owner in owners
            )
            if is_alike or fact.symbol_id in own:
                return f"{fact.value} is set elsewhere"
    is_dynamic = Bodies.of(snapshot, tuple(family)).call_any({"setattr"}) and occurs(snapshot, last)
    return "it is set by a name made at run time" if is_dynamic else ""


def _is_of_other(snapshot: Snapshot, written: str, family: Sequence[Symbol]) -> bool:
    """Return whether a written type or variable has the name of classes, none of which is in or extends the family."""
    named = snapshot.symbols.named(written.replace("_", ""))
    classes = [each for each in named if each.kind == SymbolKind.CLASS and not each.is_test]
    return bool(classes) and not any(one in family for each in classes for one in (each, *bases(snapshot, each)))


def _lacks(foreign: str, last: str) -> bool:
    """Return whether a base is known to lack a member: a marker base or a built-in type of Python."""
    if foreign in _MARKERS:
        return True
    known = getattr(builtins, foreign.removeprefix("builtins."), None)
    return isinstance(known, type) and not hasattr(known, last)


def occurs(snapshot: Snapshot, name: str) -> bool:
    """Return whether an identifier occurs in any file, ignoring case."""
    term = terms_of(name)[:1]
    return not term or bool(snapshot.symbols.named(name)) or len(snapshot.lexical.postings(term).files.units) > 0
