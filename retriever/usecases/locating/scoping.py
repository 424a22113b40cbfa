"""Maps a mentioned part of the codebase to an existing path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retriever.domain.questions.names import parse, path_matches
from retriever.usecases.locating.naming import find_files, find_modules

if TYPE_CHECKING:
    from retriever.ports import Snapshot


def checked_scope(snapshot: Snapshot, mentioned: str) -> str:
    """
    Turn a mention into a path prefix: a folder (with its slash), a file, or a module's file or folder.

    Returns:
        "" if nothing or several things match: a wrong scope would hide everything.
    """
    written = mentioned.strip().strip("/`'\"")
    if not written:
        return ""
    for spelled in dict.fromkeys((written, written.replace(".", "/"))):
        folders = _folders(snapshot, spelled)
        if len(folders) == 1:
            return folders[0]
        files = find_files(snapshot, spelled)
        if len(files) == 1:
            return files[0].path
    name = parse(written)
    modules = [each for each in find_modules(snapshot, name.parts) if not each.is_test] if name else []
    return modules[0].path if len(modules) == 1 else ""


def _folders(snapshot: Snapshot, written: str) -> list[str]:
    folders = snapshot.files.folders()
    if written in folders:
        return [written + "/"]
    return [folder + "/" for folder, shipped in folders.items() if shipped and path_matches(folder, written)]
