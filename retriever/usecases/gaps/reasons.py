"""
Says why no definition was found: the name occurs elsewhere in the tree (a parameter, an attribute, a key, a word of a
script or page), it is external, it may be in files that the index does not cover, or it does not exist.
"""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec

from common.core.contract.evidence import GapOutcome
from retriever.domain.questions.names import Name, path_matches
from retriever.domain.tasks.gaps import Match, Wanted, external_names_of, is_external, near_names
from retriever.domain.values import LeftOut
from retriever.usecases.locating.naming import find_symbols
from retriever.usecases.locating.occurrences import alike, occurrence, occurrence_within, text_occurrence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.ports import Snapshot
    from retriever.usecases.gaps.protocol import GapTask

_IGNORED = 1
"""Number of the reason in cgrag.indexer.v1.SkipReason."""


class Reasons:
    """Ends the search for a gap that names a symbol or file; a name without a definition resolves to a place."""

    async def find(self, snapshot: Snapshot, wanted: Wanted, task: GapTask) -> Match | None:
        """Return the reason; None for a gap with only a description, or whose name may not be a name."""
        if wanted.name is None and not wanted.path:
            return await asyncio.to_thread(text_occurrence, snapshot, wanted.gap.symbol)
        if not wanted.is_sure:
            return None
        return await asyncio.to_thread(_reason, snapshot, wanted, task.question)


def _reason(snapshot: Snapshot, wanted: Wanted, question: str) -> Match:
    name, step = wanted.name, "file" if wanted.file else "symbol"
    asked = name.dotted if name else wanted.path
    uncovered = _uncovered(snapshot, wanted)
    if uncovered:
        return _out_of_coverage(step, asked, uncovered)
    if name and not wanted.file and _is_external(snapshot, name):
        generated = _left_out_of_imports(snapshot, name)
        if generated:
            return _out_of_coverage(step, asked, generated)
        return Match(GapOutcome.EXTERNAL, step, f"{asked} is defined outside of this repository")
    found = _occurrence(snapshot, wanted, name, question) if name else None
    # What looks like a path may be the name of a package, an action, an image or a label.
    found = found or (text_occurrence(snapshot, wanted.gap.symbol) if wanted.gap.symbol else None)
    if found:
        return found
    words = " ".join(name.parts) if name else wanted.gap.symbol
    left_out = snapshot.coverage.may_hold(words) if words else None
    if left_out:
        return _out_of_coverage(step, asked, left_out)
    near = _near(snapshot, name) if name else ()
    hint = f"; there is {', '.join(near)}" if near else ""
    return Match(GapOutcome.ABSENT, step, f"nothing in this repository is called {asked}{hint}", alike=near)


def _out_of_coverage(step: str, asked: str, file: LeftOut) -> Match:
    verb = "stands" if file.is_read else "may stand"
    detail = f"{asked} {verb} in {file.path}, which is not covered by the index because it {file.why}"
    return Match(GapOutcome.OUT_OF_COVERAGE, step, detail)


def _near(snapshot: Snapshot, name: Name) -> tuple[str, ...]:
    near = near_names(name.last, [symbol.name for symbol in snapshot.symbols.named(name.last)])
    return near or alike(snapshot, name.last)


def _is_external(snapshot: Snapshot, name: Name) -> bool:
    return is_external(name, snapshot.structure.external_names(), _own_roots(snapshot))


def _own_roots(snapshot: Snapshot) -> frozenset[str]:
    return frozenset(file.module.partition(".")[0] for file in snapshot.files.all() if file.parsed)


def _occurrence(snapshot: Snapshot, wanted: Wanted, name: Name, question: str) -> Match | None:
    """
    Return where a name occurs that no definition has.

    A file that the gap names comes first. If the index defines the owner of a member, only places that have owner
    and member together count: its members are known.
    """
    in_code = None if wanted.path else occurrence(snapshot, name, question)
    if in_code:
        return in_code
    is_member = len(name.parts) > 1
    owners = find_symbols(snapshot, Name(name.parts[:-1], wanted.path)) if is_member else ()
    owner = "" if not is_member or owners else name.parts[-2]
    return (
        occurrence_within(snapshot, name, owners)
        or text_occurrence(snapshot, name.dotted, path=wanted.path)
        or (_in_file(snapshot, name) if is_member else None)
        or (text_occurrence(snapshot, name.last, path=wanted.path, beside=owner) if owner else None)
    )


def _in_file(snapshot: Snapshot, name: Name) -> Match | None:
    """Return where a name stands in the file without symbols that its first parts name."""
    stem = "/".join(name.parts[:-1])
    named = (each for each in snapshot.files.with_stem(name.parts[-2]) if not each.parsed)
    paths = [each.path for each in named if path_matches(str(PurePosixPath(each.path).with_suffix("")), stem)]
    found = (text_occurrence(snapshot, name.last, path=path) for path in paths)
    return next((each for each in found if each and each.span and each.span.path in paths), None)


def _uncovered(snapshot: Snapshot, wanted: Wanted) -> LeftOut | None:
    """Return the file that is named, or that a dotted name leads into, if its symbols are not in the index."""
    written = wanted.path or wanted.file
    for each in snapshot.coverage.left_out() if written else ():
        if path_matches(each.path, written) or _is_below(written, each):
            return each
    if _is_ignored(snapshot, PurePosixPath(written)):
        return LeftOut(written, _IGNORED, is_read=False)
    return _left_out_module(snapshot, wanted.name.parts if wanted.name else ())


def _is_ignored(snapshot: Snapshot, path: PurePosixPath) -> bool:
    """Return whether a .gitignore leaves a path out, whether or not it is there; the deepest with a rule counts."""
    for folder in path.parents:
        rules = GitIgnoreSpec.from_lines(snapshot.files.text(str(folder / ".gitignore")).splitlines())
        verdict = rules.check_file(path.relative_to(folder)).include
        if verdict is not None:
            return verdict
    return False


def _left_out_of_imports(snapshot: Snapshot, name: Name) -> LeftOut | None:
    """Return the file that code imports a name from, if it is part of the tree and not of the index."""
    known = external_names_of(name, snapshot.structure.external_names())
    found = (_left_out_module(snapshot, (*each, "")) for each in known)
    return next(filter(None, found), None)


def _left_out_module(snapshot: Snapshot, parts: Sequence[str]) -> LeftOut | None:
    for length in range(len(parts) - 1, 0, -1):
        module = "/".join(parts[:length])
        for each in snapshot.coverage.left_out():
            if path_matches(str(PurePosixPath(each.path).with_suffix("")), module):
                return each
    return None


def _is_below(path: str, folder: LeftOut) -> bool:
    return path.removeprefix("./").startswith(folder.path.rstrip("/") + "/")
