"""Looks up the additions that a refinement requests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from retriever.domain.questions.names import parse
from retriever.domain.tasks.context import decide
from retriever.domain.tasks.task import ContextRole, ContextTier, Gathered, Pick, Refinement, ScopedFile, is_definition
from retriever.domain.values import FactKind
from retriever.usecases.locating.naming import find_files, module_of
from retriever.usecases.tasks.companions import test_pick
from retriever.usecases.tasks.judged import file_symbol
from retriever.usecases.tasks.seeds import error_symbols, meant_files, meant_symbols, raises

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retriever.domain.values import Symbol
    from retriever.ports import Snapshot

_STAGE = "refinement"
_TESTS_OF_FILE = 10


@dataclass(frozen=True, slots=True)
class _Asked:
    written: str
    step: str
    found: tuple[tuple[Symbol, Pick], ...]


def with_requested(snapshot: Snapshot, gathered: Gathered, refinement: Refinement) -> Gathered:
    """
    Put the requested additions before everything else; those that were gathered already move up, to be shown in full.

    Additions that are not found or are too ambiguous are logged as left out and returned with the package; those of
    earlier refinements are not repeated.
    """
    asked = list(_asked(snapshot, refinement))
    picks = {pick.key: replace(pick, requested=True) for each in asked for _, pick in each.found}
    for pick in gathered.picks or ():
        picks.setdefault(pick.key, pick)
    files = [ScopedFile(symbol.path, pick.tier, pick.relation) for each in asked for symbol, pick in each.found]
    missed = tuple(dict.fromkeys(each.written for each in asked if not each.found))
    found = replace(gathered.with_files(files), picks=tuple(picks.values()), not_found=missed)
    return found.with_decisions(
        decide(_STAGE, each.step, span, why, name=name, included=included)
        for each in asked
        for span, name, why, included in _outcome(each)
    )


def _outcome(asked: _Asked) -> Iterator[tuple[Span, str, str, bool]]:
    for symbol, pick in asked.found:
        yield symbol.span, symbol.qualified_name, pick.relation, True
    if not asked.found:
        yield Span("", 0, 0), asked.written, "not in the index, or it could mean too many things", False


def _asked(snapshot: Snapshot, refinement: Refinement) -> Iterator[_Asked]:
    reason = " ".join(refinement.reason.split())
    because = f": {reason}" if reason else ""
    for written in refinement.symbols:
        found = tuple((each, _primary(each, f"asked for{because}")) for each in _named(snapshot, written))
        yield _Asked(written, "symbol", found)
    for written in refinement.files:
        modules = (module_of(snapshot, file.path) or file_symbol(file) for file in meant_files(snapshot, written))
        found = tuple((each, _primary(each, f"asked for{because}")) for each in modules)
        yield _Asked(written, "file", found)
    for written in refinement.errors:
        places = error_symbols(snapshot, written)
        yield _Asked(written, "error", tuple((each, _primary(each, raises(written))) for each in places))
    for written in refinement.tests:
        tests = _tests(snapshot, written)
        found = tuple((each, test_pick(snapshot, each, f"asked for{because}")) for each in tests)
        yield _Asked(written, "test", found)


def _primary(symbol: Symbol, relation: str) -> Pick:
    return Pick(symbol.id, ContextRole.PRIMARY, ContextTier.SEED, relation, 1.0)


def _named(snapshot: Snapshot, written: str) -> tuple[Symbol, ...]:
    name = parse(written)
    return meant_symbols(snapshot, name) if name and name.parts else ()


def _tests(snapshot: Snapshot, written: str) -> tuple[Symbol, ...]:
    """Return the tests that a name means, or those of a test file that assert something."""
    named = _named(snapshot, written)
    if named:
        return named
    inside = [
        each
        for file in find_files(snapshot, written)
        for each in snapshot.symbols.in_file(file.path)
        if is_definition(each)
    ]
    asserting = {fact.symbol_id for fact in snapshot.facts.of([each.id for each in inside], (FactKind.ASSERTION,))}
    return tuple(each for each in inside if each.id in asserting)[:_TESTS_OF_FILE]
