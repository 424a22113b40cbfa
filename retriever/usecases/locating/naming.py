"""Finds the symbols and files that a written name refers to, by name alone and without similarity."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from common.core.contract.snapshot import FileRole
from retriever.domain.evidence.definitions import shown_of
from retriever.domain.questions.names import Name, full_parts, matches, path_matches
from retriever.domain.values import EdgeKind, File, Symbol, SymbolKind, SymbolMark
from retriever.domain.views.text_places import lines_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retriever.ports import Snapshot

FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)
FileOrSymbol = TypeVar("FileOrSymbol", File, Symbol)

_MAX_BASES = 50
"""Most base classes collected for one class; larger hierarchies are generated or circular."""


def find_files(snapshot: Snapshot, written: str) -> tuple[File, ...]:
    """Return the file of exactly this path, else the files whose path ends with it after a slash."""
    exact = snapshot.files.at(written.removeprefix("./"))
    if exact:
        return (exact,)
    name = written.rstrip("/").rpartition("/")[2]
    return tuple(file for file in snapshot.files.with_stem(name) if path_matches(file.path, written))


def find_modules(snapshot: Snapshot, parts: Sequence[str]) -> tuple[Symbol, ...]:
    """Return the modules whose importable name ends with these parts, by path."""
    if not parts:
        return ()
    found = (module_of(snapshot, file.path) for file in snapshot.files.with_stem(parts[-1]) if file.parsed)
    return tuple(symbol for symbol in found if symbol and matches(symbol, parts))


def module_of(snapshot: Snapshot, path: str) -> Symbol | None:
    """Return the module symbol of a file; None for a file without symbols."""
    symbols = snapshot.symbols.in_file(path)
    return symbols[0] if symbols and symbols[0].kind == SymbolKind.MODULE else None


def find_symbols(snapshot: Snapshot, name: Name) -> tuple[Symbol, ...]:
    """
    Return the definitions of a name, without modules.

    A name is matched from the right, part by part. If no definition matches in full, imports are followed
    (`package.Name` for `package.module.Name`), then the class hierarchy (`Child.method` defined in `Base`); then the
    owner may be a variable named after the only class with that member (`client.get`), or the member private
    (`Child.#method`).

    Returns:
        All definitions that match equally well, by path and line; see `closest`.
    """
    if not name.parts:
        return ()
    found = _public_or_spelled(snapshot, name)
    return found if found or name.last.startswith("#") else find_symbols(snapshot, name.private)


def _public_or_spelled(snapshot: Snapshot, name: Name) -> tuple[Symbol, ...]:
    alike = snapshot.symbols.named(name.last)
    named = [each for each in alike if each.name == name.last]
    if named and all(each.is_aside for each in named):  # only in examples: "a model" may be the interface `Model`
        named = [each for each in alike if is_first_hand(each)] or named
    found = [each for each in named if each.kind != SymbolKind.MODULE and matches(each, name.parts)]
    if name.path:
        paths = {file.path for file in find_files(snapshot, name.path)}
        found = [each for each in found if each.path in paths]
    if found or len(name.parts) == 1:
        return tuple(found)
    owner = Name(name.parts[:-1], name.path)
    return _members_of(snapshot, owner, name.last) or _members_of_instance(snapshot, owner, name.last)


def received(snapshot: Snapshot, name: Name) -> tuple[Symbol, ...]:
    """
    Return the definitions for a name of two parts whose first part is a variable or an imported package.

    For `ctx.onerror` these are the members `onerror` of owners that `ctx` abbreviates, else all definitions `onerror`.
    """
    receiver = name.parts[0] if len(name.parts) == 2 else ""
    if not receiver[:1].islower():
        return ()
    found = find_symbols(snapshot, Name((name.last,), name.path))
    owners = ((each, each.qualified_name.split(".")[-2:-1] or [each.path.rpartition("/")[2]]) for each in found)
    return tuple(each for each, (owner,) in owners if _is_short_for(receiver, owner)) or found


def _is_short_for(receiver: str, owner: str) -> bool:
    """Return whether a variable abbreviates a name: same first letter, and its letters occur there in order."""
    letters = iter(owner.casefold())
    return owner[:1].casefold() == receiver[:1] and all(letter in letters for letter in receiver.casefold())


def closest(found: Iterable[Symbol], name: Name) -> tuple[Symbol, ...]:
    """
    Keep the candidates that match a name best.

    Code comes before tests, definitions before declarations in stub files, functions and classes before variables, a
    full match before a match of the end of a longer name. A variable with the name and file of a type counts as the
    same definition: TypeScript merges an interface and a constant.
    """
    code = defining(found)
    working = {each.definition for each in code if each.kind != SymbolKind.VARIABLE}
    code = [each for each in code if not working or each.definition in working]
    levels = [_level(each, name) for each in code]
    best = min(levels, default=0)
    return tuple(each for each, level in zip(code, levels, strict=True) if level == best)


def is_first_hand(symbol: Symbol) -> bool:
    """Return whether a symbol is neither in tests nor in examples or tools."""
    return not symbol.is_test and not symbol.is_aside


def defining(found: Iterable[FileOrSymbol]) -> list[FileOrSymbol]:
    """Drop candidates in tests, then those in stub files, each only if others remain."""
    candidates = list(found)
    code = [each for each in candidates if not each.is_test] or candidates
    return [each for each in code if each.role is not FileRole.STUB] or code


def is_aside(snapshot: Snapshot, path: str) -> bool:
    """Return whether a file is an example or a tool, and not the code that the repository is about."""
    file = snapshot.files.at(path)
    return file is not None and file.role.is_aside


def lists_of_changes(snapshot: Snapshot) -> frozenset[str]:
    """Return the paths of all change logs and release notes."""
    return frozenset(file.path for file in snapshot.files.all() if file.role is FileRole.CHANGES)


def enclosing(snapshot: Snapshot, path: str, line: int) -> Symbol | None:
    """Return the innermost definition around a line; None outside of all definitions."""
    return innermost(snapshot.symbols.in_file(path), line)


def innermost(symbols: Iterable[Symbol], line: int) -> Symbol | None:
    """Return the innermost definition of a file's symbols around a line; None outside of all definitions."""
    around = [
        symbol
        for symbol in symbols
        if symbol.kind != SymbolKind.MODULE and symbol.start_line <= line <= symbol.end_line
    ]
    return max(around, key=lambda symbol: (symbol.start_line, -symbol.end_line), default=None)


def symbols_by_id(snapshot: Snapshot, ids: Iterable[int | None]) -> dict[int, Symbol]:
    """Map ids to their symbols, in order; None, the target of an external edge, is skipped."""
    wanted = dict.fromkeys(each for each in ids if each is not None)
    return {each.id: each for each in snapshot.symbols.get(list(wanted))}


def definitions_of(snapshot: Snapshot, groups: Iterable[Sequence[int]]) -> tuple[tuple[Symbol, tuple[int, ...]], ...]:
    """For each group of symbol ids, best first, return the symbol to show for it and the ids of the rest."""
    asked = tuple(groups)
    symbols = symbols_by_id(snapshot, chain.from_iterable(asked))
    return tuple(shown_of([symbols[each] for each in group]) for group in asked)


def members(snapshot: Snapshot, owner: Symbol) -> tuple[Symbol, ...]:
    """Return the definitions directly inside a symbol, by line."""
    return tuple(each for each in snapshot.symbols.in_file(owner.path) if each.parent_id == owner.id)


def constructors(snapshot: Snapshot, owner: Symbol) -> tuple[Symbol, ...]:
    """Return the constructors of a class."""
    return tuple(each for each in members(snapshot, owner) if each.marks & SymbolMark.CONSTRUCTOR)


def bases(snapshot: Snapshot, owner: Symbol) -> tuple[Symbol, ...]:
    """Return the classes of this repository that a class inherits from, nearest first."""
    seen = {owner.id}
    level, found = [owner.id], list[Symbol]()
    while level and len(found) < _MAX_BASES:
        edges = snapshot.graph.outgoing(level, (EdgeKind.INHERITS,))
        level = list(dict.fromkeys(e.target_id for e in edges if e.target_id is not None and e.target_id not in seen))
        seen.update(level)
        found.extend(snapshot.symbols.get(level))
    return tuple(found)


def _members_of(snapshot: Snapshot, owner: Name, member: str) -> tuple[Symbol, ...]:
    found: list[Symbol] = []
    for module in find_modules(snapshot, owner.parts):
        imports = snapshot.graph.outgoing((module.id,), (EdgeKind.IMPORT,))
        targets = symbols_by_id(snapshot, (edge.target_id for edge in imports))
        found += [
            target
            for target in targets.values()
            if target.name == member or _is_alias(snapshot, module, target, member)
        ]
    for holder in find_symbols(snapshot, owner):
        if holder.kind == SymbolKind.CLASS:
            found += _borne_by(snapshot, holder, member)
    return tuple(dict.fromkeys(found))


def _is_alias(snapshot: Snapshot, module: Symbol, target: Symbol, alias: str) -> bool:
    """Return whether a module imports a symbol under another name (`as`)."""
    text = snapshot.files.text(module.path)
    return next(lines_with(text, f"{target.name} as {alias}"), 0) > 0


def _members_of_instance(snapshot: Snapshot, owner: Name, member: str) -> tuple[Symbol, ...]:
    """Return the members of the class that a variable is named after; () if several classes have such members."""
    written = owner.last
    if len(owner.parts) != 1 or not written.islower():
        return ()
    called = snapshot.symbols.named(written.replace("_", ""))
    classes = [each for each in called if each.kind == SymbolKind.CLASS and not each.is_test and each.name != written]
    borne = [found for each in classes if (found := _borne_by(snapshot, each, member))]
    return borne[0] if len(borne) == 1 else ()


def _borne_by(snapshot: Snapshot, owner: Symbol, member: str) -> tuple[Symbol, ...]:
    """Return the members of this name in a class, else in its nearest base that has any."""
    for each in (owner, *bases(snapshot, owner)):
        if own := tuple(symbol for symbol in members(snapshot, each) if symbol.name == member):
            return own
    return ()


def _level(symbol: Symbol, name: Name) -> int:
    if full_parts(symbol) == name.parts:
        return 0
    return 1 if tuple(symbol.qualified_name.split(".")) == name.parts else 2
