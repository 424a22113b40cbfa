"""Finds where a setting, constant or key of configuration that the question asks for gets its value."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from common.core.terms import count_terms, terms_of, words
from retriever.domain.asked.setting import (
    AskedSetting,
    asked_setting,
    coverage,
    ending,
    fit,
    fits_any_setting,
    folded,
    is_called_default,
    told_in_full,
)
from retriever.domain.assignments import Assignment, assignments, comments_above
from retriever.domain.context import Context, Part, Task
from retriever.domain.evidence import EvidenceRole, Setting
from retriever.domain.meant_values import CONSTANT, is_naming, is_passed_on, is_telling, is_word
from retriever.domain.names import Name, parse, path_matches
from retriever.domain.page_defaults import page_defaults
from retriever.domain.parameters import LANGUAGES, parameters
from retriever.domain.values import Span, SymbolKind
from retriever.usecases.drafting import lines_draft
from retriever.usecases.naming import CONSTRUCTORS, find_symbols, innermost
from retriever.usecases.parameters import (
    FUNCTIONS,
    Declared,
    constructor_parameters,
    declared_parameters,
    parameter_at,
)
from retriever.usecases.setting_files import (
    files_of_values,
    files_with_terms,
    is_aside,
    is_for_one_purpose,
    is_page,
    may_be_described,
)
from retriever.usecases.stages.unheld import nowhere, unheld_draft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from retriever.domain.evidence import Draft
    from retriever.domain.values import File, Symbol
    from retriever.ports import Judge, Snapshot

_TOLD = 3
"""Places that are shown of one setting."""
_FILES = 60
"""Files that are read for one setting: those with most of its name."""
_LIKELY_FILES = 60
"""Files of code, and others, that are read for one that is only described."""
_BLOCK = 8
"""Lines of a value that takes several."""
_COVERED = 0.7
_MAKES = re.compile(r"build|create|default|init|make|new", re.IGNORECASE)
_LIKE_SETTING = re.compile(r"[._]|[a-z][A-Z]")
"""What the answer before may have been about and is the name of a setting, rather than a heading."""
_DEFINING = (*FUNCTIONS, SymbolKind.CLASS)
_LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True)
class _Place:
    """
    A line that may be meant; the less of both, the likelier.

    Args:
        doubts: What speaks against its being meant at all.
        rank: What puts it behind others that are as surely meant.
    """

    doubts: tuple[float, ...]
    rank: tuple[float, ...]
    file: File
    assignment: Assignment


class Settings:
    """
    Drafts the lines that give the setting its value, with the comments above them, the likeliest first.

    What the question names is looked up in code and in files of configuration, by any of the spellings that those have
    for one name; what it only describes must be told in full by name, sections and path of one line.
    """

    name = "settings"
    needs = frozenset({Part.CODE_INDEX, Part.SOURCE})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Look the setting up, if the question asks for one."""
        asked = asked_setting(task.question)
        if snapshot.lexical.problem:
            return context
        meant = [each for each in task.anchors.symbols if each not in task.question and _LIKE_SETTING.search(each)]
        drafts: list[Draft] = []
        if meant and fits_any_setting(task.question) and not context.tells_users:
            drafts = await asyncio.to_thread(_find, snapshot, AskedSetting(tuple(meant[:1])), task)
        if asked is not None and not drafts:
            drafts = await asyncio.to_thread(_find, snapshot, asked, task)
        if asked is not None and asked.is_certain and asked.names and not drafts:
            missing = await asyncio.to_thread(nowhere, snapshot, asked.names)
            drafts = [unheld_draft(missing)] if missing else []
        return context.with_drafts(drafts).with_step(self.name) if drafts else context


def _find(snapshot: Snapshot, asked: AskedSetting, task: Task) -> list[Draft]:
    if asked.for_default and (declared := declared_parameters(snapshot, task.question, task.anchors.symbols)):
        return _of_parameters(snapshot, declared, task, asked)
    if not asked.names:
        places = _chosen(_described(snapshot, asked))
        meant = {each.assignment.value for each in places}
        if len(asked.terms) == 1 and len(meant) > _TOLD and not told_in_full(places[0].assignment, asked):
            return []  # a word that many things go by
        found = places[:1] + _behind(snapshot, places[:1], task, asked)
        return [_draft(snapshot, each, asked.words) for each in found]
    drafts: list[Draft] = []
    for name in asked.names:
        # No function has a default: what is asked for is what it sets.
        may_be_set = asked.is_certain and (asked.for_default or not _is_definition(snapshot, name))
        if may_be_set or _is_unknown(snapshot, name):
            places = _chosen(_named(snapshot, name, task, asked))[:_TOLD]
            if asked.for_default:
                # What a test sets holds in that test: nobody gets it who sets nothing.
                places = [each for each in places if not each.file.is_test] or _chosen(_on_pages(snapshot, name))[:1]
            places[1:1] = _behind(snapshot, places[:1], task, asked)
            made = [] if places or not asked.for_default else constructor_parameters(snapshot, name)
            drafts += _of_parameters(snapshot, made, task, asked)
            drafts += [_draft(snapshot, each, (name,)) for each in places]
    return drafts


def _of_parameters(snapshot: Snapshot, declared: Sequence[Declared], task: Task, asked: AskedSetting) -> list[Draft]:
    """Draft the lines that declare parameters of functions, those with a default first."""
    found = sorted(declared, key=lambda each: not each.parameter.default)
    places = [
        _Place(
            (),
            (),
            file,
            Assignment((each.parameter.name,), each.parameter.default[:_LONGEST_VALUE], each.line, each.line),
        )
        for each in found[:_TOLD]
        if (file := snapshot.files.at(each.function.path))
    ]
    names = [f"{each.function.qualified_name}({each.parameter.name})" for each in found]
    drafts = []
    for name, place in zip(names, places, strict=False):
        given, path = place.assignment, place.file.path
        draft = _lines(snapshot, Span(path, given.line, given.line), f"declares {name}")
        drafts.append(replace(draft, setting=Setting(given.keys, name, given.value, given.line)))
    behind = _behind(snapshot, places[:1], task, asked)
    return drafts[:1] + [_draft(snapshot, each, places[0].assignment.keys) for each in behind] + drafts[1:]


def _behind(snapshot: Snapshot, places: Sequence[_Place], task: Task, asked: AskedSetting) -> list[_Place]:
    """Return where the constant gets its value that a value names: `port(DEFAULT_PORT)`."""
    named = [CONSTANT.findall(each.assignment.value) for each in places]
    if len(named) != 1 or len(set(named[0])) != 1 or named[0][0] == places[0].assignment.keys[-1]:
        return []
    found = _chosen(_named(snapshot, named[0][0], task, asked))
    return [each for each in found if each.assignment.value and each.assignment.keys[-1] == named[0][0]][:1]


def _is_definition(snapshot: Snapshot, written: str) -> bool:
    """Tell whether a name is that of a function or class, which no line gives a value to."""
    name = parse(written)
    return name is not None and any(each.kind in _DEFINING for each in find_symbols(snapshot, name))


def _is_unknown(snapshot: Snapshot, written: str) -> bool:
    name = parse(written) or Name((written,))
    return bool(name.parts) and not find_symbols(snapshot, name)


def _terms_of_last(name: str) -> list[str]:
    return list(dict.fromkeys(term for word in words(name.rpartition(".")[2]) for term in terms_of(word)[:1]))


def _named(snapshot: Snapshot, name: str, task: Task, asked: AskedSetting) -> Iterator[_Place]:
    rest = set(count_terms(task.question)) - set(count_terms(name))
    terms = _terms_of_last(name)
    in_file = cache(snapshot.symbols.in_file)
    owners = {folded(each.rpartition(".")[2]) for each in task.anchors.symbols} - {folded(name.rpartition(".")[2])}
    for file in files_of_values(snapshot, terms, len(terms))[:_FILES]:
        text = snapshot.files.text(file.path)
        is_unnamed = not any(path_matches(file.path, path) for path in task.anchors.paths)
        is_special = is_for_one_purpose(file, for_default=asked.for_default)
        for each in assignments(text, (ending(name),), is_code=file.language != ""):
            level = fit(each, name)
            if level < 0 or is_naming(each, name) or (asked.for_default and is_passed_on(each)):
                continue
            if asked.for_default and _is_of_one_use(in_file(file.path), each):
                continue
            # "The default of interval in Poller": what stands in another thing is another one's, and parameters count.
            is_of_another = bool(owners) and owners.isdisjoint(map(folded, each.keys[:-1]))
            is_local = _is_local(in_file, file, each)
            if is_local and owners and not is_of_another:
                is_local = parameter_at(in_file(file.path), text, each.line) is None
            # What nobody gives a constructor holds for the whole object.
            is_made = asked.for_default and _declared(parameter_at(in_file(file.path), text, each.line), each) > 1
            is_local = is_local and not is_made
            doubts = is_unnamed, is_of_another, is_aside(file), level, is_local, is_passed_on(each)
            shared = len(rest & set(count_terms(file.path)))
            unlikely = not is_made, is_special, not each.value, each.is_commented
            yield _Place(doubts, (*unlikely, -shared, each.is_read, file.path.count("/")), file, each)


def _on_pages(snapshot: Snapshot, name: str) -> Iterator[_Place]:
    terms = _terms_of_last(name)
    for file in files_with_terms(snapshot, terms, len(terms)):
        if is_page(file) and not file.is_test:
            for each in page_defaults(snapshot.files.text(file.path), name):
                yield _Place((file.path.count("/"),), (), file, each)


def _described(snapshot: Snapshot, asked: AskedSetting) -> Iterator[_Place]:
    terms, in_file = sorted(asked.terms), cache(snapshot.symbols.in_file)
    found = files_of_values(snapshot, terms, max(1, len(terms) - 1))
    files = [each for each in found if may_be_described(each, by_one_word=len(terms) == 1)]
    kinds = ([each for each in files if each.language], [each for each in files if not each.language])
    for file in chain.from_iterable(kind[:_LIKELY_FILES] for kind in kinds):
        text = snapshot.files.text(file.path)
        for each in assignments(text, asked.beginnings, is_code=file.language != ""):
            given, declared = each, 0
            if asked.for_default:
                if _is_of_one_use(in_file(file.path), each):
                    continue
                given, declared = _declared_default(in_file(file.path), text, each, file)
            is_meant = is_telling(given.value, for_number=asked.for_number) or is_word(given.value, file, asked)
            is_meant = is_meant or (declared > 0 and given.value != "")
            covered = _share(given, asked, file, text) if is_meant else 0.0
            if covered > _COVERED and (declared > 0 or not _is_local(in_file, file, given)):
                is_special = is_for_one_purpose(file, for_default=asked.for_default)
                likely = -round(covered, 1), -declared, -covered
                yield _Place(
                    (is_naming(given, given.keys[-1]), *likely, is_special, each.is_commented), (), file, given
                )


def _declared(function: Symbol | None, assignment: Assignment) -> int:
    """Return more for a parameter, most for one of a constructor: what nobody gives it says what holds then."""
    names = {each.name for each in parameters(function.signature)} if function else set()
    return 0 if function is None or assignment.keys[-1] not in names else 1 + (function.name in CONSTRUCTORS)


def _declared_default(
    symbols: Sequence[Symbol], text: str, assignment: Assignment, file: File
) -> tuple[Assignment, int]:
    """Return a line with the default that it declares, of a parameter not its type, and how surely it is one."""
    if assignment.is_given:
        return assignment, 1 + assignment.is_read
    function = parameter_at(symbols, text, assignment.line)
    declared = _declared(function, assignment)
    if function is None or not declared or file.language not in LANGUAGES:
        return assignment, declared
    own = next(each for each in parameters(function.signature) if each.name == assignment.keys[-1])
    return replace(assignment, value=own.default[:_LONGEST_VALUE]), declared


def _is_of_one_use(symbols: Sequence[Symbol], assignment: Assignment) -> bool:
    """Tell what is handed to something by others than who builds what holds where nobody says more."""
    around = innermost(symbols, assignment.line) if assignment.is_given and not assignment.is_read else None
    return around is not None and _MAKES.search(around.name) is None


def _share(assignment: Assignment, asked: AskedSetting, file: File, text: str) -> float:
    """Return how much of a description a line tells, 1 or more if its name stands there word by word."""
    if told := told_in_full(assignment, asked):
        return 1.0 + told
    above = comments_above(text.split("\n"), assignment.line) if is_called_default(assignment, asked) else ()
    return 0.0 if asked.in_full else coverage(assignment, asked, file.path, " ".join(above))


def _chosen(places: Iterator[_Place]) -> list[_Place]:
    """Order places, and keep those that are as good a sign as the first: no test beside the code itself."""
    found = sorted(places, key=lambda each: (each.doubts, each.rank, each.file.path, each.assignment.line))
    return [each for each in found if each.doubts == found[0].doubts]


def _is_local(in_file: Callable[[str], Sequence[Symbol]], file: File, assignment: Assignment) -> bool:
    """Tell a variable of a function; what a literal in it gives a key is none."""
    if assignment.is_read or assignment.is_given or not file.language:
        return False
    around = innermost(in_file(file.path), assignment.line)
    if around is None or around.kind not in FUNCTIONS:
        return False
    owner = around.qualified_name.rpartition(".")[0].rpartition(".")[2]
    return len(assignment.keys) == 1 or assignment.keys[-2] == owner


def _draft(snapshot: Snapshot, place: _Place, said: tuple[str, ...]) -> Draft:
    found, path = place.assignment, place.file.path
    lines = snapshot.files.text(path).split("\n")
    first = found.line - len(comments_above(lines, found.line))
    last = found.end_line if found.value else _block_end(lines, found.line)
    if found.keys[-1] not in lines[found.line - 1] or lines[found.line - 1].strip().startswith("- name:"):
        last = min(len(lines), found.line + 1)
    name = ".".join(found.keys)
    text = "\n".join(lines)
    function = parameter_at(snapshot.symbols.in_file(path), text, found.line) if place.file.language else None
    name = f"{function.qualified_name}({found.keys[-1]})" if function else name
    draft = _lines(snapshot, Span(path, first, last), f"sets {name}")
    return replace(draft, setting=Setting(said, name, found.value, found.line))


def _lines(snapshot: Snapshot, span: Span, reason: str) -> Draft:
    return lines_draft(snapshot, span, EvidenceRole.SETTING, reason)


def _block_end(lines: Sequence[str], line: int) -> int:
    """Return the last line of a value that begins on this one, as far as it is shown."""
    indent, end = len(lines[line - 1]) - len(lines[line - 1].lstrip()), line
    for number in range(line + 1, min(len(lines), line + _BLOCK) + 1):
        text = lines[number - 1]
        if text.strip() and len(text) - len(text.lstrip()) <= indent:
            return number if text.strip()[0] in ")]}" else end
        end = number if text.strip() else end
    return end
