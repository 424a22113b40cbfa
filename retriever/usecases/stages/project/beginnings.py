"""Where to start reading: in general, and for one topic that the question names."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.domain.evidence.definitions import grouped_by_name, shown_of
from retriever.domain.questions.names import parse
from retriever.domain.questions.process import process_of
from retriever.domain.questions.relations import Relation
from retriever.domain.questions.understanding import Intent, MentionKind, SlotKind
from retriever.domain.tasks.context import Context, Part, Task
from retriever.domain.values import EdgeKind, FileRole, Span, SymbolKind, SymbolMark
from retriever.domain.views.listing import User, UserList
from retriever.domain.views.prose import paragraphs
from retriever.usecases.evidence.places import place_of, said_of, said_of_file
from retriever.usecases.locating.about_project import PROJECT, own_files, project_names, readme
from retriever.usecases.locating.manifests import properties
from retriever.usecases.locating.naming import closest, find_symbols, is_first_hand, module_of, symbols_by_id
from retriever.usecases.searching.doers import doers
from retriever.usecases.stages.behaviour.flow import tree_of
from retriever.usecases.stages.project.places import listed_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retriever.domain.questions.understanding import QuestionPart
    from retriever.domain.values import File, Symbol
    from retriever.ports import Judge, Snapshot
    from retriever.usecases.searching.describing import FindDescribed

_LISTED = 8
_FIRST, _NEXT, _USED, _NAMED = 3, 4, 3, 4
"""Entries that are listed, files that these use, files that most others use, and names that are told of one."""
_ENTERED, _RUN = frozenset({"entry.main", "entry.module", "entry.exports.."}), "entry.bin."
"""Properties of manifests that name entries."""
_CONVENTIONAL = frozenset({"lib", "main", "index"})
"""Names of files at the root or in `src` that are entries."""
_LEADING = 4
"""Steps of a definition that leads on; one of fewer may be what it is about, but is no way into it."""
_MAIN = "main"
_LOOKED_AT, _MEANT = 5, 3
"""Definitions that may be what a topic means, by its name and by its description."""


class Beginnings:
    """
    Drafts a list of what to read first, each with why, or with what it says of itself.

    A library begins at the files that its manifest names, and at what the code in its README uses; a program at its
    main functions. A topic begins at the definition that it names or describes, and goes on with what that calls.
    """

    name = "beginnings"
    needs = frozenset({Part.CODE_INDEX})

    def __init__(self, described: FindDescribed) -> None:
        self._described = described

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look the topic up where the question names one; else look for entries."""
        for part in task.understanding.of(Intent.START):
            is_place = any(place_of(snapshot, each) for each in part.texts(*SlotKind) if "/" in each)
            topic = part.told(task.question) if not is_place else ""
            found = await self._of_topic(context, snapshot, task, part) if topic else None
            if found is None:
                found = await asyncio.to_thread(_of_project, snapshot)
            context = listed_with(self.name, context, found)
        return context

    async def _of_topic(self, context: Context, snapshot: Snapshot, task: Task, part: QuestionPart) -> UserList | None:
        topic = part.told(task.question)
        starts = await asyncio.to_thread(_named, snapshot, task, part)
        process = process_of(part) if not starts else None
        if process:
            starts = [each for each, _ in await asyncio.to_thread(doers, snapshot, context.ranking, process)][:1]
        is_sure = bool(starts)
        if not starts:
            meant = await self._described.run(
                snapshot, topic, limit=_LOOKED_AT, use_vectors=Part.VECTORS not in task.off
            )
            starts = [each for each in meant.symbols if is_first_hand(each)][:_MEANT]
        if not starts:
            return None
        found = await asyncio.to_thread(_way, snapshot, task, context, starts)
        return replace(found, name=topic, definition=found.definition if is_sure else None)


def _named(snapshot: Snapshot, task: Task, part: QuestionPart) -> list[Symbol]:
    """Return the definitions that a topic names as code does; one without its body stands for none."""
    symbols = task.understanding.named(MentionKind.SYMBOL)
    said = (each for each in part.texts(SlotKind.SUBJECT, SlotKind.OBJECT) if each in symbols)
    names = map(parse, said)
    found = [each for name in names if name for each in closest(find_symbols(snapshot, name), name)]
    own = [each for each in found if is_first_hand(each) and each.kind != SymbolKind.VARIABLE]
    return [shown_of(group)[0] for group in grouped_by_name(own)][:_LOOKED_AT]


def _way(snapshot: Snapshot, task: Task, context: Context, starts: Sequence[Symbol]) -> UserList:
    """Return what to read: the first start that leads on, or furthest, then the steps that lead furthest."""
    trees = [tree_of(snapshot, task, each, context.ranking.places()) for each in starts]
    ways = [tuple(dict.fromkeys(node.symbol for node in tree.walk() if node.symbol)) for tree in trees]
    steps = next((way for way in ways if len(way) >= _LEADING), max(ways, key=len))
    leading = snapshot.graph.fan_out([each.id for each in steps])
    most = sorted(steps[1:], key=lambda each: -leading.get(each.id, 0))[: _LISTED - 1]
    chosen = (steps[0], *(each for each in steps[1:] if each in most))
    listed = tuple(User(each.qualified_name or each.path, each, each.span, said_of(each)) for each in chosen)
    return UserList(steps[0].qualified_name, Relation.BEGINS, steps[0], len(listed), listed)


def _of_project(snapshot: Snapshot) -> UserList:
    own = {file.path: file for file in own_files(snapshot)}
    uses: dict[str, list[str]] = defaultdict(list)
    for each in snapshot.structure.dependencies():
        if each.path in own and each.depends_on in own:
            uses[each.path].append(each.depends_on)
    entered = dict([*_entries(snapshot, own)] or _of_readme(snapshot, own))
    listed = [User(path, module_of(snapshot, path), Span(path, 1, 1), why) for path, why in entered.items()][:_FIRST]
    if not listed:
        mains = _mains(snapshot, own, uses)
        listed = [User(each.qualified_name or each.path, each, each.span, said_of(each)) for each in mains]
    starts = [each.place.path for each in listed] or sorted(own, key=lambda path: (-len(uses[path]), path))[:1]
    for path in dict.fromkeys([*([] if listed else starts), *_below(snapshot, uses, own, starts)]):
        said = said_of_file(snapshot, own[path])
        listed.append(User(path, module_of(snapshot, path), Span(path, 1, 1), said))
    used = Counter(each for found in uses.values() for each in found)
    top = sorted(used, key=lambda path: (-used[path], path))[:_USED]
    notes = tuple(f"{path} is used by {used[path]} other files" for path in top)
    return UserList(PROJECT, Relation.BEGINS, None, len(listed[:_LISTED]), tuple(listed[:_LISTED]), notes=notes)


def _entries(snapshot: Snapshot, own: Mapping[str, File]) -> Iterator[tuple[str, str]]:
    """Yield the files at which manifests say that a package is entered, then those that are called as entries are."""
    said = [each for each in properties(snapshot, "entry.") if each.name in _ENTERED or each.name.startswith(_RUN)]
    nearest = [each for each in said if each.path.count("/") == said[0].path.count("/")]
    found = {}
    for each in nearest:
        if path := _file_of(own, each.path.rpartition("/")[0], each.value):
            found[path] = f"the entry of the package, by {each.path}"
    names = frozenset(name.replace("-", "_").lower() for name in project_names(snapshot))
    for path, file in own.items() if names else ():
        named, is_package = _named_after(snapshot, path)
        is_alike = named in _CONVENTIONAL or (named in names and bool(found or is_package))
        if is_alike and file.lines and file.role is not FileRole.STUB:
            found.setdefault(path, "called as the entry of a package is")
    yield from found.items()


def _file_of(own: Mapping[str, File], folder: str, written: str) -> str:
    """Return the file that an entry means: a path, with or without its ending, or a module and what it holds."""
    path = written.removeprefix("./").partition(":")[0]
    dotted = path.replace(".", "/") if "/" not in path else path
    stems = [f"{base}{each}".strip("/") for base in (f"{folder}/", f"{folder}/src/") for each in (path, dotted)]
    wanted = {end for stem in stems for end in (stem, f"{stem}/index", f"{stem}/__init__")}
    found = (each for each in own if each in wanted or each.rpartition(".")[0] in wanted)
    return next((each for each in found if own[each].lines and own[each].role is not FileRole.STUB), "")


def _named_after(snapshot: Snapshot, path: str) -> tuple[str, bool]:
    """Return what a file near the root is called, of one that speaks for its folder the folder, and whether it does."""
    folder, _, name = path.removeprefix("src/").rpartition("/")
    stem = name.partition(".")[0]
    if stem not in _CONVENTIONAL and "/" not in folder and folder:
        module = module_of(snapshot, path)
        if module and module.marks & SymbolMark.PACKAGE:
            return folder, True
    return (stem if folder in ("", "lib") else ""), False


def _of_readme(snapshot: Snapshot, own: Mapping[str, File]) -> list[tuple[str, str]]:
    """Return the files whose public definitions the code of the README names most often, with these."""
    code = "\n".join(each.text for each in paragraphs(snapshot.files.text(readme(snapshot))) if each.is_code)
    names = Counter("".join(letter if letter.isalnum() or letter == "_" else " " for letter in code).split())
    found: dict[str, list[str]] = defaultdict(list)
    for name in names:
        named = [each for each in snapshot.symbols.named(name) if each.name == name and each.path in own]
        outer = [each for each in named if "." not in each.qualified_name and each.is_public]
        if outer and outer[0].kind in {SymbolKind.CLASS, SymbolKind.FUNCTION}:
            found[outer[0].path].append(name)
    ranked = sorted(found, key=lambda path: -sum(names[name] for name in found[path]))
    return [(path, f"the README uses {', '.join(found[path][:_NAMED])}") for path in ranked]


def _below(
    snapshot: Snapshot, uses: Mapping[str, Sequence[str]], own: Mapping[str, File], entries: Sequence[str]
) -> list[str]:
    """Return the files that entries import or use, and where those are few what these use: the busiest first."""
    found: list[str] = []
    level = list(entries)
    while level and len(found) < _NEXT:
        met = [each for path in level for each in (*_imported(snapshot, path), *uses.get(path, ()))]
        level = [each for each in dict.fromkeys(met) if each in own and each not in (*found, *entries)]
        found += sorted(level, key=lambda path: (-len(uses.get(path, ())), -own[path].lines, path))
    return found[:_NEXT]


def _imported(snapshot: Snapshot, path: str) -> Iterator[str]:
    module = module_of(snapshot, path)
    edges = snapshot.graph.outgoing([module.id], (EdgeKind.IMPORT,)) if module else ()
    return (each.path for each in symbols_by_id(snapshot, (edge.target_id for edge in edges)).values())


def _mains(snapshot: Snapshot, own: Mapping[str, File], uses: Mapping[str, Sequence[str]]) -> list[Symbol]:
    """Return the modules and functions that are run, those nearest to the root first."""
    named = [each for each in snapshot.symbols.named(_MAIN) if each.path in own and each.name == _MAIN]
    symbols = snapshot.lexical.corpus().symbols
    programs = symbols.ids[symbols.is_module & ((symbols.marks & SymbolMark.BEGINS) > 0)].tolist()
    run = [each for each in snapshot.symbols.get(programs) if each.path in own]
    mains = [each for each in named if each.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}]
    # A script that uses nothing of the project does not begin it.
    mains = [each for each in mains if uses.get(each.path)] or ([] if any(uses.values()) else mains)
    return sorted((*run, *mains), key=lambda each: (each.path.count("/"), -each.lines, each.path))[:_FIRST]
