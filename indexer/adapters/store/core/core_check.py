"""Looks for violations of the invariants in code.db."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from indexer.adapters.store.core.core_file import open_core
from indexer.domain.model import EdgeKind, SymbolKind, Tier
from indexer.domain.snapshots.invariants import Checked, Invariant, Violation, is_astray

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

_COUNTS = "SELECT (SELECT count(*) FROM edges), (SELECT count(*) FROM symbols)"
_OUTSIDE_SOURCE = """
SELECT f.path, e.line, s.qualified_name || ' (lines ' || s.start_line || '-' || s.end_line || ') to ' || e.target_name
FROM edges e JOIN symbols s ON s.id = e.source_id JOIN files f ON f.id = s.file_id
WHERE e.line NOT BETWEEN s.start_line AND s.end_line
"""
_OUTSIDE_FILE = """
SELECT f.path, s.start_line, s.qualified_name || ' (lines ' || s.start_line || '-' || s.end_line || ') of ' || f.lines
FROM symbols s JOIN files f ON f.id = s.file_id
WHERE s.start_line < 1 OR s.end_line < s.start_line OR s.end_line > max(1, f.lines)
"""
_OUTSIDE_PARENT = """
SELECT f.path, s.start_line,
  s.qualified_name || ' (lines ' || s.start_line || '-' || s.end_line || ') in ' || p.qualified_name
  || ' (lines ' || p.start_line || '-' || p.end_line || ')'
FROM symbols s JOIN symbols p ON p.id = s.parent_id JOIN files f ON f.id = s.file_id
WHERE p.file_id = s.file_id AND (s.start_line < p.start_line OR s.end_line > p.end_line)
  AND NOT ((p.kind = ? OR s.kind = ?) AND (s.start_line > p.end_line OR s.end_line < p.start_line))
"""
_MEMBERS = (int(SymbolKind.CLASS), int(SymbolKind.METHOD))
_BY_GUESS = """
SELECT f.path, e.line, e.target_name FROM edges e JOIN symbols s ON s.id = e.source_id JOIN files f ON f.id = s.file_id
WHERE e.kind = ? AND e.tier NOT IN (?, ?)
"""
_FILES = "SELECT language, module, path FROM files WHERE status = 1"
_BETWEEN = """
SELECT sf.path, e.line, e.target_name, tf.language, tf.module, tf.path
FROM edges e JOIN symbols s ON s.id = e.source_id JOIN symbols t ON t.id = e.target_id
JOIN files sf ON sf.id = s.file_id JOIN files tf ON tf.id = t.file_id
WHERE sf.id <> tf.id AND e.kind = ? AND tf.path IN (SELECT path FROM namesakes)
"""


def check_core(core: Path) -> Checked:
    """Return all violations in the code.db in the folder `core`, in order of invariant, path and line."""
    guessed = (int(EdgeKind.IMPORT), int(Tier.STATIC), int(Tier.PRECISE))
    with closing(open_core(core)) as database:
        edges, symbols = database.execute(_COUNTS).fetchone()
        found = [
            *_found(database, Invariant.EDGE_WITHIN_SOURCE, _OUTSIDE_SOURCE),
            *_found(database, Invariant.SYMBOL_WITHIN_FILE, _OUTSIDE_FILE),
            *_found(database, Invariant.SYMBOL_WITHIN_PARENT, _OUTSIDE_PARENT, _MEMBERS),
            *_found(database, Invariant.DEPENDENCY_BY_NAME, _BY_GUESS, guessed),
            *_astray(database),
        ]
    found.sort(key=lambda each: (each.invariant, each.path, each.line, each.message))
    return Checked(edges, symbols, tuple(found))


def _found(
    database: sqlite3.Connection, invariant: Invariant, query: str, values: tuple[int, ...] = ()
) -> Iterator[Violation]:
    for path, line, message in database.execute(query, values):
        yield Violation(invariant, path, line, message)


def _astray(database: sqlite3.Connection) -> Iterator[Violation]:
    """Find imports that lead to a file elsewhere although the importer's own package has one of the same name."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for language, module, path in database.execute(_FILES):
        groups.setdefault((language, module, path.rpartition("/")[2]), []).append(path)
    several = {key: paths for key, paths in groups.items() if len(paths) > 1}
    if not several:
        return
    database.execute("CREATE TEMP TABLE namesakes (path TEXT PRIMARY KEY)")
    database.executemany("INSERT INTO namesakes VALUES (?)", ((path,) for paths in several.values() for path in paths))
    for source, line, name, language, module, target in database.execute(_BETWEEN, (int(EdgeKind.IMPORT),)):
        if is_astray(source, target, several[language, module, target.rpartition("/")[2]]):
            yield Violation(Invariant.TARGET_IN_OWN_PACKAGE, source, line, f"{name} in {target}")
