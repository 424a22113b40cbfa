"""Finds users by facts and by text: who sets, raises, catches or imports something that may have no definition here."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retriever.domain.names import Name
from retriever.domain.relations import Relation
from retriever.domain.values import EdgeKind, Fact, FactKind, SymbolKind
from retriever.usecases.naming import find_files, find_modules, find_symbols, innermost, module_of, symbols_by_id
from retriever.usecases.occurrences import files_with
from retriever.usecases.using.edges import users_of, uses_by
from retriever.usecases.using.found import Use, Using, examples_last, one_of_each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from retriever.domain.values import File
    from retriever.ports import Snapshot

_COMMENT = re.compile(r"\s*(?:#(?!\s*include)|//|/\*|\*(?![\w(])|--(?!\w))")
"""A line that is one; `*count = 1` and `--count` change what they name."""
_MAKERS = 8
"""Functions that make what is raised elsewhere."""
_HANDED = (
    r"(?<![\w$])(?!(?:assert\w*|catch|expect|for|if|log|print|resolve|return|super|switch|throw|while)\()"
    r"(?P<through>[A-Za-z_$][\w$]*)\((?:[^()\n]{0,80},)?\s*"
)
"""A function that is handed what follows."""
_LONGEST_LINE = 1000
"""A longer line is data."""
_MANIFEST = re.compile(
    r"(?:^|/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?"
    r"|requirements/[\w.-]+\.(?:txt|in)|(?:[\w.-]*[-_.])?requirements[\w.-]*\.(?:txt|in)|Gemfile|composer\.json"
    r"|[\w.-]+\.csproj|CMakeLists\.txt)$"
)
"""Files that say what a project depends on."""


def setters_of(snapshot: Snapshot, name: Name) -> Using:
    """List who changes an attribute or variable, by what the index knows of state that is changed, else by text."""
    facts = snapshot.facts.with_value(FactKind.MUTATES, name.last)
    uses = _of_facts(snapshot, _of_owner(snapshot, facts, name))
    return _using(name, Relation.SETS, uses or list(_writing(snapshot, _assigned(name), name)))


def raisers_of(snapshot: Snapshot, name: Name) -> Using:
    """
    List who raises an exception, by what the index knows of that, else by text.

    Where nobody does, it may be made for something that raises it, or reports it: a callback, a promise.
    """
    word = re.escape(name.last)
    raised = re.compile(rf"\b(?:raise|throw|panic|bail|Err|ensure)\b[^<\n]*(?<![<\w]){word}\b")
    ways: tuple[Callable[[], Iterable[Use]], ...] = (
        lambda: _of_facts(snapshot, snapshot.facts.with_value(FactKind.RAISES, name.last)),
        lambda: _writing(snapshot, raised, name),
        lambda: _writing(snapshot, re.compile(rf"{_HANDED}new\s+(?:\w+\.)*{word}\b"), name),
        lambda: _raising_what_is_made(snapshot, name),
    )
    found: list[Use] = []
    for way in ways:
        if any(not use.user.is_test for use in found):
            break
        found = list(way()) or found
    return _using(name, Relation.RAISES, found)


def _raising_what_is_made(snapshot: Snapshot, name: Name) -> list[Use]:
    """Return who raises what functions of this repository make of a type, with the function."""
    types = [each for each in find_symbols(snapshot, name) if each.kind == SymbolKind.CLASS]
    makers = [use.user for each in types for use in users_of(snapshot, each, Relation.USES).uses]
    found: list[Use] = []
    for maker in makers[:_MAKERS]:
        pattern = re.compile(rf"\b(?:raise|throw)\b[^\n]*(?<!\w){re.escape(maker.name)}\(")
        found += [
            replace(use, through=maker.qualified_name) for use in _writing(snapshot, pattern, Name((maker.name,)))
        ]
    return one_of_each(found)


def catchers_of(snapshot: Snapshot, name: Name) -> Using:
    """List who catches an exception by its name, or asks whether an error is one; no index keeps that."""
    word = re.escape(name.last)
    caught = re.compile(
        rf"(?:\bexcept\b[^:\n]*|\bexcept\s*\([^()]*|\bcatch\s*\([^()\n]*|\brescue\b[^\n]*|\bsuppress\([^()\n]*"
        rf"|\binstanceof\s+(?:\w+\.)*|\berrors\.(?:Is|As)\([^()\n]*|\bdowncast\w*(?:::)?<[^>\n]*|\bisinstance\([^()\n]*"
        rf"|\b(?:Err|Some|Ok)\(\s*)(?<!\w){word}\b"
    )
    return _using(name, Relation.CATCHES, list(_writing(snapshot, caught, name)))


def importers_of(snapshot: Snapshot, written: str, name: Name | None) -> Using:
    """
    List the files that import a package, module or file, of this repository or of others.

    What files say that the project depends on is noted with the line.
    """
    own = _files_of(snapshot, written, name)
    uses = _importing(snapshot, own) if own else list(_imports_of(snapshot, written))
    code = examples_last(use for use in uses if not use.user.is_test)
    notes = [] if own else list(_named_in_manifests(snapshot, written))
    return Using(written, Relation.IMPORTS, None, tuple(code), len(uses) - len(code), notes=tuple(notes))


def _using(name: Name, relation: Relation, uses: Sequence[Use]) -> Using:
    code = examples_last(use for use in uses if not use.user.is_test)
    return Using(name.dotted, relation, None, tuple(code), len(uses) - len(code))


def _of_facts(snapshot: Snapshot, facts: Sequence[Fact]) -> list[Use]:
    users = symbols_by_id(snapshot, (each.symbol_id for each in facts))
    uses = [Use(user, user.path, each.line) for each in facts if (user := users.get(each.symbol_id))]
    return sorted(one_of_each(uses), key=lambda use: (use.path, use.line))


def _of_owner(snapshot: Snapshot, facts: Sequence[Fact], name: Name) -> Sequence[Fact]:
    """
    Keep the changes of one owner's attribute, where any is known to be: "engine.trees", "Context.index".

    It is written as the holder, is the class around, or the type that a parameter of the holder's name has.
    """
    if len(name.parts) < 2:
        return facts
    owner = name.parts[-2]
    around = symbols_by_id(snapshot, (fact.symbol_id for fact in facts))

    def is_owned(fact: Fact) -> bool:
        holder = fact.value.rpartition(".")[0].rpartition(".")[2]
        user = around.get(fact.symbol_id)
        if holder.casefold() == owner.casefold() or user is None:
            return True
        if holder in {"self", "this", ""}:
            return owner in user.qualified_name.split(".")[:-1]
        one, other = re.escape(holder), re.escape(owner)
        typed = rf"\b{one}\W{{1,4}}{other}\b|\b{other}\W{{1,3}}{one}\b"
        return re.search(typed, user.signature) is not None

    return [fact for fact in facts if is_owned(fact)] or facts


def _assigned(name: Name) -> re.Pattern[str]:
    """Return what an assignment of an attribute or variable looks like, in any language."""
    holder = rf"\b{re.escape(name.parts[-2])}(?:\.|->|::)" if len(name.parts) > 1 else r"(?<!\w)"
    word = rf"{holder}{re.escape(name.last)}"
    given = r"(?:\[[^\]\n]*\])?\s*(?:[-+*/%|&^]|<<|>>|\?\?|:)?=(?![=>])"
    return re.compile(rf"{word}(?:{given}|\+\+|--)|(?:\+\+|--){word}")


def _writing(snapshot: Snapshot, pattern: re.Pattern[str], name: Name) -> Iterator[Use]:
    """
    Yield the first place of each definition whose text has a pattern, in order of path and line.

    The group `through` of a pattern, if it has one, is what leads to the thing.
    """
    seen: set[int] = set()
    for file in sorted(files_with(snapshot, name.last, with_tests=True), key=lambda each: each.path):
        text, symbols = snapshot.files.text(file.path), None
        for match in pattern.finditer(text):
            symbols = symbols or snapshot.symbols.in_file(file.path)
            begin = text.rfind("\n", 0, match.end() - 1) + 1
            line = text.count("\n", 0, match.end() - 1) + 1
            if _COMMENT.match(text, begin) or match.end() - begin > _LONGEST_LINE:
                continue
            user = innermost(symbols, line) or module_of(snapshot, file.path)
            if user and user.id not in seen:
                seen.add(user.id)
                yield Use(user, file.path, line, through=match.groupdict().get("through", ""))


def _files_of(snapshot: Snapshot, written: str, name: Name | None) -> list[File]:
    """Return the files of this repository that an imported name means: a module, a file, or those of a folder."""
    parts = tuple(part for part in re.split(r"[./]|::", written) if part)
    exact = find_files(snapshot, written) if "/" in written or (name and name.file) else ()
    modules = find_modules(snapshot, parts) if not exact else ()
    found = [*exact, *(file for each in modules if (file := snapshot.files.at(each.path)))]
    if found or not parts:
        return list(found)
    ending = "/".join(parts)
    return [
        file
        for file in snapshot.files.all()
        if file.parsed and f"/{file.path}".rpartition("/")[0].endswith(f"/{ending}")
    ]


def _importing(snapshot: Snapshot, own: Sequence[File]) -> list[Use]:
    """Return one use of each file outside that imports one of these, or what they define."""
    paths = {file.path for file in own}
    ids = [each.id for path in sorted(paths) for each in snapshot.symbols.in_file(path)]
    uses = uses_by(snapshot, snapshot.graph.incoming(ids, (EdgeKind.IMPORT,)))
    outside = (use for use in uses if use.path not in paths and not _is_inside(use.path, paths))
    by_file: dict[str, Use] = {}
    # What lies below the package itself says less than others do.
    for use in sorted(outside, key=lambda each: (_is_below(each.path, paths), each.path, each.line)):
        module = use.user if use.user.kind == SymbolKind.MODULE else module_of(snapshot, use.path)
        by_file.setdefault(use.path, Use(module or use.user, use.path, use.line))
    return list(by_file.values())


def _is_below(path: str, paths: set[str]) -> bool:
    return len(paths) > 1 and any(path.startswith(f"{each.rpartition('/')[0]}/") for each in paths if "/" in each)


def _is_inside(path: str, paths: set[str]) -> bool:
    """Tell a file of the package itself, where several files are meant."""
    return len(paths) > 1 and path.rpartition("/")[0] in {each.rpartition("/")[0] for each in paths}


def _imports_of(snapshot: Snapshot, written: str) -> Iterator[Use]:
    """Yield one use of each file whose imports name something of elsewhere."""
    first = re.split(r"[./@:]", written.lstrip("@"))[0]
    word = rf"(?<![\w-]){re.escape(written)}(?![\w-])"
    importing = re.compile(
        rf"^\s*(?:import|from|use|using|require|include|#\s*include|extern crate|export)\b[^\n]*{word}"
        rf"|\b(?:require|import)\(\s*[\"'][^\"'\n]*{word}|^\}}?\s*from\s+[\"'][^\"'\n]*{word}",
        re.MULTILINE,
    )
    of_go = re.compile(
        rf"^\s*(?:\w+\s+)?\"(?:[^\"\n]*/)?{re.escape(written)}(?:/[^\"\n]*)?\"[ \t]*(?://[^\n]*)?$", re.MULTILINE
    )
    for file in sorted(files_with(snapshot, first, with_tests=True), key=lambda each: each.path):
        text = snapshot.files.text(file.path)
        match = importing.search(text) or (of_go.search(text) if file.language == "go" else None)
        module = module_of(snapshot, file.path)
        if match and module:
            yield Use(module, file.path, text.count("\n", 0, match.end()) + 1)


def _named_in_manifests(snapshot: Snapshot, written: str) -> Iterator[str]:
    word = re.compile(rf"(?<![\w-]){re.escape(written)}(?![\w-])")
    for file in snapshot.files.all():
        if _MANIFEST.search(file.path):
            lines = snapshot.files.text(file.path).split("\n")
            at = next((number for number, line in enumerate(lines, 1) if word.search(line)), 0)
            if at:
                yield f"and named in {file.path}:{at}"
