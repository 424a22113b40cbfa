"""Lists the writers of the state that a question about threads names, with the lock line before each write."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.understanding import Intent, Relation, SlotKind
from common.core.words.terms import count_terms, split_identifier, words
from retriever.domain.questions.names import parse
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import FactKind, Symbol, SymbolKind, SymbolMark
from retriever.usecases.locating.naming import closest, find_symbols, members, symbols_by_id
from retriever.usecases.stages.relations.users import candidates_of, users_draft
from retriever.usecases.using.found import Use, Using
from retriever.usecases.using.written import setters_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retriever.ports import Judge, Snapshot

_GUARDS = frozenset({"lock", "mutex", "rlock", "synchronized"})
"""Parts of names in code by which a lock is taken, in any language."""
_RANKED = 15
"""Most ranked definitions whose writes are read if the question only describes the state."""
_LISTS = 3


class Writes:
    """Drafts a list of writers for each attribute or variable found, and adds the writers as candidates."""

    name = "writes"
    needs = frozenset({Part.CODE_INDEX, Part.SOURCE})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look up the state by its name, else by its class, else in the writes of the best ranked definitions."""
        texts = [text for part in task.understanding.of(Intent.CONCURRENCY) for text in part.texts(*_ABOUT)]
        ranked = [each.symbol for each in context.ranking.symbols[:_RANKED]]
        found = await asyncio.to_thread(_find, snapshot, texts, ranked)
        writers = (candidate for each in found for candidate in candidates_of(each))
        context = context.with_drafts([users_draft(each) for each in found]).with_candidates(self.name, writers)
        return context.with_step(self.name) if found else context


_ABOUT = (SlotKind.SUBJECT, SlotKind.OBJECT, SlotKind.OWNER, SlotKind.CONDITION)


def _find(snapshot: Snapshot, texts: Sequence[str], ranked: Sequence[Symbol]) -> list[Using]:
    names = [name for name in map(parse, texts) if name and name.parts]
    written = [each for name in names if (each := setters_of(snapshot, name)).uses]
    classes = [each for name in names for each in closest(find_symbols(snapshot, name), name) if _is_class(each)]
    if not written:
        inside = [member for each in classes for member in members(snapshot, each)]
        written = _writes_of(snapshot, inside, frozenset())
    if not written:
        written = _writes_of(snapshot, ranked, frozenset(count_terms(" ".join(texts))))
    return [_guarded(snapshot, each) for each in written[:_LISTS]]


def _is_class(symbol: Symbol) -> bool:
    return symbol.kind == SymbolKind.CLASS


def _writes_of(snapshot: Snapshot, writers: Iterable[Symbol], asked: frozenset[str]) -> list[Using]:
    """Return the state that some definitions write whose name has an asked term (any if none); most users first."""
    facts = snapshot.facts.of([each.id for each in writers], (FactKind.MUTATES,))
    users = symbols_by_id(snapshot, (each.symbol_id for each in facts))
    found: dict[str, dict[int, Use]] = defaultdict(dict)
    for fact in facts:
        user, name = users[fact.symbol_id], fact.value.rpartition(".")[2]
        if not user.is_test and (not asked or asked & count_terms(name).keys()):
            found[name].setdefault(user.id, Use(user, user.path, fact.line))
    lists = [Using(name, Relation.SETS, None, tuple(uses.values())) for name, uses in found.items()]
    return sorted(lists, key=lambda each: -len(each.uses))


def _guarded(snapshot: Snapshot, found: Using) -> Using:
    """Add to each write the nearest preceding line that names a lock; constructors, not yet shared, come last."""
    uses = [replace(use, through=_guard(snapshot, use)) for use in found.uses if use.line]
    return replace(found, uses=tuple(sorted(uses, key=lambda use: bool(use.user.marks & SymbolMark.CONSTRUCTOR))))


def _guard(snapshot: Snapshot, use: Use) -> str:
    lines = snapshot.files.lines(use.path, use.user.start_line, use.line).splitlines()
    named = (line.strip() for line in reversed(lines) if any(_GUARDS & _parts(word) for word in words(line)))
    return next(named, "")


def _parts(word: str) -> set[str]:
    return {part.lower() for part in split_identifier(word)}
