"""Finds where the flow of an event starts: at its handler, listener, raiser, or the function that performs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.words.terms import terms_of
from retriever.domain.evidence.basis import Basis, BasisKind
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.facts import EVERYTHING
from retriever.domain.questions.names import Name
from retriever.domain.questions.relations import Relation
from retriever.domain.tasks.context import Candidate
from retriever.domain.values import EdgeKind, FactKind, SymbolKind
from retriever.usecases.locating.naming import FUNCTIONS, symbols_by_id
from retriever.usecases.using.edges import users_of
from retriever.usecases.using.found import Using
from retriever.usecases.using.written import catchers_of, raisers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retriever.domain.happening import Happening
    from retriever.domain.questions.question import Ranking
    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot

LOOKED_AT = 40
"""Matches that are read for how they take up a failure."""
_CONSIDERED = 20
_CALLER = 0.5
"""Rank penalty of a caller against its match."""
_TAKING_UP = 2
_MEETS = {
    BasisKind.CATCHES: "takes up what is raised there",
    BasisKind.RAISES: "raises {} there",
    BasisKind.MAKES: "makes {} there",
}
_MESSAGES = 100
"""Functions whose messages are searched for the event."""
_TELLING = 0.5
"""Share of a message that says what happens, at least: the rest is where, and what is done about it."""
_FEW_CALLERS = 3
"""So many may notice what they tell another."""


def flow_starts(snapshot: Snapshot, ranking: Ranking, happening: Happening) -> list[Candidate]:
    """Return the functions to start at, likeliest first; [] if nothing but the ranking can tell."""
    return _told_of_it(snapshot, ranking, happening) or _taking_up(snapshot, ranking, happening)


def _taking_up(snapshot: Snapshot, ranking: Ranking, happening: Happening) -> list[Candidate]:
    """
    Return who takes up what is raised, of the best matches and their callers: those named like who fails first.

    They, or what they call, have to speak of who fails: others take up failures of their own.
    """
    ranked = [each.symbol for each in ranking.symbols[:LOOKED_AT]]
    place = {each.id: float(position) for position, each in enumerate(ranked)}
    for edge in snapshot.graph.incoming([each.id for each in ranked[:_CONSIDERED]], (EdgeKind.CALL,)):
        if edge.target_id is not None:
            place.setdefault(edge.source_id, place[edge.target_id] + _CALLER)
    found: list[tuple[bool, float, Candidate]] = []
    for each in sorted(snapshot.symbols.get(list(place)), key=lambda each: place[each.id])[: 2 * LOOKED_AT]:
        is_meant = each.kind in FUNCTIONS and not each.is_test and not each.is_aside
        caught = snapshot.facts.of([each.id], (FactKind.CATCHES,)) if is_meant else ()
        line = next((fact.line for fact in caught if fact.value == EVERYTHING), 0)
        if line and _is_about(snapshot, each, happening):
            entry = _meeting_at(each, "catches", BasisKind.CATCHES, "", line)
            found.append((not happening.is_spoken_of(each.qualified_name), place[each.id], entry))
    return [entry for *_, entry in sorted(found, key=lambda each: each[:2])[:_TAKING_UP]]


def _told_of_it(snapshot: Snapshot, ranking: Ranking, happening: Happening) -> list[Candidate]:
    """
    Return who takes up, or raises, the failure that is called like what happens, else who is told of it, does
    it, or says so.

    Where a few call who is told, they notice it, and it begins with them. Those that match go first.
    """
    place = ranking.places()

    def order(symbol: Symbol) -> tuple[int, str, int]:
        return place.get(symbol.id, len(place)), symbol.path, symbol.start_line

    names = snapshot.lexical.corpus().symbols.by_name

    def failures(is_called: Callable[[str], bool]) -> list[Symbol]:
        met = (each for name in names if is_called(name) for each in snapshot.symbols.named(name))
        return [each for each in met if each.kind == SymbolKind.CLASS and is_first_hand(each)]

    exceeded = failures(happening.is_exceeded_as)
    raising = _meeting(snapshot, exceeded, raisers_of, BasisKind.RAISES, order)
    if found := raising or _meeting(snapshot, exceeded, _makers_of, BasisKind.MAKES, order):
        return found
    if found := _meeting(snapshot, failures(happening.is_met_as), catchers_of, BasisKind.CATCHES, order):
        return found
    own = [each for name in names if happening.is_told(name) for each in snapshot.symbols.named(name)]
    told = [each for each in own if each.kind in FUNCTIONS and is_first_hand(each)]
    events = sorted((each for each in told if happening.is_done_by(each.qualified_name)), key=order)[:1]
    edges = snapshot.graph.incoming([each.id for each in events], (EdgeKind.CALL,))
    callers = [each for each in snapshot.symbols.get([edge.source_id for edge in edges]) if is_first_hand(each)]
    noticing = sorted(callers, key=order) if len(callers) <= _FEW_CALLERS else []
    if told_of := [
        Candidate(each, EvidenceRole.ENTRY, "event", "is told of it", 0.6) for each in (noticing or events)[:1]
    ]:
        return told_of
    return _done_itself(snapshot, happening, order) or _saying_so(snapshot, happening, order)


def _meeting(
    snapshot: Snapshot,
    failures: Sequence[Symbol],
    find: Callable[[Snapshot, Name], Using],
    kind: BasisKind,
    order: Callable[[Symbol], tuple[int, str, int]],
) -> list[Candidate]:
    """Return the function that meets one of some failures, as they are found, of several the one that matches best."""
    names = dict.fromkeys(each.name for each in failures)
    uses = [(name, use) for name in names for use in find(snapshot, Name((name,))).uses]
    met = sorted(
        ((name, use) for name, use in uses if use.user.kind in FUNCTIONS), key=lambda each: order(each[1].user)
    )
    return [_meeting_at(use.user, "failure", kind, name, use.line) for name, use in met[:1]]


def _meeting_at(symbol: Symbol, step: str, kind: BasisKind, failure: str, line: int) -> Candidate:
    reason = f"{_MEETS[kind].format(failure)}, line {line}"
    basis = Basis(kind, failure, line=line)
    return Candidate(symbol, EvidenceRole.ENTRY, step, reason, 0.7, (line,), basis)


def _makers_of(snapshot: Snapshot, name: Name) -> Using:
    """Return who makes a failure, to hand it to something that raises it."""
    types = [each for each in snapshot.symbols.named(name.last) if each.name == name.last and is_first_hand(each)]
    uses = (use for each in types for use in users_of(snapshot, each, Relation.CALLS).uses)
    return Using(name.last, Relation.CALLS, None, tuple(uses))


def _saying_so(
    snapshot: Snapshot, happening: Happening, order: Callable[[Symbol], tuple[int, str, int]]
) -> list[Candidate]:
    """Return the function whose message reports the event, the shortest message first: it detects the event."""
    said = [
        (share, fact)
        for fact, _ in snapshot.facts.messages(sorted(happening.terms), _MESSAGES)
        if (share := happening.share_of(fact.value)) >= _TELLING
    ]
    found = symbols_by_id(snapshot, (fact.symbol_id for _, fact in said))
    saying = [(share, fact, found[fact.symbol_id]) for share, fact in said if fact.symbol_id in found]
    meant = [each for each in saying if each[2].kind in FUNCTIONS and is_first_hand(each[2])]
    # What does not match at all says it of something else.
    matching = [each for each in meant if order(each[2])[0] < LOOKED_AT]
    return [
        Candidate(symbol, EvidenceRole.ENTRY, "message", f"says that it happens, line {fact.line}", 0.6, (fact.line,))
        for _, fact, symbol in sorted(matching, key=lambda each: (-each[0], order(each[2])))[:1]
    ]


def _done_itself(
    snapshot: Snapshot, happening: Happening, order: Callable[[Symbol], tuple[int, str, int]]
) -> list[Candidate]:
    """Return the method named after the action, of a type named after its object."""
    said = {word[0] for word in happening.words}
    names = [each for each in snapshot.lexical.corpus().symbols.by_name if said.issuperset(terms_of(each)[:1] or ("",))]
    own = [each for name in names for each in snapshot.symbols.named(name) if each.kind in FUNCTIONS]
    meant = [each for each in own if is_first_hand(each) and happening.is_own_of(each.qualified_name)]
    leading = snapshot.graph.fan_out([each.id for each in meant])
    found = sorted((each for each in meant if each.id in leading), key=order)
    return [Candidate(each, EvidenceRole.ENTRY, "deed", "is what is done", 0.6) for each in found[:1]]


def is_first_hand(symbol: Symbol) -> bool:
    """Tell code itself from tests and what shows its use."""
    return not symbol.is_test and not symbol.is_aside


def _is_about(snapshot: Snapshot, symbol: Symbol, happening: Happening) -> bool:
    edges = snapshot.graph.outgoing([symbol.id], (EdgeKind.CALL,))
    called = symbols_by_id(snapshot, (edge.target_id for edge in edges)).values()
    return any(happening.is_spoken_of(_text(snapshot, each)) for each in (symbol, *called))


def _text(snapshot: Snapshot, symbol: Symbol) -> str:
    return snapshot.files.lines(symbol.path, symbol.start_line, symbol.end_line)
