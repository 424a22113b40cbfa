"""Lists the options of a named function or class: parameters with defaults, fields, or methods of a builder."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.understanding import Intent, MentionKind, Relation, SlotKind
from common.core.words.terms import count_terms, words
from retriever.domain.declared.given_values import PARAMETERS
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import SymbolKind
from retriever.domain.views.listing import User, UserList
from retriever.usecases.evidence.drafting import list_draft
from retriever.usecases.evidence.places import said_of
from retriever.usecases.locating.naming import FUNCTIONS, bases, constructors, members
from retriever.usecases.stages.project.named import defined

if TYPE_CHECKING:
    from common.core.contract.understanding import QuestionPart
    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import Symbol
    from retriever.ports import Judge, Snapshot

_LISTED = 40
_SEVERAL, _MOST_WORDS = 2, 2
"""Least methods or fields that are options of a type; most wanted words per matching word of an option's name."""
_WANTED = (SlotKind.OBJECT, SlotKind.VERB, SlotKind.CONDITION)
"""Slots with the purpose of the wanted option."""


@dataclass(frozen=True, slots=True)
class _Option:
    """An option with its default, "" for none, and what its documentation says."""

    name: str
    default: str
    place: Span
    said: str
    symbol: Symbol | None = None


class Options:
    """
    Drafts a list of the options of a named function or class, those first that the question describes.

    Options are the parameters of the function or constructor; else the methods that return the type itself or its
    fields. `described` of the draft is set if the name of an option has words of the wanted purpose.
    """

    name = "options"
    needs = frozenset({Part.CODE_INDEX, Part.SOURCE})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look up each part that asks for options of a named definition; nothing if users are listed already."""
        parts = [each for each in task.understanding.of(Intent.SETTINGS) if each.choice == "option"]
        if context.tells_users:
            return context
        drafts = [draft for part in parts if (draft := await asyncio.to_thread(_draft, snapshot, task, part))]
        # "and what are their defaults" asks about the same definition
        own = {draft.users.name: draft for draft in reversed(drafts) if draft.users}
        return context.with_drafts(reversed(own.values())).with_step(self.name) if own else context


def _draft(snapshot: Snapshot, task: Task, part: QuestionPart) -> Draft | None:
    named = [*part.texts(SlotKind.OWNER), *task.understanding.named(MentionKind.SYMBOL)]
    owners = [defined(snapshot, word) for each in dict.fromkeys(named) for word in (each, *each.split())]
    found = ((owner, options) for each in owners for owner in each[:1] if (options := _options_of(snapshot, owner)))
    owner, options = next(found, (None, []))
    if owner is None:
        return None
    wanted = count_terms(" ".join(part.texts(*_WANTED))).keys() - count_terms(owner.qualified_name).keys()
    told = {each: len(wanted & count_terms(each.name).keys()) for each in options}
    said = {each: len(wanted & count_terms(each.said).keys()) for each in options}
    options.sort(key=lambda each: (-told[each], -said[each]))  # stable: the order of the code among equals
    is_told = 0 < len(wanted) <= _MOST_WORDS * told[options[0]]
    written = words(" ".join(task.understanding.named(*MentionKind)))
    is_named = owner.name in (written if owner.name.islower() else words(task.question))
    if not is_told and not is_named:
        return None  # a plain word that may not refer to this definition
    listed = tuple(
        User(each.name, each.symbol, each.place, each.said if each.symbol else each.default)
        for each in options[:_LISTED]
    )
    notes = () if told[options[0]] or not wanted else ("none of them has a word of what is asked for",)
    draft = list_draft(
        UserList(owner.qualified_name, Relation.HOLDS, owner, len(options), listed, notes=notes), (owner,)
    )
    return replace(draft, described=part.asked(task.question) if is_told else "")


def _options_of(snapshot: Snapshot, owner: Symbol) -> list[_Option]:
    if owner.kind in FUNCTIONS:
        taken = _parameters(snapshot, owner)
        return taken if any(each.default for each in taken) else _of_types(snapshot, owner) or taken
    if owner.kind != SymbolKind.CLASS:
        return []
    lineage = (owner, *bases(snapshot, owner))
    made_by = next((found for each in lineage if (found := constructors(snapshot, each))), ())
    if taken := [option for each in made_by for option in _parameters(snapshot, each)]:
        return taken
    own = [each for each in members(snapshot, owner) if each.is_public and each.name != owner.name]
    made = {each: f"{each.signature.partition('(')[0]} {each.signature.rpartition(')')[2]}" for each in own}
    chained = [each for each in own if each.kind in FUNCTIONS and owner.name in words(made[each])]
    chained = list({each.name: each for each in reversed(chained)}.values())[::-1]  # overloads
    fields = [each for each in own if each.kind == SymbolKind.VARIABLE]
    several = max(chained, fields, key=len)
    options = [_Option(each.name, "", each.span, said_of(each), each) for each in several]
    return options if len(options) >= _SEVERAL else []


def _of_types(snapshot: Snapshot, function: Symbol) -> list[_Option]:
    """Return the fields, also inherited ones, of the first parameter type that has at least `_SEVERAL`."""
    named = words(function.signature.partition("(")[2].rpartition(")")[0])
    types = [each for word in dict.fromkeys(named) for each in snapshot.symbols.named(word) if each.name == word]
    for each in (one for one in types if one.kind == SymbolKind.CLASS and not one.is_test):
        lineage = (each, *bases(snapshot, each))
        held = [member for one in lineage for member in members(snapshot, one) if member.kind == SymbolKind.VARIABLE]
        if len(held) >= _SEVERAL:
            return [_Option(one.name, "", one.span, said_of(one), one) for one in held]
    return []


def _parameters(snapshot: Snapshot, function: Symbol) -> list[_Option]:
    """Return the parameters in order of the signature, each with the docstring line that begins with its name."""
    given = [each for each in snapshot.values.in_files([function.path]) if each.symbol_id == function.id]
    documented = function.docstring.split("\n")
    found: dict[str, _Option] = {}
    for each in (each for each in given if each.origin in PARAMETERS):
        name = each.keys[-1]
        said = next((line for line in documented if name in words(line)[:_SEVERAL]), "")
        found.setdefault(name, _Option(name, each.value, Span(each.path, each.line, each.line), said.strip()))
    order = words(function.signature)
    return sorted(found.values(), key=lambda each: order.index(each.name) if each.name in order else len(order))
