"""Reports the words of a requested feature that occur nowhere in the index, or never together."""

from __future__ import annotations

import asyncio
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from common.core.contract.evidence import Absence, UnheldWords
from common.core.contract.understanding import Intent, MentionKind, SlotKind
from common.core.words.spellings import spellings
from common.core.words.terms import terms_of
from common.core.words.terms import words as words_in
from retriever.domain.declared.given_values import folded
from retriever.domain.evidence.piece import ContextSource, Draft, EvidenceKind, EvidenceRole
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import SymbolKind
from retriever.usecases.searching.indexed_synonyms import is_indexed, synonyms_by_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retriever.ports import Judge, Snapshot

_COMMON = 0.2
"""A word in more than this share of the files, such as the project's own name, identifies nothing."""
_LEAST_LETTERS = 4
"""Least letters of a word; shorter ones are often joined with others: "sub app" and "subapp"."""
_MOST_TOLD, _HITS = 20, 50
_FEATURES = (Intent.SUPPORT, Intent.USAGE, Intent.LOCATION)
_NAMING = (SlotKind.SUBJECT, SlotKind.OBJECT, SlotKind.OWNER)
_OPTION = "--"
"""How an option of a command line begins."""
_LINES = MappingProxyType(
    {
        Absence.EACH: "In no file of the index",
        Absence.TOGETHER: "Together in no definition and on no page of the index",
    }
)


class Unheld:
    """
    Drafts one line if a question asks for a feature that does not occur in the index.

    It names options and names that occur literally in no line, tests excluded. Else it names words that occur in no
    file in any form, if one looks like a name or no other words identify the feature. Else, if exactly two words
    identify the feature, it names both if no definition and no page has them together. Three words are not checked
    together: one of them usually has a synonym.
    """

    name = "unheld"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look up the words; only options and quoted names if another draft answers the question."""
        if snapshot.lexical.problem:
            return context
        is_told = any(draft.described or draft.users for draft in context.drafts)
        told = await asyncio.to_thread(_absent, snapshot, task, () if is_told else _words(task))
        drafts = [unheld_draft(told)] if told else []
        return context.with_drafts(drafts).with_step(self.name)


def _absent(snapshot: Snapshot, task: Task, words: Sequence[str]) -> UnheldWords | None:
    """Return what occurs nowhere: options or names in quoted code, else words of the feature, else named symbols."""
    parts = tuple(task.understanding.of(*_FEATURES, Intent.FIND, Intent.SETTINGS))
    written = tuple(_written(task)) if parts else ()
    absent = [each for each in written if _stands_nowhere(snapshot, each)]
    is_option = any(each.startswith(_OPTION) for each in written)
    phrases = [words_in(text) for part in parts for text in part.texts(*_NAMING)]
    told = _told(snapshot, words, phrases) if words and not absent and not is_option else None
    if not absent and not told:
        slots = [slot for part in parts for slot in part.slots if slot.kind in _NAMING]
        mentions = (each for each in task.understanding.mentions if each.kind is MentionKind.SYMBOL)
        named = (each for each in mentions if any(slot.start <= each.start < slot.end for slot in slots))
        absent = [each.text for each in named if _stands_nowhere(snapshot, each.text)]
    return told or (UnheldWords(tuple(absent[:_MOST_TOLD]), Absence.EACH) if absent else None)


def _written(task: Task) -> Iterator[str]:
    """Yield the options that a question names, and the names in code that it quotes."""
    for each in task.understanding.mentions:
        if each.text.startswith(_OPTION):
            yield each.text
        elif each.kind is MentionKind.MESSAGE:
            yield from (word for word in words_in(each.text) if _is_name_like(word) and word[0].islower())


def _stands_nowhere(snapshot: Snapshot, name: str) -> bool:
    """Return whether a name occurs literally in no line, tests excluded; an option may be quoted without dashes."""
    bare = name.removeprefix(_OPTION)
    written = (name, *((f'"{bare}"', f"'{bare}'") if bare != name else ()))
    is_plain = bare.replace("-", "").replace("_", "").isalnum()
    if not is_plain or _is_given(snapshot, bare):
        return False
    files = (snapshot.files.at(hit.path) for each in written for hit in snapshot.texts.find(each, limit=_HITS))
    return not any(each and not each.is_test for each in files)


def _is_given(snapshot: Snapshot, bare: str) -> bool:
    """Return whether a field or a value has the name of an option: `dry_run` for `--dry-run`."""
    fields = (each.path for each in snapshot.symbols.named(bare.replace("-", "_")) if each.kind is SymbolKind.VARIABLE)
    values = (each.path for each in snapshot.values.named(bare) if folded(each.keys[-1]) == folded(bare))
    files = (snapshot.files.at(path) for path in (*fields, *values))
    return any(each and not each.is_test for each in files)


def _words(task: Task) -> tuple[str, ...]:
    """Return the words of the feature that a question asks for; if it asks where, only words that look like names."""
    said: list[str] = []
    for part in task.understanding.of(*_FEATURES):
        own = words_in(" ".join(part.texts(*_NAMING)))
        said += own if part.intent is not Intent.LOCATION else [each for each in own if _is_name_like(each)]
    return tuple(word for word in dict.fromkeys(said) if terms_of(word))


def _is_name_like(word: str) -> bool:
    """Return whether a word looks like a name: it has digits, or capitals after its first letter."""
    return any(letter.isdigit() or letter.isupper() for letter in word[1:]) or word.isupper()


def _told(snapshot: Snapshot, words: Sequence[str], phrases: Sequence[Sequence[str]]) -> UnheldWords | None:
    """Return the words that occur nowhere, or two of one phrase that never occur together; None without any."""
    files = len(snapshot.lexical.corpus().files)
    forms = [spellings(word) for word in words]
    terms = list(dict.fromkeys(term for each in forms for term in each))
    found = snapshot.lexical.postings(terms).files
    at = {term: found.units[found.terms == place] for place, term in enumerate(terms)}
    held = [len(np.unique(np.concatenate([at[term] for term in each]))) for each in forms]
    telling = [word for word, count in zip(words, held, strict=True) if count <= _COMMON * files]
    otherwise = synonyms_by_word(snapshot, words)
    nowhere = [word for word, count in zip(words, held, strict=True) if not count and word not in otherwise]
    if nowhere:
        # One plain word among others may belong to the wording of the question, not to the feature.
        is_sure = nowhere == telling or any(map(_is_name_like, nowhere))
        return UnheldWords(tuple(nowhere[:_MOST_TOLD]), Absence.EACH) if is_sure else None
    apart = (
        len(telling) == 2
        and any(set(telling) <= set(each) for each in phrases)
        and otherwise.keys().isdisjoint(telling)
        and min(map(len, telling)) >= _LEAST_LETTERS
        and not is_indexed(snapshot, telling)
    )
    return UnheldWords(tuple(telling), Absence.TOGETHER) if apart else None


def nowhere(snapshot: Snapshot, names: Sequence[str]) -> UnheldWords | None:
    """Return the names if none of their words occurs in any file in any form; else None."""
    terms = [term for name in names for word in words_in(name) if terms_of(word) for term in spellings(word)]
    is_indexed = not terms or bool(snapshot.lexical.postings(list(dict.fromkeys(terms))).files.units.size)
    return None if is_indexed else UnheldWords(tuple(names)[:_MOST_TOLD], Absence.EACH)


def unheld_draft(told: UnheldWords) -> Draft:
    """Draft the line that reports the words, with the words as data."""
    quoted = ", ".join(f"“{word}”" for word in told.words)
    return Draft(
        kind=EvidenceKind.METRICS,
        source=ContextSource.CODE,
        role=EvidenceRole.UNHELD,
        title="What the index does not hold",
        text=f"{_LINES[told.absence]}: {quoted}.\n",
        reason="words of the question that nothing holds",
        unheld=told,
    )
