"""
Says why no definition was found: the name is something else in the code (a parameter, an attribute, a key), it lives
outside, it may be in what the index does not cover, or it is not there.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from retriever.domain.gaps import GapOutcome, Match, Wanted, is_external, near_names
from retriever.domain.names import path_matches
from retriever.usecases.occurrences import alike, occurrence

if TYPE_CHECKING:
    from retriever.domain.names import Name
    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask

_DEFINED = (
    r"\b(?:def|class|func|function|fn|struct|enum|trait|interface|type|const|let|var)\s+{name}\b|^\s*{name}\s*[:=(]"
)
"""How a language of any family writes a definition."""


class Reasons:
    """Ends the search for a gap that names a symbol or a file; what is no definition it resolves by where it occurs."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, task: GapTask) -> Match | None:
        """Return the reason; None for a gap that is only described, or whose name may be none."""
        if not wanted.is_sure or (wanted.name is None and not wanted.path):
            return None
        return await asyncio.to_thread(_reason, snapshot, wanted, task.question)


def _reason(snapshot: Snapshot, wanted: Wanted, question: str) -> Match:
    name, step = wanted.name, "file" if wanted.file else "symbol"
    uncovered = _uncovered(snapshot, wanted)
    if not uncovered and name and not wanted.file and _is_external(snapshot, name):
        return Match(GapOutcome.EXTERNAL, step, f"{name.dotted} is defined outside of this repository")
    uncovered = uncovered or _defining(snapshot, wanted)
    if uncovered:
        detail = f"{uncovered} is not covered by the index, so it cannot be said whether it is there"
        return Match(GapOutcome.OUT_OF_COVERAGE, step, detail)
    occurring = occurrence(snapshot, name, question) if name and not wanted.path else None
    if occurring:
        return occurring
    asked = name.dotted if name else wanted.path
    near = _near(snapshot, name) if name else ()
    hint = f"; there is {', '.join(near)}" if near else ""
    return Match(GapOutcome.ABSENT, step, f"nothing in this repository is called {asked}{hint}", alike=near)


def _near(snapshot: Snapshot, name: Name) -> tuple[str, ...]:
    near = near_names(name.last, [symbol.name for symbol in snapshot.symbols.named(name.last)])
    return near or alike(snapshot, name.last)


def _is_external(snapshot: Snapshot, name: Name) -> bool:
    roots = frozenset(file.module.partition(".")[0] for file in snapshot.files.all() if file.parsed)
    return is_external(name, snapshot.structure.external_names(), roots)


def _uncovered(snapshot: Snapshot, wanted: Wanted) -> str:
    """Return the file that is named, or that a dotted name leads into, if its symbols are not in the index."""
    outside = [path for path, _ in snapshot.coverage.skipped()] + _unparsed(snapshot)
    written = wanted.path or wanted.file
    if written:
        within = (path for path in outside if path_matches(path, written) or _is_below(written, path))
        named = next(within, "")
        if named:
            return named
    parts = wanted.name.parts if wanted.name else ()
    for length in range(len(parts) - 1, 0, -1):
        module = "/".join(parts[:length])
        for path in outside:
            if path_matches(str(PurePosixPath(path).with_suffix("")), module):
                return path
    return ""


def _unparsed(snapshot: Snapshot) -> list[str]:
    return [file.path for file in snapshot.files.all() if not file.parsed and file.error]


def _is_below(path: str, folder: str) -> bool:
    return path.removeprefix("./").startswith(folder.rstrip("/") + "/")


def _defining(snapshot: Snapshot, wanted: Wanted) -> str:
    """Return the first file without symbols whose text seems to define the name, and has the words before it too."""
    if wanted.name is None:
        return ""
    defined = re.compile(_DEFINED.format(name=re.escape(wanted.name.last)), re.MULTILINE)
    for path in _unparsed(snapshot):
        text = snapshot.files.text(path)
        if defined.search(text) and all(part in text for part in wanted.name.parts[:-1]):
            return path
    return ""
