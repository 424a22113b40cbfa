"""Lists all things of a kind ("which backends are there"), also if the question is how to add one."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from common.core.contract.snapshot import FileRole
from common.core.contract.understanding import Intent, QuestionPart, Relation, SlotKind
from common.core.words.terms import split_identifier, words
from retriever.domain.questions.kinds import FAILURES, Kind, kind_of
from retriever.domain.questions.names import parse
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import Symbol, SymbolKind, SymbolMark
from retriever.usecases.locating.naming import FUNCTIONS, defining, find_symbols, members, module_of
from retriever.usecases.stages.relations.users import candidates_of, is_of_the_whole, users_draft
from retriever.usecases.using.found import Use, Using
from retriever.usecases.using.implementing import implementers_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from common.core.contract.understanding import Understanding
    from retriever.ports import Judge, Snapshot

_LOOKED_AT = 12
_ONE = 1
_SEVERAL = 2
_MANY = 3
"""Least subtypes that make a base an extension point: one or several if it is open for extension, else many."""
_FEW_OF_ALL = 2
"""If more than this many times as many types have the name as extend the base, the named ones are listed."""
_OF_PROJECT = 0.8
_ALL_OF_IT = 0.75
"""Least share of the words of a kind in the name of its base, if the question asks for all of the kind."""
_TELLING = 4
"""First letters that a word shares with its other forms."""
_TOLD = 2
_LISTED = 40
_TAKES = ("add", "append", "allow", "define", "insert", "put", "register", "set", "with")
"""Prefixes of names of methods that add one more of something."""
_VARIADIC = "..."
"""Mark of a variadic parameter in a signature."""
_GATHERING = re.compile(r"main|base|common|types?|utils?|helpers?|factory|registry", re.IGNORECASE)
"""Names of files that are not themselves of the kind that their folder collects."""


class Extending:
    """Drafts the subtypes of the type whose name fits the kind best, if it has several."""

    name = "extending"
    needs = frozenset({Part.CODE_INDEX, Part.CALL_GRAPH})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look for the type and its subtypes; nothing if an earlier stage listed users."""
        if context.tells_users:
            return context
        asked = next((each for part in task.understanding.parts for each in _asked(snapshot, part)), None)
        found = await asyncio.to_thread(_written_so, snapshot, task.understanding)
        if not found and asked:
            found = await asyncio.to_thread(_find_all, snapshot, asked)
        if not found and asked and len(asked.kind.forms) > 1:
            found = await asyncio.to_thread(_find_all, snapshot, replace(asked, kind=asked.kind.without_head))
        if not found:
            return context
        context = context.with_drafts(users_draft(each, most=_LISTED) for each in found)
        context = context.with_candidates(self.name, chain.from_iterable(map(candidates_of, found)))
        return context.with_step(self.name)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A kind that the question asks for: all of it, or how to add one, and to which holder if named."""

    kind: Kind
    holder: Kind
    is_for_all: bool


def _asked(snapshot: Snapshot, part: QuestionPart) -> Iterator[_Asked]:
    """
    Yield the kind that a part of a question asks for, if the part is likely.

    A part that asks what the whole project can raise asks for all of its failures.
    """
    if not part.is_likely:
        return
    is_for_all = part.intent is Intent.KINDS
    kind = kind_of(part.text(SlotKind.KIND)) if is_for_all or part.intent is Intent.EXTENSION else Kind()
    if part.intent is Intent.ENTRY_POINTS and part.choice != "route":  # unregistered ones may be found by name
        kind, is_for_all = kind_of(part.choice), True
    if is_of_the_whole(snapshot, part.relation, part.texts(SlotKind.SUBJECT)):
        kind, is_for_all = FAILURES, True
    if kind.forms:
        yield _Asked(kind, kind_of(part.text(SlotKind.OWNER)), is_for_all)


def _written_so(snapshot: Snapshot, understanding: Understanding) -> list[Using]:
    """
    Return the public functions whose names have a prefix that the question writes as code ("With..."), or options.

    Functions that return a type of the owner's variadic parameter (functional options) are preferred, if any.
    """
    for part in understanding.of(Intent.KINDS, Intent.SETTINGS):
        said = (each.strip(".*…") for each in part.text(SlotKind.KIND).split())
        start = next((each for each in said if each[:1].isupper() or each.endswith("_")), "")
        written = parse(part.text(SlotKind.OWNER)) if part.text(SlotKind.OWNER) else None
        holders = find_symbols(snapshot, written) if written else ()
        variadic = (each.signature for each in holders if _VARIADIC in each.signature)
        taken = {word for each in variadic for word in words(each.partition("(")[2].rpartition(")")[0])}
        if not start and not (taken and part.choice == "option"):
            continue
        names = [each for each in snapshot.lexical.corpus().symbols.by_name if each.startswith(start)]
        found = [each for name in names for each in snapshot.symbols.named(name) if each.name == name]
        own = [each for each in _first_hand(found) if each.kind in FUNCTIONS and each.is_public and not each.is_test]
        made = [each for each in own if taken.intersection(words(each.signature.rpartition(")")[2]))]
        own = made or (own if start else [])
        own.sort(key=lambda each: ("." in each.qualified_name, each.path, each.start_line))
        if len(own) >= _MANY:
            uses = tuple(Use(each, each.path, each.start_line) for each in own)
            return [Using(f"{start}*" if start else part.text(SlotKind.OWNER), Relation.NAMES, None, uses)]
    return []


def _find_all(snapshot: Snapshot, asked: _Asked) -> list[Using]:
    found = _find(snapshot, asked)
    if asked.is_for_all and (_count(found) <= _SEVERAL or asked.kind.is_of_failures):
        without = _without_base(snapshot, asked.kind)
        # Failures often have several bases, or only built-in ones.
        return without if _count(without) > _FEW_OF_ALL * _count(found) else found
    return found


def _count(found: Sequence[Using]) -> int:
    """Count the listed symbols, including the base types."""
    return sum(len(each.uses) + (each.thing is not None) for each in found)


def _find(snapshot: Snapshot, asked: _Asked) -> list[Using]:
    """Return the types whose names fit the kind best, `_TOLD` at most, those with more implementers first."""
    if _is_taken(snapshot, asked):
        return []
    share = {
        name: said
        for name in _named_alike(snapshot, asked.kind)
        if (said := asked.kind.covered(name)) and (said >= _ALL_OF_IT or not asked.is_for_all)
    }
    named = sorted(share, key=lambda name: (-share[name], len(name), name))[:_LOOKED_AT]
    types = [each for name in named for each in _types(snapshot, name)]
    found = [(share[each.name], implementers_of(snapshot, each)) for each in types]
    several = [(said, using) for said, using in found if len(using.uses) >= _least(using.thing, said, asked)]
    best = max((said for said, _ in several), default=0.0)
    likely = [using for said, using in several if said == best]
    return sorted(likely, key=lambda each: -len(each.uses))[:_TOLD]


def _without_base(snapshot: Snapshot, kind: Kind) -> list[Using]:
    """Return what belongs to a kind by name: types, else files of a folder of that name, else functions."""
    return _called_so(snapshot, kind) or _in_folder(snapshot, kind) or _functions_called_so(snapshot, kind)


def _in_folder(snapshot: Snapshot, kind: Kind) -> list[Using]:
    """
    Return the modules of the folder with the name of the kind, the nearest to the root, without collecting files.

    A folder with most of the code is the project itself, and is skipped.
    """
    likely = sorted(each for each in snapshot.files.folders() if _is_called(each, kind))
    code = [each for each in snapshot.files.all() if each.parsed and not each.is_test] if likely else []
    for folder in sorted(likely, key=lambda each: each.count("/")):
        if sum(each.path.startswith(f"{folder}/") for each in code) > _OF_PROJECT * len(code):
            continue
        files = [each for each in code if each.path.rpartition("/")[0] == folder]
        kept = [each for each in files if not _gathers(each.path, folder)]
        modules = [
            each for file in kept if (each := module_of(snapshot, file.path)) and not each.marks & SymbolMark.PACKAGE
        ]
        if len(modules) >= _SEVERAL and not modules[0].is_aside:
            return [Using(f"{folder}/*", Relation.NAMES, None, tuple(Use(each, each.path, 0) for each in modules))]
    return []


def _is_called(folder: str, kind: Kind) -> bool:
    """Return whether a folder has all words of a kind, alone or with its parent: `protocols/http`."""
    parts = folder.split("/")
    return any(kind.covered("_".join(parts[-length:])) == 1.0 for length in (1, 2))


def _gathers(path: str, folder: str) -> bool:
    stem = path.rpartition("/")[2].partition(".")[0]
    return _GATHERING.fullmatch(stem) is not None or stem == folder.rpartition("/")[2]


def _functions_called_so(snapshot: Snapshot, kind: Kind) -> list[Using]:
    """Return the functions outside of types whose names end with the kind, if at least `_MANY`; by path and line."""
    names = [each for each in snapshot.lexical.corpus().symbols.by_name if kind.is_borne_by(each)]
    named = defining(each for name in names for each in snapshot.symbols.named(name) if each.name == name)
    own = [each for each in named if each.kind == SymbolKind.FUNCTION and "." not in each.qualified_name]
    kept = [each for each in _first_hand(own) if not each.is_test]
    uses = [Use(each, each.path, 0) for each in sorted(kept, key=lambda each: (each.path, each.start_line))]
    last = split_identifier(names[0])[-1] if names else ""
    return [Using(f"*{last}", Relation.NAMES, None, tuple(uses))] if len(uses) >= _MANY else []


def _called_so(snapshot: Snapshot, kind: Kind) -> list[Using]:
    """Return the types whose names end with the kind, if at least `_MANY`; by path and line."""
    named = [name for name in _named_alike(snapshot, kind) if kind.is_borne_by(name)]
    types = _declared_once(_first_hand(each for name in named for each in _types(snapshot, name)))
    uses = [Use(each, each.path, 0) for each in sorted(types, key=lambda each: (each.path, each.start_line))]
    if len(uses) < _MANY:
        return []
    return [Using(f"*{split_identifier(named[0])[-1]}", Relation.NAMES, None, tuple(uses))]


def _named_alike(snapshot: Snapshot, kind: Kind) -> list[str]:
    """Return the names of types with the first letters of a word of the kind: a cheap filter before exact checks."""
    symbols = snapshot.lexical.corpus().symbols
    beginnings = {form[:_TELLING] for word in kind.forms for form in word}
    alike = [name for name in symbols.by_name if any(each in name.lower() for each in beginnings)]
    return [name for name in alike if symbols.is_class[list(symbols.by_name[name])].any()]


def _is_taken(snapshot: Snapshot, asked: _Asked) -> bool:
    """Return whether the holder has a method that adds one of the kind: then no type needs to be extended."""
    holders = [name for name in _named_alike(snapshot, asked.holder) if asked.holder.covered(name) == 1.0]
    own = (each for name in holders for holder in _types(snapshot, name) for each in members(snapshot, holder))
    return any(each.name.lower().startswith(_TAKES) and asked.kind.covered(each.name) for each in own)


def _least(thing: Symbol | None, said: float, asked: _Asked) -> int:
    is_made_for_it = thing is not None and bool(thing.marks & SymbolMark.OPEN)
    # A kind may have a single member, below an open base with exactly its name.
    is_whole = is_made_for_it and asked.is_for_all and said == 1.0
    return _ONE if is_whole else _SEVERAL if is_made_for_it else _MANY


def _types(snapshot: Snapshot, name: str) -> list[Symbol]:
    named = (each for each in snapshot.symbols.named(name) if each.name == name and each.kind == SymbolKind.CLASS)
    return _first_hand(each for each in defining(named) if not each.is_test)[:_SEVERAL]


def _declared_once(types: Iterable[Symbol]) -> Iterator[Symbol]:
    """Leave out declarations in stub files of types that are defined elsewhere."""
    kept: set[str] = set()
    for each in sorted(types, key=lambda each: (each.role is FileRole.STUB, each.path, each.start_line)):
        if each.qualified_name not in kept or each.role is not FileRole.STUB:
            kept.add(each.qualified_name)
            yield each


def _first_hand(types: Iterable[Symbol]) -> list[Symbol]:
    """Leave out types of examples and tools, unless there are no others."""
    found = list(types)
    return [each for each in found if not each.is_aside] or found
