"""Lists the code that calls, extends, tests, changes or otherwise uses the subject of the question."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from common.core.contract.evidence import Basis, BasisKind
from common.core.contract.understanding import Intent, MentionKind, QuestionPart, Relation, SlotKind
from common.core.words.terms import split_identifier, words
from retriever.domain.evidence.piece import Draft, EvidenceRole
from retriever.domain.questions.names import Name, parse
from retriever.domain.tasks.context import Candidate, Context, Part, Task
from retriever.domain.values import Symbol, SymbolKind
from retriever.usecases.evidence.drafting import list_draft
from retriever.usecases.locating.naming import closest, find_symbols, received
from retriever.usecases.locating.occurrences import alike
from retriever.usecases.using import edges, failing, implementing, written
from retriever.usecases.using.tests_by_words import tests_described

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retriever.ports import Judge, Snapshot
    from retriever.usecases.using.found import Use, Using

_MEANT, _TYPES_MEANT = 8, 40
"""Most definitions of one name whose users are looked up; of types more, as implementations often share a name."""
_LISTED = 12
_BY_DEFINITION = frozenset(
    {Relation.CALLS, Relation.CALLEES, Relation.INHERITS, Relation.USES, Relation.TESTS, Relation.FAILS}
    | {Relation.IMPLEMENTS, Relation.OVERRIDES}
)
"""Relations that need a definition in the repository; the others also apply to attributes and external names."""
_OUTGOING = frozenset({Relation.CALLEES, Relation.FAILS, Relation.TESTS})
"""Relations that get no note about files missing from the index."""
_OF_TYPES = frozenset({Relation.INHERITS, Relation.IMPLEMENTS})
_DESCRIBING = (SlotKind.SUBJECT, SlotKind.OBJECT, SlotKind.VERB, SlotKind.CONDITION)
"""Slots with words that may occur in the name of a test."""
_DOERS = frozenset({Relation.CALLS, Relation.CALLEES, Relation.TESTS, Relation.OVERRIDES, Relation.FAILS})
_BASES = {Relation.CALLS: BasisKind.CALLS, Relation.CALLEES: BasisKind.CALLED, Relation.RAISES: BasisKind.RAISES}

_PASSIVE: Mapping[Relation, str] = MappingProxyType(
    {Relation.CALLEES: "called by {}", Relation.FAILS: "a part of {} that raises", Relation.NAMES: "called {}"}
)
_VERBS: Mapping[Relation, str] = MappingProxyType(
    {
        Relation.CALLS: "calls",
        Relation.INHERITS: "inherits from",
        Relation.IMPLEMENTS: "implements",
        Relation.OVERRIDES: "overrides",
        Relation.USES: "uses",
        Relation.TESTS: "tests",
        Relation.SETS: "sets",
        Relation.RAISES: "raises",
        Relation.CATCHES: "catches",
        Relation.IMPORTS: "imports",
    }
)
"""Clauses about a user, without the user; `{}` is the thing that is used."""


class Users:
    """Drafts a list of users for each definition that the question asks about; nothing if it asks about none."""

    name = "users"
    needs = frozenset({Part.CODE_INDEX, Part.CALL_GRAPH})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look up the users of what the question names."""
        meant = tuple(each for each in task.anchors.symbols if each not in task.question)
        parts = task.understanding.of(Intent.RELATION, Intent.IMPACT)
        asked = [each for part in parts for each in Asked.of(part, task, meant if len(meant) == 1 else ())]
        asked = [each for each in asked if each.names and not is_of_the_whole(snapshot, each.relation, each.names)]
        if not asked:
            return context
        found = await asyncio.to_thread(_find_all, snapshot, asked, context)
        drafts = [users_draft(each) for each in found]
        users = (candidate for each in found for candidate in candidates_of(each))
        context = context.with_drafts(drafts).with_candidates(self.name, users)
        return context.with_step("call_graph")


@dataclass(frozen=True, slots=True)
class Asked:
    """
    Names whose users are wanted, the relation, and the type that owns them, if named.

    `told` is the text of the part of the question; `is_described` means that its subject is not written as a name.
    """

    names: tuple[str, ...]
    relation: Relation
    owner: str = ""
    words: tuple[str, ...] = ()
    told: str = ""
    is_described: bool = False

    @classmethod
    def of(cls, part: QuestionPart, task: Task, meant: tuple[str, ...]) -> Iterator[Asked]:
        """Yield what a part asks; if it names nothing, about the names that the session resolved (`meant`)."""
        told, named = part.asked(task.question), task.understanding.named(*MentionKind)
        is_described = not any(each in named for each in part.texts(SlotKind.SUBJECT))
        relations = (part.relation, *([Relation.TESTS] if part.intent is Intent.IMPACT else []))
        for each in dict.fromkeys(relations):
            words = part.texts(*_DESCRIBING) if each is part.relation else ()
            names = part.texts(SlotKind.SUBJECT) or meant
            yield cls(names, each, part.text(SlotKind.OWNER), words, told, is_described)


def is_of_the_whole(snapshot: Snapshot, relation: Relation, names: Sequence[str]) -> bool:
    """Return whether the question asks what the whole project may raise: the names are those of the project."""
    project = {part.casefold() for word in words(snapshot.info.repository) for part in split_identifier(word)}
    return relation is Relation.FAILS and bool(names) and all(each.casefold() in project for each in names)


def _find_all(snapshot: Snapshot, asked: Sequence[Asked], context: Context) -> list[Using]:
    rank = context.ranking.places()
    found: list[Using] = []
    for each in asked:
        own = find_users(snapshot, each, rank)
        if not own and each.owner:  # "'x' of the list in `f`": look up `f`
            own = find_users(snapshot, replace(each, names=(each.owner,), owner=""), rank)
        if each.relation is Relation.TESTS and (each.is_described or not own):
            described = tests_described(snapshot, each.told, " ".join(each.words), in_full=bool(own))
            own = [described] if described else own
        found += own
    return found


def find_users(snapshot: Snapshot, asked: Asked, rank: Mapping[int, int]) -> list[Using]:
    """
    Return the users for each definition asked about that has any, else for the likeliest definition.

    If the question asks what handles a name and nothing catches it, it may be a procedure: return its handlers.
    """
    found = _find(snapshot, asked, rank)
    if asked.relation is Relation.CATCHES and not any(each.uses for each in found):
        handled = _find(snapshot, replace(asked, relation=Relation.OVERRIDES), rank)
        found = [each for each in handled if each.uses] or found
    missing = _not_indexed(snapshot)
    return [each if each.relation in _OUTGOING else replace(each, notes=(*each.notes, *missing)) for each in found]


def _not_indexed(snapshot: Snapshot) -> tuple[str, ...]:
    """Note the files without indexed text or edges: they may contain further users."""
    files = [each for each in snapshot.coverage.left_out() if not each.is_read]
    unlinked = [each for each in snapshot.files.all() if each.parsed and each.error]
    noted = ((files, "the index has no text of it: it {0.why}"), (unlinked, "the index has no edges of it: {0.error}"))
    return tuple(
        f"and those in {few[0].path}{f' and {len(few) - 1} more' if few[1:] else ''} ({why.format(few[0])})"
        for few, why in noted
        if few
    )


def _find(snapshot: Snapshot, asked: Asked, rank: Mapping[int, int]) -> list[Using]:
    if asked.relation not in _BY_DEFINITION:
        return [each for written_ in asked.names if (each := _of_name(snapshot, asked.relation, written_))]
    meant, relation, most = list(_meant(snapshot, asked)), asked.relation, _MEANT
    types = [each for each in meant if each.kind == SymbolKind.CLASS]
    if relation == Relation.IMPLEMENTS and not types:
        relation = Relation.OVERRIDES
    if relation == Relation.OVERRIDES:
        meant = implementing.overridden(snapshot, meant) or meant
    elif relation in _OF_TYPES:
        meant, most = types, _TYPES_MEANT
    likely = sorted(meant, key=lambda each: rank.get(each.id, len(rank)))[:most]
    found = [_of_definition(snapshot, relation, each) for each in likely]
    if asked.relation == Relation.USES and not any(each.uses for each in found):
        # A fallback variable may have the same name as an optional third-party package.
        imported = [_of_name(snapshot, Relation.IMPORTS, each) for each in asked.names]
        found = [each for each in imported if each and (each.uses or each.in_tests)] or found
    # Of overloads keep those that raise something themselves: the others only delegate to them.
    itself = {each.name for each in found if each.relation == Relation.FAILS and _fails_itself(each)}
    found = [each for each in found if each.name not in itself or _fails_itself(each)]
    telling = [each for place, each in enumerate(found) if each.uses or each.named_after or place == 0]
    # One name may be defined twice, for different builds.
    return list({(each.name, each.uses): each for each in reversed(telling)}.values())[::-1]


def _fails_itself(found: Using) -> bool:
    return any(use.user == found.thing for use in found.uses)


def _of_definition(snapshot: Snapshot, relation: Relation, symbol: Symbol) -> Using:
    if relation == Relation.CALLEES:
        return edges.callees_of(snapshot, symbol)
    if relation == Relation.FAILS:
        return failing.failing_of(snapshot, symbol)
    if relation == Relation.TESTS:
        return edges.tests_of(snapshot, symbol)
    if relation == Relation.IMPLEMENTS:
        return implementing.implementers_of(snapshot, symbol)
    if relation == Relation.OVERRIDES:
        return implementing.overriders_of(snapshot, symbol)
    return edges.users_of(snapshot, symbol, relation)


def _of_name(snapshot: Snapshot, relation: Relation, name: str) -> Using | None:
    """Return the users of a name that may have no definition here; None if it is no name or is unknown."""
    parsed = parse(name)
    if relation == Relation.IMPORTS:
        return written.importers_of(snapshot, name, parsed)
    if parsed is None or not parsed.parts:
        return None
    if relation == Relation.SETS:
        found = written.setters_of(snapshot, parsed)
        return found if found.uses else None
    found = (written.raisers_of if relation == Relation.RAISES else written.catchers_of)(snapshot, parsed)
    is_type = parsed.last[:1].isupper()
    return found if is_type or found.uses or found.in_tests else None


def _meant(snapshot: Snapshot, asked: Asked) -> Iterator[Symbol]:
    """
    Yield the definitions of every name; if an owner is named and has such members, only those.

    A name without definitions stands for the one similarly spelled name, if there is exactly one.
    """
    for each in asked.names:
        spelled = (f"{asked.owner}.{each}", each) if asked.owner else (each,)
        names = [name for name in map(parse, spelled) if name and name.parts]
        names += [Name((*name.parts[:-1], other)) for name in names[-1:] if (other := _misspelled(snapshot, name))]
        borne = chain(
            ((name, find_symbols(snapshot, name)) for name in names), ((n, received(snapshot, n)) for n in names)
        )
        found = (closest(_of_kind(symbols, asked.relation), name) for name, symbols in borne)
        yield from next(filter(None, found), ())


def _misspelled(snapshot: Snapshot, name: Name) -> str:
    likely = alike(snapshot, name.last)
    return likely[0] if len(likely) == 1 else ""


def _of_kind(found: Sequence[Symbol], relation: Relation) -> Sequence[Symbol]:
    """Keep what the relation applies to; a constructor with the name of its class is dropped for the class."""
    if relation not in _DOERS:
        return found
    if relation == Relation.OVERRIDES:
        return [each for each in found if each.kind == SymbolKind.METHOD]
    classes = {(each.path, each.name) for each in found if each.kind == SymbolKind.CLASS}
    return [each for each in found if each.kind == SymbolKind.CLASS or (each.path, each.name) not in classes]


def users_draft(found: Using, *, most: int = _LISTED) -> Draft:
    """Draft the list of users: one per line with its place, `most` at most, and how many more there are."""
    told = [use.user for use in (*found.uses[:most], *found.unsure, *found.named_after)]
    return list_draft(found.listing(most), (*([found.thing] if found.thing else []), *told))


def candidates_of(found: Using) -> list[Candidate]:
    """Return the listed users as candidates for source."""
    return [_candidate(found, use) for use in found.uses[:_LISTED]]


def _candidate(found: Using, use: Use) -> Candidate:
    is_there = use.path == use.user.path and found.relation != Relation.CALLEES
    return Candidate(
        use.user,
        EvidenceRole.CALLER,
        "users",
        _said_of_user(found),
        use.confidence,
        (use.line,) if is_there else (),
        Basis(_BASES[found.relation], found.name) if found.relation in _BASES else None,
    )


def _said_of_user(found: Using) -> str:
    """Return the relation of a user to the used thing, as a clause without the user."""
    passive = _PASSIVE.get(found.relation)
    return passive.format(found.name) if passive else f"{_VERBS[found.relation]} {found.name}"
