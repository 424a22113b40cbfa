"""Finds the errors of a function: those that it raises or returns itself, and those of its callees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.understanding import Relation
from retriever.domain.declared.message_template import differs
from retriever.domain.values import EdgeKind, FactKind, Origin, SymbolKind
from retriever.usecases.locating.messages import matching_messages
from retriever.usecases.locating.naming import members, symbols_by_id
from retriever.usecases.using.edges import name_of
from retriever.usecases.using.found import Use, Using, examples_last

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retriever.domain.values import Fact, Symbol
    from retriever.ports import Snapshot

_HOPS = 2
"""Most levels of callees that are searched for raises: further down nearly anything may be raised."""
_DEEPER = "and what is raised more than two calls below is not resolved"
_WALKED = 60
"""Most callees of one hop that are followed."""
_SURE = 0.9
"""Least confidence of a call that is followed."""
_TEXT = 60
_ABOVE = 2
"""Most lines between the start of a raising statement and its message."""
_SEVERAL = 3
_MESSAGE = 160


def failing_of(snapshot: Snapshot, symbol: Symbol) -> Using:
    """
    List where a definition, or a member of a class, raises an error itself, with the error, by line.

    For a function that raises nothing itself the raises of its callees are listed; for others they are noted.
    """
    inside = members(snapshot, symbol) if symbol.kind == SymbolKind.CLASS else ()
    users = {each.id: each for each in (symbol, *inside)}
    uses = {each.line: each for each in reversed(list(_raised(snapshot, users)))}
    own = tuple(uses[line] for line in sorted(uses))
    if symbol.kind == SymbolKind.CLASS:
        return Using(name_of(symbol), Relation.FAILS, symbol, own)
    told = {each.through for each in own}
    below, goes_on = _failing_behind(snapshot, symbol)
    behind = tuple(each for each in below if each.through not in told)
    notes = tuple(
        f"and what it calls may raise {each.through}: {name_of(each.user)}, at {each.path}:{each.line}"
        for each in behind
    )
    notes = notes if own else (_DEEPER,) if goes_on else ()
    return Using(name_of(symbol), Relation.FAILS, symbol, own or behind, notes=notes)


def raisers_of_message(snapshot: Snapshot, message: str) -> Using | None:
    """
    List the code that raises exactly this message, by path and line.

    None if fewer than three places do, since these are shown one by one, or if a place only logs the message.
    """
    matched = [fact for fact, _ in matching_messages(snapshot, message)]
    symbols = symbols_by_id(snapshot, (fact.symbol_id for fact in matched))
    made = [fact for fact in matched if not symbols[fact.symbol_id].is_test]
    if not made or differs(made[0].value, message):
        return None
    alike = [fact for fact in made if fact.value == made[0].value]
    raised = [_raised_at(snapshot, fact) for fact in alike]
    if len(alike) < _SEVERAL or None in raised:
        return None
    uses = (Use(symbols[fact.symbol_id], symbols[fact.symbol_id].path, fact.line) for fact in alike)
    told = examples_last(sorted(uses, key=lambda each: (each.path, each.line)))
    in_tests = sum(fact.value == made[0].value for fact in matched) - len(alike)
    name = " ".join(made[0].value.split())[:_MESSAGE]
    name = f"{raised[0]}: {name}" if raised[0] and len(set(raised)) == 1 else name
    return Using(name, Relation.RAISES, None, tuple(told), in_tests)


def _raised_at(snapshot: Snapshot, message: Fact) -> str | None:
    """Return the exception type that is raised with a message, "" if it has no name; None if nothing is raised."""
    facts = snapshot.facts.of([message.symbol_id], (FactKind.RAISES, FactKind.ERROR_STRING))
    told = next((each for each in facts if (each.kind, each.line) == (FactKind.ERROR_STRING, message.line)), message)
    if told.origin not in (Origin.RAISED, Origin.RETURNED, Origin.ASSERTED):
        return None
    near = (each for each in facts if each.kind == FactKind.RAISES and 0 <= message.line - each.line <= _ABOVE)
    return next((each.value for each in near), told.detail if told.origin == Origin.ASSERTED else "")


def _failing_behind(snapshot: Snapshot, symbol: Symbol) -> tuple[list[Use], bool]:
    """
    Return the errors that callees of a function raise, and whether there are further calls that are not followed.

    Each exception type or text is returned once, at its nearest place. Only calls of high confidence are followed;
    raises of variables are left out: their type is unknown.
    """
    seen, level, told = {symbol.id}, [symbol.id], dict[str, Use]()
    for _ in range(_HOPS):
        edges = [e for e in snapshot.graph.outgoing(level, (EdgeKind.CALL,)) if e.confidence >= _SURE]
        met = symbols_by_id(snapshot, (each.target_id for each in edges if each.target_id not in seen))
        called = {key: each for key, each in met.items() if not each.is_test}
        places = {edge.target_id: place for place, edge in reversed(list(enumerate(edges)))}
        for use in sorted(_raised(snapshot, called), key=lambda each: (places[each.user.id], each.line)):
            name = use.through.rpartition(".")[2].lstrip("_")
            if name[:1].isupper() or use.through.startswith('"'):
                told.setdefault(use.through, use)
        seen.update(called)
        level = list(called)[:_WALKED]
    further = snapshot.graph.outgoing(level, (EdgeKind.CALL,))
    return list(told.values()), any(each.target_id is not None and each.target_id not in seen for each in further)


def _raised(snapshot: Snapshot, users: Mapping[int, Symbol]) -> Iterator[Use]:
    """Yield the exceptions that definitions raise, then the texts of errors that they return."""
    for fact in snapshot.facts.of(list(users), (FactKind.RAISES,)):
        yield Use(users[fact.symbol_id], users[fact.symbol_id].path, fact.line, through=fact.value)
    for fact in snapshot.facts.of(list(users), (FactKind.ERROR_STRING,)):
        if fact.origin == Origin.RETURNED:
            user = users[fact.symbol_id]
            yield Use(user, user.path, fact.line, through=f'"{" ".join(fact.value.split())[:_TEXT]}"')
