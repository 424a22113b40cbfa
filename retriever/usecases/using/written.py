"""Finds code that sets, raises, catches or imports a name, by facts: the name may have no definition here."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.contract.understanding import Relation
from retriever.domain.questions.names import Name
from retriever.domain.values import EdgeKind, Fact, FactKind, SymbolKind
from retriever.usecases.locating.manifests import requirements
from retriever.usecases.locating.naming import find_files, find_modules, find_symbols, module_of, symbols_by_id
from retriever.usecases.using.edges import users_of, uses_by
from retriever.usecases.using.found import Use, Using, examples_last, one_of_each

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retriever.domain.values import File
    from retriever.ports import Snapshot

_MAKERS = 8
"""Most functions considered that create an exception for others to raise."""


def setters_of(snapshot: Snapshot, name: Name) -> Using:
    """List the code that changes an attribute or variable."""
    facts = snapshot.facts.with_value(FactKind.MUTATES, name.last)
    return _using(name, Relation.SETS, _of_facts(snapshot, _of_owner(snapshot, facts, name)))


def raisers_of(snapshot: Snapshot, name: Name) -> Using:
    """
    List the code that raises an exception, also if another function creates it.

    If only tests do, list the code that creates it and passes it to a call, such as a callback.
    """
    found = one_of_each([*_raising(snapshot, name), *_raising_what_is_made(snapshot, name)])
    if all(use.user.is_test for use in found):
        found = _handing(snapshot, name) or found
    return _using(name, Relation.RAISES, sorted(found, key=lambda use: (use.path, use.line)))


def _raising(snapshot: Snapshot, name: Name) -> list[Use]:
    return _of_facts(snapshot, snapshot.facts.with_value(FactKind.RAISES, name.last))


def _handing(snapshot: Snapshot, name: Name) -> list[Use]:
    """Return the code that creates an exception and passes it to a call: a callback, a promise."""
    handed = [each for each in snapshot.values.of_kind(FactKind.HANDED, name.last) if each.name == name.last]
    users = symbols_by_id(snapshot, (each.symbol_id for each in handed))
    uses = (Use(users[each.symbol_id], each.path, each.line, through=each.value) for each in handed if each.symbol_id)
    return one_of_each(uses)


def _raising_what_is_made(snapshot: Snapshot, name: Name) -> list[Use]:
    """Return the code that raises the result of a function that uses the type, with this function."""
    types = [each for each in find_symbols(snapshot, name) if each.kind == SymbolKind.CLASS]
    makers = [use.user for each in types for use in users_of(snapshot, each, Relation.USES).uses]
    return one_of_each(
        replace(use, through=maker.qualified_name)
        for maker in makers[:_MAKERS]
        for use in _raising(snapshot, Name((maker.name,)))
    )


def catchers_of(snapshot: Snapshot, name: Name) -> Using:
    """List the code that catches an exception by its name, or tests whether an error is one."""
    return _using(name, Relation.CATCHES, _of_facts(snapshot, snapshot.facts.with_value(FactKind.CATCHES, name.last)))


def importers_of(snapshot: Snapshot, written: str, name: Name | None) -> Using:
    """
    List the files that import a package, module or file, internal or external.

    For an external package the lines of manifests that require it are noted.
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
    Keep the changes of an attribute of the named owner, if there are any: "engine.trees", "Context.index".

    The owner is the receiver as written, the enclosing class, or the known type of the receiver.
    """
    if len(name.parts) < 2:
        return facts
    owner = name.parts[-2]
    around = symbols_by_id(snapshot, (fact.symbol_id for fact in facts))

    def is_owned(fact: Fact) -> bool:
        holder = fact.value.rpartition(".")[0].rpartition(".")[2]
        user = around.get(fact.symbol_id)
        is_within = not holder and user is not None and owner in user.qualified_name.split(".")[:-1]
        return user is None or is_within or holder.casefold() == owner.casefold() or fact.detail == owner

    return [fact for fact in facts if is_owned(fact)] or facts


def _files_of(snapshot: Snapshot, written: str, name: Name | None) -> list[File]:
    """Return the files of the repository for an imported name: a module, a file, or all files of a folder."""
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
    """Return one use for each other file that imports one of these files or their definitions."""
    paths = {file.path for file in own}
    ids = [each.id for path in sorted(paths) for each in snapshot.symbols.in_file(path)]
    uses = uses_by(snapshot, snapshot.graph.incoming(ids, (EdgeKind.IMPORT,)))
    outside = (use for use in uses if use.path not in paths and not _is_inside(use.path, paths))
    by_file: dict[str, Use] = {}
    # Importers within the package itself come last.
    for use in sorted(outside, key=lambda each: (_is_below(each.path, paths), each.path, each.line)):
        module = use.user if use.user.kind == SymbolKind.MODULE else module_of(snapshot, use.path)
        by_file.setdefault(use.path, Use(module or use.user, use.path, use.line))
    return list(by_file.values())


def _is_below(path: str, paths: set[str]) -> bool:
    return len(paths) > 1 and any(path.startswith(f"{each.rpartition('/')[0]}/") for each in paths if "/" in each)


def _is_inside(path: str, paths: set[str]) -> bool:
    """Return whether a file belongs to the package itself, if several files are meant."""
    return len(paths) > 1 and path.rpartition("/")[0] in {each.rpartition("/")[0] for each in paths}


def _imports_of(snapshot: Snapshot, written: str) -> Iterator[Use]:
    """Yield one use for each file that imports an external name."""
    edges = snapshot.structure.external_imports(written)
    users = symbols_by_id(snapshot, (source for source, _ in edges))
    seen: set[str] = set()
    for source, line in edges:
        user = users.get(source)
        module = module_of(snapshot, user.path) if user and user.path not in seen else None
        if module:
            seen.add(module.path)
            yield Use(module, module.path, line)


def _named_in_manifests(snapshot: Snapshot, written: str) -> Iterator[str]:
    named = {each.path: each.line for each in reversed(requirements(snapshot)) if _means(each.name, written)}
    yield from (f"and named in {path}:{named[path]}" for path in sorted(named))


def _means(package: str, written: str) -> bool:
    """Return whether a name refers to a package: its full name, that without group, owner or host, or a subpackage."""
    name, asked = package.lower().replace("_", "-"), written.lower().replace("_", "-")
    return name == asked or name.endswith((f"/{asked}", f":{asked}")) or asked.startswith(f"{name}/")
