"""Names of files before they are read: the dotted path that their folders stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.adapters.languages.by_name.rules import Rules


def module_name(path: str, rules: Rules) -> str:
    """Name a file by its path, without folders that a language leaves out and names that stand for their folder."""
    *folders, file = path.split("/")
    parts = [folder for folder in folders if folder not in rules.dropped_folders]
    stem = file.partition(".")[0] or file
    if stem not in rules.index_files or not parts:
        parts.append(stem)
    return ".".join(parts)
