"""Describes a definition that the question names: documentation, members or calls, bases and users."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, MentionKind, Relation, SlotKind
from retriever.domain.evidence.definitions import grouped_by_name, shown_of
from retriever.domain.evidence.piece import EvidenceRole
from retriever.domain.questions.names import parse
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import EdgeKind, SymbolKind, SymbolMark, Tier
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import card_draft, list_draft
from retriever.usecases.evidence.places import list_of, place_of, said_of
from retriever.usecases.locating.naming import FUNCTIONS, closest, find_symbols, received, symbols_by_id
from retriever.usecases.locating.naming import members as members_of
from retriever.usecases.stages.relations.users import users_draft
from retriever.usecases.using import edges
from retriever.usecases.using.implementing import implementers_of, methods_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from common.core.contract.understanding import QuestionPart
    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.using.found import Using

_MEANT = 6
"""Most definitions of one name that are considered."""
_DECLARED = (Tier.STATIC, Tier.PRECISE)
"""Tiers of edges to bases that a class declares itself, in contrast to interfaces matched by methods."""
_MEMBERS, _USERS, _NOTED = 8, 5, 4


class Named:
    """
    Drafts the documentation of a named definition, a list of its members or callees, and a list of its users.

    A name without a definition may be that of a folder or module. Of several definitions the most used one is
    described and the others are listed, except its bases and subclasses.
    """

    name = "named"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """For each part of the question, look up the first name that has a definition."""
        for part in task.understanding.of(Intent.MEANING, Intent.LOCATION):
            found = await asyncio.to_thread(_drafts, snapshot, task, part)
            context = context.with_drafts(found).with_step(self.name) if found else context
        return context


def _drafts(snapshot: Snapshot, task: Task, part: QuestionPart) -> list[Draft]:
    meant = next(filter(None, (defined(snapshot, each) for each in _names(task, part))), [])
    if part.intent is Intent.LOCATION:
        return [_card(snapshot, each) for each in meant]
    if not meant:
        places = (place_of(snapshot, each) for each in part.texts(SlotKind.SUBJECT))
        return [list_of(each) for each in places if each]
    first, others = meant[0], _unrelated(snapshot, meant)
    cards = [_card(snapshot, each) for each in (first, *others)]
    users = _users(snapshot, first)
    return [*cards, _described(snapshot, first, others), *([users_draft(users, most=_USERS)] if users.uses else [])]


def _names(task: Task, part: QuestionPart) -> Iterator[str]:
    """Yield the names that a part may refer to, the likeliest first: `Pool.close` for "the close method of Pool"."""
    subjects, owner = part.texts(SlotKind.SUBJECT, SlotKind.OBJECT), part.text(SlotKind.OWNER)
    yield from (f"{each}.{subjects[0]}" for each in (owner, *subjects[1:2]) if each and subjects)
    meant = (each for each in task.anchors.symbols if each not in task.question)
    yield from (*subjects, *task.understanding.named(MentionKind.SYMBOL, MentionKind.EXCEPTION), *meant)


def defined(snapshot: Snapshot, written: str) -> list[Symbol]:
    """
    Return the definitions of a name: classes first, then the most used, then the longest.

    A plain lower-case word may refer to a class: "a storage" is `Storage` rather than a method of that name.
    """
    name = parse(written)
    if name is None or not name.parts:
        return []
    found = list(closest(find_symbols(snapshot, name), name) or closest(received(snapshot, name), name))
    if len(name.parts) == 1 and (not found or written.isalpha()):
        alike = [each for each in snapshot.symbols.named(name.last) if each.kind == SymbolKind.CLASS]
        found = [*(alike if not any(each.kind == SymbolKind.CLASS for each in found) else ()), *found]
    groups = [shown_of(group)[0] for group in grouped_by_name(each for each in found if not each.is_test)]
    own = [each for each in groups if not each.is_aside] or groups
    used = snapshot.graph.fan_in([each.id for each in own])
    return sorted(own, key=lambda each: (each.kind != SymbolKind.CLASS, -used.get(each.id, 0), -each.lines))[:_MEANT]


def _card(snapshot: Snapshot, symbol: Symbol) -> Draft:
    return replace(
        card_draft(snapshot, symbol, f"is called {symbol.name}", score=1.0, brief=True), role=EvidenceRole.MATCH
    )


def _unrelated(snapshot: Snapshot, meant: Sequence[Symbol]) -> list[Symbol]:
    """Return the further definitions of a name, without bases and subclasses of the first one."""
    pairs = snapshot.graph.pairs([meant[0].id], (EdgeKind.INHERITS,))
    related = {int(each) for row in pairs for each in row[:2]}
    return [each for each in meant[1:] if each.id not in related]


def _users(snapshot: Snapshot, symbol: Symbol) -> Using:
    """Return the users of a definition, without its own members and module; examples only if all are such."""
    found = edges.users_of(snapshot, symbol, Relation.USES)
    outside = [each for each in found.uses if not each.user.qualified_name.startswith(f"{symbol.qualified_name}.")]
    elsewhere = [each for each in outside if not (each.user.kind == SymbolKind.MODULE and each.path == symbol.path)]
    uses = tuple(each for each in elsewhere if not each.user.is_aside) or tuple(elsewhere)
    return replace(found, uses=uses, unsure=(), notes=())


def _described(snapshot: Snapshot, symbol: Symbol, others: Sequence[Symbol]) -> Draft:
    """Draft a list of the members of a class, with bases and subclasses as notes, or of the callees of a function."""
    unsure = tuple(_user(each) for each in others)
    if symbol.kind in FUNCTIONS:
        calls = edges.callees_of(snapshot, symbol).listing(_MEMBERS)
        return list_draft(replace(calls, unsure=unsure, notes=()), (symbol, *_symbols(calls.listed)))
    members = methods_of(snapshot, symbol) if symbol.kind == SymbolKind.CLASS else []
    fields = [each for each in members_of(snapshot, symbol) if each.kind == SymbolKind.VARIABLE]
    shown = (*(_main(snapshot, _public(members)) or _main(snapshot, members)), *_main(snapshot, _public(fields)))
    listed = tuple(map(_user, shown))
    count = max(len(listed), len(_public((*members, *fields))))
    notes = tuple(_notes(snapshot, symbol)) if symbol.kind == SymbolKind.CLASS else ()
    found = UserList(symbol.qualified_name, Relation.HOLDS, symbol, count, listed, unsure=unsure, notes=notes)
    return list_draft(found, (symbol, *_symbols((*listed, *unsure))))


def _public(members: Sequence[Symbol]) -> list[Symbol]:
    return [each for each in members if each.is_public]


def _main(snapshot: Snapshot, members: Sequence[Symbol]) -> list[Symbol]:
    """Return the documented, then most used members, by line, without constructors."""
    told = (each for each in members if not each.marks & SymbolMark.CONSTRUCTOR)
    own = [shown_of(group)[0] for group in grouped_by_name(told)]
    used = snapshot.graph.fan_in([each.id for each in own])
    most = sorted(own, key=lambda each: (not said_of(each), -used.get(each.id, 0)))[:_MEMBERS]
    return [each for each in own if each in most]


def _notes(snapshot: Snapshot, symbol: Symbol) -> Iterator[str]:
    found = snapshot.graph.outgoing([symbol.id], (EdgeKind.INHERITS,), _DECLARED)
    known = symbols_by_id(snapshot, (each.target_id for each in found))
    bases = ((known.get(each.target_id or -1), each.target_name) for each in found)
    told = [(f"`{base.qualified_name if base else name}`", base) for base, name in dict.fromkeys(bases)]
    said = next((f": {said}" for _, base in told[:1] if base and (said := said_of(base))), "")
    yield from [f"extends {', '.join(name for name, _ in told)}{'' if symbol.docstring else said}"] if told else []
    below = implementers_of(snapshot, symbol)
    names = list(dict.fromkeys(f"`{use.user.qualified_name}`" for use in below.uses if not use.user.is_aside))
    more = f" and {len(names) - _NOTED} more" if len(names) > _NOTED else ""
    verb = "implemented" if symbol.marks & SymbolMark.STRUCTURAL else "extended"
    yield from [f"is {verb} by {', '.join(names[:_NOTED])}{more}"] if names else []


def _user(symbol: Symbol) -> User:
    return User(symbol.qualified_name, symbol, symbol.span, said_of(symbol))


def _symbols(listed: Sequence[User]) -> list[Symbol]:
    return [each.symbol for each in listed if each.symbol]
