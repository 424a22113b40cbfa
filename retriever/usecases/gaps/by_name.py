"""Resolves a gap by the names in it: a symbol in a file, a file, a symbol; never by similarity."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from common.core.contract.evidence import GapOutcome, Span
from retriever.domain.evidence.definitions import grouped_by_name, shown_of
from retriever.domain.questions.names import Name, parse, path_matches
from retriever.domain.tasks.gaps import Match, Wanted
from retriever.domain.values import SymbolKind
from retriever.usecases.locating.naming import closest, defining, find_files, find_modules, find_symbols

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.values import File, Symbol
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask

_MAX_CANDIDATES = 10
_MEANT = 3
"""Most definitions of one name whose users or tests are listed."""


class SymbolInFile:
    """Looks for the symbol in the file that is named with it."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, _task: GapTask) -> Match | None:
        """Return the symbol if the file defines or imports it; None for a wrong file, which later steps handle."""
        name = wanted.name
        if name is None or not wanted.path:
            return None
        found = await asyncio.to_thread(find_symbols, snapshot, Name(name.parts, wanted.path))
        is_inside = all(path_matches(each.path, wanted.path) for each in found)
        where = f"in {wanted.path}" if is_inside else f"where {wanted.path} has it from"
        return _decided(name, found, "symbol_in_file", where)


class NamedFile:
    """Looks for the file, if the gap names no symbol or its name may be that of a file."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, _task: GapTask) -> Match | None:
        """Return the files whose path ends with the named path; None if there are none."""
        if not wanted.file:
            return None
        files = await asyncio.to_thread(find_files, snapshot, wanted.file)
        return await asyncio.to_thread(_file_match, snapshot, files, wanted.file) if files else None


class NamedSymbol:
    """Looks for the symbol in the whole repository; a name that is a module's counts as that file."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, _task: GapTask) -> Match | None:
        """Resolve a gap by the name of a definition."""
        if wanted.name is None:
            return None
        return await asyncio.to_thread(find_named, snapshot, Name(wanted.name.parts), near=wanted.path)


def find_named(snapshot: Snapshot, name: Name, *, near: str = "") -> Match | None:
    """
    Return the symbol or module of a name, or several candidates; None if nothing has the name.

    Args:
        near: The file named with it, which does not define it. Symbols in files of the same kind come first.
    """
    found = find_symbols(snapshot, name)
    kind = PurePosixPath(near).suffix
    alike = [each for each in found if kind and each.path.endswith(kind)]
    match = _decided(name, alike or found, "symbol", f"not in {near}, but elsewhere" if near else "in the repository")
    if match:
        return match
    modules = find_modules(snapshot, name.parts)
    files = [file for each in modules if (file := snapshot.files.at(each.path))]
    if not files:
        # `Makefile` and `ledger.proto` look like names of symbols, but are names of files.
        called = snapshot.files.with_stem(name.dotted)
        files = [file for file in called if file.path.rpartition("/")[2] == name.dotted]
    return _file_match(snapshot, files, name.dotted) if files else None


def definitions_of(snapshot: Snapshot, wanted: Wanted) -> list[Symbol]:
    """Return the definitions to which the symbol of a gap refers, one per group of overloads, without modules."""
    name = parse(wanted.gap.symbol)
    if name is None or not name.parts:
        return []
    found = closest(find_symbols(snapshot, replace(name, path=wanted.gap.path or name.path)), name)
    groups = grouped_by_name(each for each in found if each.kind != SymbolKind.MODULE)
    return [shown_of(group)[0] for group in groups[:_MEANT]]


def _decided(name: Name, found: Sequence[Symbol], step: str, where: str) -> Match | None:
    groups = grouped_by_name(closest(found, name))
    if not groups:
        return None
    if len(groups) == 1:
        at = groups[0][0]
        detail = f"{name.dotted} is defined {where}: {at.path}:{at.start_line}"
        return Match(GapOutcome.RESOLVED, step, detail, groups[0])
    candidates = tuple(group[0] for group in groups)[:_MAX_CANDIDATES]
    detail = f"{len(groups)} definitions are called {name.dotted}; say which by its class or file"
    return Match(GapOutcome.AMBIGUOUS, step, detail, candidates)


def _file_match(snapshot: Snapshot, files: Sequence[File], written: str) -> Match:
    code = defining(files)
    if len(code) > 1:
        heads = tuple(symbol for file in code for symbol in snapshot.symbols.in_file(file.path)[:1])
        paths = ", ".join(file.path for file in code[:_MAX_CANDIDATES])
        detail = f"{len(code)} files end with {written} ({paths}); say which by its folder"
        return Match(GapOutcome.AMBIGUOUS, "file", detail, heads[:_MAX_CANDIDATES])
    file = code[0]
    symbols = snapshot.symbols.in_file(file.path)[:1]
    span = None if symbols else Span(file.path, 1, max(1, file.lines))
    place = "in the repository" if written == file.path else file.path
    return Match(GapOutcome.RESOLVED, "file", f"{written} is {place}", symbols, span)
