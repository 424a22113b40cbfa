"""Finds where a setting, constant or key of configuration that the question asks for gets its value."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms, split_identifier, words
from retriever.domain.declared.given_values import (
    PARAMETERS,
    AskedSetting,
    GivenValue,
    asked_setting,
    coverage,
    fit,
    folded,
    goes_on,
    is_called_default,
    told_in_full,
)
from retriever.domain.questions.names import Name, parse, path_matches
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import Origin, SymbolKind
from retriever.usecases.evidence.drafting import setting_draft
from retriever.usecases.locating.about_project import words_of_name
from retriever.usecases.locating.naming import FUNCTIONS, closest, find_symbols, members, symbols_by_id
from retriever.usecases.locating.setting_files import files_of_values, is_aside, may_be_described, speciality
from retriever.usecases.stages.relations.unheld import nowhere, unheld_draft

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.values import File, Symbol
    from retriever.ports import Judge, Snapshot

_TOLD = 3
"""Most places that are shown of one setting."""
_VARIANTS = 8
"""Most shown files that set the same name, for example one per platform."""
_LIKELY_FILES = 60
"""Most code files, and most other files, that are read for a setting that is only described."""
_COVERED = 0.65
_MAKING = frozenset({"build", "create", "default", "defaults", "init", "make", "new"})
"""Parts of names of functions that build defaults."""
_DEFINING = (*FUNCTIONS, SymbolKind.CLASS)


@dataclass(frozen=True, slots=True)
class _Place:
    """
    A value that may be the one asked for; lower `doubts`, then lower `rank`, is likelier.

    Args:
        doubts: Reasons against it; only the places with the lowest doubts are shown.
        rank: Order among places with equal doubts.
    """

    doubts: tuple[float, ...]
    rank: tuple[float, ...]
    given: GivenValue


class Settings:
    """
    Drafts the lines that give the setting its value, with the comments above them, the likeliest first.

    A named setting is looked up in code and configuration files, in any spelling of the name. A setting that is only
    described must be matched by the name, sections and path of one value.
    """

    name = "settings"
    needs = frozenset({Part.CODE_INDEX, Part.SOURCE})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look the setting up, if the question asks for one."""
        asked = asked_setting(task.understanding, await asyncio.to_thread(words_of_name, snapshot))
        if snapshot.lexical.problem:
            return context
        meant = [each for each in task.anchors.symbols if each not in task.question]
        drafts: list[Draft] = []
        if meant and goes_on(task.understanding) and not context.tells_users:
            drafts = await asyncio.to_thread(_find, snapshot, AskedSetting(tuple(meant[:1])), task)
        if asked is not None and not drafts:
            drafts = await asyncio.to_thread(_find, snapshot, asked, task)
        if asked is not None and asked.is_certain and asked.names and not drafts:
            missing = await asyncio.to_thread(nowhere, snapshot, asked.names)
            drafts = [unheld_draft(missing)] if missing else []
        return context.with_drafts(drafts).with_step(self.name) if drafts else context


def _find(snapshot: Snapshot, asked: AskedSetting, task: Task) -> list[Draft]:
    if asked.for_default and (declared := _declared(snapshot, asked)):
        found = sorted(declared, key=lambda each: not each.value)[:_TOLD]
        found[1:1] = _behind(snapshot, found[:1], task, asked)
        return [setting_draft(snapshot, each, found[0].keys[-1:]) for each in found]
    if not asked.names:
        places = _chosen(_described(snapshot, asked))
        meant = {each.value for each in places}
        if len(asked.terms) == 1 and len(meant) > _TOLD and not told_in_full(places[0], asked):
            return []  # one word that many values have
        meant_alone = [each for each in places if each.name == places[0].name][:_VARIANTS]
        behind = _behind(snapshot, places[:1], task, asked)
        return [setting_draft(snapshot, each, asked.words) for each in (*meant_alone[:1], *behind, *meant_alone[1:])]
    drafts: list[Draft] = []
    for name in asked.names:
        # A function has no value: "the default of f" asks for what it sets.
        may_be_set = asked.is_certain and (asked.for_default or not _is_definition(snapshot, name))
        if may_be_set or _is_unknown(snapshot, name):
            places = _chosen(_named(snapshot, name, task, asked))[:_TOLD]
            places[1:1] = _behind(snapshot, places[:1], task, asked)
            drafts += [setting_draft(snapshot, each, (name,)) for each in places]
    return drafts


def _declared(snapshot: Snapshot, asked: AskedSetting) -> list[GivenValue]:
    """Return the parameters named by a question, of functions that it names, else of members of classes."""
    named = [(name, slot) for slot in asked.slots if (name := parse(slot))]
    others = {slot: {word for other in asked.slots if other != slot for word in words(other)} for _, slot in named}
    owned = _parameters(snapshot, [(name, others[slot]) for name, slot in named])
    dotted = [(Name(name.parts[:-1], name.path), {name.last}) for name, _ in named if len(name.parts) > 1]
    return owned or _parameters(snapshot, dotted)


def _parameters(snapshot: Snapshot, pairs: Sequence[tuple[Name, set[str]]]) -> list[GivenValue]:
    """Return the parameters of functions, or of members of classes, that have one of some names, by path and line."""
    found: dict[tuple[str, int, str], GivenValue] = {}
    for owner, wanted in pairs:
        functions = [
            each
            for symbol in closest(find_symbols(snapshot, owner), owner)
            if wanted and symbol.name == owner.last
            for each in ([symbol] if symbol.kind in FUNCTIONS else members(snapshot, symbol))
            if each.kind in FUNCTIONS
        ]
        ids = {each.id for each in functions}
        for given in snapshot.values.in_files(sorted({each.path for each in functions})):
            if given.symbol_id in ids and given.origin in PARAMETERS and given.keys[-1] in wanted:
                found[(given.path, given.line, given.name)] = given
    return [found[key] for key in sorted(found)]


def _behind(snapshot: Snapshot, places: Sequence[GivenValue], task: Task, asked: AskedSetting) -> list[GivenValue]:
    """Return where the constant used in a value is defined: `port(DEFAULT_PORT)`."""
    if not places or places[0].value[:1] in ("'", '"', "`"):
        return []
    named = {word for word in words(places[0].value) if not word.islower() and word != places[0].keys[-1]}
    found = {
        each.name: each
        for word in sorted(named)
        for each in _chosen(_named(snapshot, word, task, replace(asked, for_default=False)))[:1]
        if each.value and each.keys[-1] == word and each.origin == Origin.ASSIGNED
    }
    return list(found.values()) if len(found) == 1 else []


def _is_definition(snapshot: Snapshot, written: str) -> bool:
    """Return whether a name is that of a function or class: these have no value."""
    name = parse(written)
    return name is not None and any(each.kind in _DEFINING for each in find_symbols(snapshot, name))


def _is_unknown(snapshot: Snapshot, written: str) -> bool:
    name = parse(written) or Name((written,))
    return bool(name.parts) and not find_symbols(snapshot, name)


def _named(snapshot: Snapshot, name: str, task: Task, asked: AskedSetting) -> Iterator[_Place]:
    rest = set(count_terms(task.question)) - set(count_terms(name))
    owners = {folded(each.rpartition(".")[2]) for slot in asked.slots if slot != name for each in slot.split()}
    named = _with_owners(snapshot, snapshot.values.named(name))
    for given, around, file in named:
        level = fit(given, name)
        if (
            level < 0
            or given.is_naming
            or (asked.for_default and (given.is_passed_on or _is_of_one_use(given, around)))
        ):
            continue
        if asked.for_default and (file.is_test or (given.origin in PARAMETERS and not given.value)):
            continue
        sections = [
            *given.keys[:-1],
            *(around.qualified_name.split(".") if around and given.origin in PARAMETERS else ()),
        ]
        # "The default of interval in Poller": values in other owners count less, parameters count.
        is_of_another = bool(owners) and owners.isdisjoint(map(folded, sections))
        is_local = given.origin == Origin.PARAMETER and (not owners or is_of_another)
        is_unnamed = not any(path_matches(file.path, path) for path in task.anchors.paths)
        is_page = given.origin == Origin.PAGE
        doubts = is_page, is_unnamed, is_of_another, is_aside(file), level, is_local, given.is_passed_on
        shared = len(rest & set(count_terms(file.path)))
        is_made = asked.for_default and given.origin == Origin.CONSTRUCTOR
        is_special = speciality(file, for_default=asked.for_default)
        unlikely = not is_made, is_special, not given.value, given.origin == Origin.COMMENTED
        is_read = given.origin in (Origin.LOOKED_UP, Origin.OPTION)
        yield _Place(doubts, (*unlikely, -shared, is_read, file.path.count("/")), given)


def _with_owners(snapshot: Snapshot, values: Sequence[GivenValue]) -> Iterator[tuple[GivenValue, Symbol | None, File]]:
    symbols = symbols_by_id(snapshot, (each.symbol_id for each in values))
    for each in values:
        if file := snapshot.files.at(each.path):
            yield each, symbols.get(each.symbol_id) if each.symbol_id is not None else None, file


def _described(snapshot: Snapshot, asked: AskedSetting) -> Iterator[_Place]:
    terms = sorted(asked.terms)
    found = files_of_values(snapshot, terms, max(1, len(terms) - 1))
    files = [each for each in found if may_be_described(each, by_one_word=len(terms) == 1)]
    kinds = ([each for each in files if each.language], [each for each in files if not each.language])
    paths = [each.path for each in chain.from_iterable(kind[:_LIKELY_FILES] for kind in kinds)]
    for given, around, file in _with_owners(snapshot, snapshot.values.in_files(paths)):
        if not given.value or given.origin == Origin.PAGE or (asked.for_default and _is_of_one_use(given, around)):
            continue
        declared = _sureness(given) if asked.for_default else 0
        if not (given.is_plain or declared) or (given.origin == Origin.PARAMETER and not asked.for_default):
            continue
        covered = _share(snapshot, given, asked)
        if covered > _COVERED:
            is_special = speciality(file, for_default=asked.for_default)
            likely = -round(covered, 1), -declared, -covered
            yield _Place((given.is_naming, *likely, is_special, given.origin == Origin.COMMENTED), (), given)


def _sureness(given: GivenValue) -> int:
    """Rank defaults: of constructors and options highest, then of parameters and passed values, then others."""
    return {Origin.CONSTRUCTOR: 2, Origin.OPTION: 2, Origin.PARAMETER: 1, Origin.PASSED: 1}.get(given.origin, 0)


def _is_of_one_use(given: GivenValue, around: Symbol | None) -> bool:
    """Return whether a value is passed in one call only, by a function that does not build defaults."""
    if given.origin != Origin.PASSED or around is None:
        return False
    return _MAKING.isdisjoint(part.lower() for part in split_identifier(around.name))


def _share(snapshot: Snapshot, given: GivenValue, asked: AskedSetting) -> float:
    """Return how well a value fits a description; if this contains its full name, 1 + the number of its words."""
    if told := told_in_full(given, asked):
        return 1.0 + told
    above = ""
    if is_called_default(given, asked) and given.above:
        above = snapshot.files.lines(given.path, given.line - given.above, given.line - 1)
    return 0.0 if asked.in_full else coverage(given, asked, above)


def _chosen(places: Iterable[_Place]) -> list[GivenValue]:
    """Sort the places, and keep those with the same doubts as the first."""
    found = sorted(places, key=lambda each: (each.doubts, each.rank, each.given.path, each.given.line))
    return [each.given for each in found if each.doubts == found[0].doubts]
