"""Fixtures that say what each line calls, in a comment beside it, and what the linker finds there."""

from __future__ import annotations

import re
from pathlib import Path

from indexer.domain.linking.linker import FlowLinker
from indexer.domain.linking.semantics import Semantics
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.linking.solver.values import qualified_name
from indexer.domain.linking.tiers import kept_targets
from indexer.domain.model import EdgeKind, Resolution, Tier
from indexer.ports import Language
from tests.unit.indexer.read_units import units_below

Calls = dict[tuple[str, int], set[str]]

NOTE = re.compile(r"(?:#|//): (.+?)\s*(?://!.*)?$")


def found_calls(root: Path, language: Language, semantics: Semantics) -> Calls:
    """Give what each line is found to call inside the fixture, overrides left out."""
    units = units_below(root, language)
    found: Calls = {}
    for edge in FlowLinker(semantics).link(units).edges:
        if edge.kind == EdgeKind.CALL and edge.resolution == Resolution.RESOLVED and edge.tier != Tier.OVERRIDE:
            found.setdefault((units[edge.source[0]].path, edge.line), set()).add(edge.target_name)
    return found


def solved_calls(root: Path, language: Language, semantics: Semantics, leave_out: str = "?") -> Calls:
    """Give the functions that each line is found to call, overrides and those whose names begin so left out."""
    units = units_below(root, language)
    found: Calls = {}
    for site in Engine(semantics).solve(units).sites:
        for function, tier in kept_targets(site).items():
            if tier != Tier.OVERRIDE and not function.name.startswith(leave_out):
                found.setdefault((units[site.scope.unit].path, site.line), set()).add(qualified_name(function))
    return found


def noted_calls(root: Path, language: Language) -> Calls:
    """Read what each line is said to call."""
    return {
        (path.relative_to(root).as_posix(), number): set(note.group(1).split(", "))
        for path in sorted(path for path in root.rglob("*") if path.suffix in language.extensions)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (note := NOTE.search(line)) and not line.startswith('"""')
    }
