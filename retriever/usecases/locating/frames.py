"""Finds the symbol in which a frame of a stack trace stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.usecases.locating.naming import enclosing

if TYPE_CHECKING:
    from common.core.contract.question import StackFrame
    from retriever.domain.values import File, Symbol
    from retriever.ports import Snapshot

_ROOTS = frozenset({"app", "lib", "source", "src"})
"""Source folders that are missing in paths of installed code."""


def find_frame(snapshot: Snapshot, frame: StackFrame) -> Symbol | None:
    """
    Return the symbol in which a frame of a stack trace stands; None if its file or function is not here.

    Traces may come from other versions: if another function is at the line now, the nearest one with the frame's name
    in that file is taken. If only the file name agrees and the folder does not, the function must have the frame's
    name and contain the line: `/app/main.py` may belong to any project.
    """
    file, is_sure = _frame_file(snapshot, frame)
    if file is None:
        return None
    around = enclosing(snapshot, file.path, frame.line) if 0 < frame.line <= file.lines else None
    name = frame.function.rpartition(".")[2]
    if around and (around.name == name or (not name and is_sure)):
        return around
    if not is_sure:
        return None
    same = [each for each in snapshot.symbols.in_file(file.path) if each.name == name]
    if not same or (len(same) > 1 and not frame.line):
        return around
    return min(same, key=lambda each: (_distance(each, frame.line), each.start_line))


def _distance(symbol: Symbol, line: int) -> int:
    return max(symbol.start_line - line, line - symbol.end_line, 0)


def _frame_file(snapshot: Snapshot, frame: StackFrame) -> tuple[File | None, bool]:
    """
    Return the file that shares the longest end of its path with a frame: traces have paths of installed code.

    For a path without a folder, the package in the function's name serves as the folder. Also return whether the match
    is certain: a folder agrees too, or one of the two paths has no distinctive folder.
    """
    package = frame.function.split(".")[:-2] if "/" not in frame.path else []
    parts = [*package, *(part for part in frame.path.replace("\\", "/").split("/") if part)]
    for start in range(len(parts)):
        ending = "/".join(parts[start:])
        found = [file for file in snapshot.files.with_stem(parts[-1]) if ("/" + file.path).endswith("/" + ending)]
        if found:
            folder = found[0].path.split("/")[-2:-1]
            is_sure = len(parts) - start > 1 or start == 0 or not folder or folder[0] in _ROOTS
            return (found[0] if len(found) == 1 else None), is_sure
    return None, False
