"""
Verdicts on what code does: calls, raises, catches, changes, inherits and names.

A claim is refuted only where the subject's own lines do not name the object and its calls cannot lead to it.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from common.core.contract.evidence import ClaimKind, ClaimVerdict
from retriever.domain.claims import ends_with, is_of_receiver, names_in
from retriever.domain.questions.names import matches, parse
from retriever.domain.values import EdgeKind, FactKind, Resolution, SymbolKind
from retriever.usecases.locating.naming import bases, closest, constructors, find_symbols, symbols_by_id
from retriever.usecases.using.written import catchers_of
from retriever.usecases.verdicts.bodies import READS_BY_NAME, WRITES_BY_NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.contract.evidence import Claim
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot
    from retriever.usecases.verdicts.bodies import Bodies

_VERIFIED, _REFUTED, _OPEN = ClaimVerdict.VERIFIED, ClaimVerdict.CONTRADICTED, ClaimVerdict.UNCHECKABLE
_WORDS_OF_BY_THE_LANGUAGE = """
ArithmeticError AttributeError EOFError ImportError IndexError KeyError KeyboardInterrupt LookupError MemoryError
ModuleNotFoundError NameError OSError OverflowError RecursionError StopIteration SyntaxError TypeError
UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError ZeroDivisionError
"""
_BY_THE_LANGUAGE = frozenset(_WORDS_OF_BY_THE_LANGUAGE.split())
"""Exceptions that a statement raises without naming them."""
_CALLED_BY_CALLEES = 2
"""Levels of calls within which a claim that a function calls another is not refuted: a callee may call it."""
_FOLLOWED = 4
"""Levels of calls that are followed to code that raises or changes something."""
Verdict = tuple[ClaimVerdict, str]


def behaves(snapshot: Snapshot, claim: Claim, bodies: Bodies) -> Verdict:
    """Return the verdict on an action of a subject; `object` is what it calls, raises, catches, changes or names."""
    if not names_in(claim.object):
        return _OPEN, "the claim does not say what is called, raised or changed"
    return _CHECKS[claim.kind](snapshot, claim, bodies)


def _definitions(snapshot: Snapshot, written: str) -> tuple[Symbol, ...]:
    name = parse(written)
    return closest(find_symbols(snapshot, name), name) if name else ()


def _calls(snapshot: Snapshot, claim: Claim, bodies: Bodies) -> Verdict:
    targets = _definitions(snapshot, claim.object)
    wanted = {symbol.id for symbol in targets}
    for target in targets:
        if target.kind == SymbolKind.CLASS:
            made = (target, *bases(snapshot, target))
            wanted |= {each.id for owner in made for each in constructors(snapshot, owner)}
    names = names_in(claim.object)
    callees = symbols_by_id(snapshot, (edge.target_id for edge in bodies.calls))
    for edge in bodies.calls:
        callee = callees.get(edge.target_id or 0)
        is_alike = matches(callee, names) if callee else ends_with(names_in(edge.target_name), names)
        if edge.target_id in wanted or is_alike:
            return _VERIFIED, f"{bodies.by_id[edge.source_id].path}:{edge.line} calls {edge.target_name}"
    if names[-1] in bodies.called and bodies.words.issuperset(names[:-1]) and not _is_type(names[-2:-1]):
        return _VERIFIED, f"{claim.subject} ({bodies.place}) calls something of the name {names[-1]}"
    if mentioned := _mentioned(claim, bodies) or _calls_a_method(claim, bodies):
        return mentioned
    if names[-1].startswith("__") or bodies.call_any(READS_BY_NAME):
        return _OPEN, f"{claim.subject} may call {names[-1]} without its name"
    if opaque := bodies.opaque():
        return _OPEN, f"{claim.subject} makes calls whose target is not known: {opaque}"
    own = frozenset(each.id for each in targets if each.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD})
    if own and (through := bodies.reaches(own, _CALLED_BY_CALLEES, by_name=False)):
        return _OPEN, f"{claim.subject} does not call {through.qualified_name} itself, but what it calls does"
    return _refuted(claim, bodies)


def _is_type(owner: Sequence[str]) -> bool:
    return any(each[:1].isupper() for each in owner)


def _raises(snapshot: Snapshot, claim: Claim, bodies: Bodies) -> Verdict:
    wanted = names_in(claim.object)
    types = [each for each in _definitions(snapshot, claim.object) if each.kind == SymbolKind.CLASS]
    below, above = _subclasses(snapshot, types, wanted[-1]), _superclasses(types, wanted[-1])
    wider = ""
    for fact in snapshot.facts.of([each.id for each in bodies.symbols], (FactKind.RAISES,)):
        raised = names_in(fact.value)
        place = f"{bodies.by_id[fact.symbol_id].path}:{fact.line} raises {fact.value}"
        if ends_with(raised, wanted) or ends_with(wanted, raised) or (raised and raised[-1] in below):
            return _VERIFIED, place
        # In "raise self.error" a value is raised, whose type is unknown.
        is_open = not raised or raised[-1] in above or not _is_type(raised[-1:])
        wider = wider or (place if is_open else "")
    if wider:
        return _OPEN, f"{wider}, which may be one"
    if mentioned := _mentioned(claim, bodies):
        return mentioned
    related = frozenset({wanted[-1]}) | below | above
    facts = [fact for name in sorted(related) for fact in snapshot.facts.with_value(FactKind.RAISES, name)]
    raisers = frozenset(fact.symbol_id for fact in facts)
    if through := bodies.reaches(raisers, _FOLLOWED) if raisers else None:
        return (
            _OPEN,
            f"{claim.subject} does not raise {wanted[-1]} itself; {through.qualified_name}, which it may call, does",
        )
    if not types and (outside := bodies.outside()):
        return _OPEN, f"{claim.subject} does not name {wanted[-1]}, but {outside}, which it calls, may raise it"
    if not types and not _BY_THE_LANGUAGE.isdisjoint({wanted[-1], *below}):
        return _OPEN, f"{claim.subject} does not name {wanted[-1]}, but its statements may raise it"
    if raisers and (opaque := bodies.opaque()):
        return _OPEN, f"{claim.subject} makes calls whose target is not known: {opaque}"
    return _refuted(claim, bodies)


def _mutates(snapshot: Snapshot, claim: Claim, bodies: Bodies) -> Verdict:
    wanted = names_in(claim.object)
    for fact in snapshot.facts.of([each.id for each in bodies.symbols], (FactKind.MUTATES,)):
        names = names_in(fact.value)
        if ends_with(names, wanted) or ends_with(wanted, names):
            return _VERIFIED, f"{bodies.by_id[fact.symbol_id].path}:{fact.line} changes {fact.value}"
    if mentioned := _mentioned(claim, bodies):
        return mentioned
    if bodies.call_any(WRITES_BY_NAME):
        return _OPEN, f"{claim.subject} may change {wanted[-1]} without its name"
    facts = snapshot.facts.with_value(FactKind.MUTATES, wanted[-1])
    family = _family_around(snapshot, bodies.symbols[0]) if is_of_receiver(claim.object) else frozenset[str]()
    setters = frozenset(each.symbol_id for each in facts if not (family and each.detail) or each.detail in family)
    if through := bodies.reaches(setters, _FOLLOWED) if setters else None:
        return (
            _OPEN,
            f"{claim.subject} does not change {wanted[-1]} itself; {through.qualified_name}, which it may call, does",
        )
    if len(wanted) == 1 and not facts and not snapshot.symbols.named(wanted[0]):
        return _OPEN, f"{wanted[0]} is no state that the index knows; a local variable may have the name"
    return _refuted(claim, bodies)


def _family_around(snapshot: Snapshot, symbol: Symbol) -> frozenset[str]:
    """Return the names of the innermost class around a definition, and of its bases, subclasses and their bases."""
    around = [
        each
        for each in snapshot.symbols.in_file(symbol.path)
        if each.kind == SymbolKind.CLASS and each.start_line <= symbol.start_line and symbol.end_line <= each.end_line
    ][-1:]
    related = (*around, *snapshot.symbols.get(sorted(_below(snapshot, around))))
    return frozenset(one.name for each in related for one in (each, *bases(snapshot, each)))


def _catches(snapshot: Snapshot, claim: Claim, bodies: Bodies) -> Verdict:
    name = parse(claim.object)
    assert name is not None, "an object without names is not checked"
    for use in catchers_of(snapshot, name).uses:
        if any(use.path == each.path and each.start_line <= use.line <= each.end_line for each in bodies.symbols):
            return _VERIFIED, f"{use.path}:{use.line} takes up {name.last}"
    return _mentioned(claim, bodies) or (_OPEN, f"{claim.subject} does not name {name.last}; it may catch a base of it")


def _inherits(snapshot: Snapshot, claim: Claim, bodies: Bodies) -> Verdict:
    owner, wanted = bodies.symbols[0], names_in(claim.object)
    classes = (owner, *bases(snapshot, owner))
    edges = snapshot.graph.outgoing([each.id for each in classes], (EdgeKind.INHERITS,))
    for edge in edges:
        if ends_with(names_in(edge.target_name), wanted[-1:]):
            return _VERIFIED, f"{owner.path}:{edge.line} extends {edge.target_name}"
    is_known = owner.kind == SymbolKind.CLASS and all(edge.resolution == Resolution.RESOLVED for edge in edges)
    if not is_known or wanted[-1] in bodies.words:
        return _OPEN, f"the index does not show all that {claim.subject} extends"
    return _refuted(claim, bodies)


def _refers(snapshot: Snapshot, claim: Claim, bodies: Bodies) -> Verdict:
    wanted = names_in(claim.object)[-1]
    if wanted in bodies.words:
        return _VERIFIED, f"{claim.subject} ({bodies.place}) names {wanted}"
    targets = _definitions(snapshot, claim.object)
    functions = frozenset(each.id for each in targets if each.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD})
    is_function = bool(targets) and len(functions) == len(targets)
    if not is_function or bodies.call_any(READS_BY_NAME) or bodies.opaque() or bodies.reaches(functions, _FOLLOWED):
        return _OPEN, f"{claim.subject} ({bodies.place}) does not name {wanted}"
    return _refuted(claim, bodies)


_CHECKS = {
    ClaimKind.CALLS: _calls,
    ClaimKind.RAISES: _raises,
    ClaimKind.MUTATES: _mutates,
    ClaimKind.CATCHES: _catches,
    ClaimKind.INHERITS: _inherits,
    ClaimKind.REFERS: _refers,
}


def _mentioned(claim: Claim, bodies: Bodies) -> Verdict | None:
    wanted = names_in(claim.object)[-1]
    if wanted in bodies.words:
        return _OPEN, f"{claim.subject} names {wanted}, but the index does not show what it does to it"
    return None


def _calls_a_method(claim: Claim, bodies: Bodies) -> Verdict | None:
    """Leave the claim open if the subject calls a method of the claimed type: "it hands over to the `Reader`"."""
    wanted = names_in(claim.object)
    edge = next((each for each in bodies.calls if ends_with(names_in(each.target_name)[:-1], wanted)), None)
    return (_OPEN, f"{claim.subject} calls {edge.target_name}") if edge else None


def _refuted(claim: Claim, bodies: Bodies) -> Verdict:
    return _REFUTED, f"nothing in {claim.subject} ({bodies.place}) names {names_in(claim.object)[-1]}"


def _subclasses(snapshot: Snapshot, types: Sequence[Symbol], name: str) -> frozenset[str]:
    known = getattr(builtins, name, None)
    found = {each.__name__ for each in _all_below(known)} if isinstance(known, type) and not types else set[str]()
    return frozenset(found | {each.name for each in snapshot.symbols.get(sorted(_below(snapshot, types)))})


def _below(snapshot: Snapshot, types: Sequence[Symbol]) -> set[int]:
    """Return the classes that inherit from some classes, at any depth."""
    level, seen = [each.id for each in types], set[int]()
    while level:
        edges = snapshot.graph.incoming(level, (EdgeKind.INHERITS,))
        level = [edge.source_id for edge in edges if edge.source_id not in seen]
        seen.update(level)
    return seen


def _all_below(known: type) -> set[type]:
    below = set(known.__subclasses__()) if issubclass(known, BaseException) else set()
    return below | {deeper for each in below for deeper in _all_below(each)}


def _superclasses(types: Sequence[Symbol], name: str) -> frozenset[str]:
    """Return the bases of a built-in exception: raising a base may produce it, as with OSError."""
    known = getattr(builtins, name, None)
    found = {each.__name__ for each in known.__mro__[1:]} if isinstance(known, type) and not types else set[str]()
    return frozenset(found - {"object"})
