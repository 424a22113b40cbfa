"""Files, symbols, facts, edges and pages as rows of code.db, for writers and readers; columns as in the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.domain.model import EdgeKind, EdgeRow, FactKind, Resolution, Tier

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from indexer.domain.model import Edge, SymbolDef
    from indexer.domain.snapshots.core import FileMetadata, IndexedFile, Page
    from indexer.domain.tree import Skipped

    Row = tuple[object, ...]

EDGE = "source_id, target_id, target_name, kind, line, confidence, tier, resolution"
"""Columns of an edge, its id left out, in the order of `edge_row` and `read_edge`."""
SEARCHED_FACTS = (FactKind.ERROR_STRING, FactKind.ASSERTION)
"""Facts whose values are in the full text of messages."""


def insert(database: sqlite3.Connection, table: str, columns: int, rows: Iterable[Sequence[object]]) -> None:
    """Insert rows into a table of `columns` columns."""
    marks = ",".join("?" * columns)
    database.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - names of ours


def write_file(database: sqlite3.Connection, file_id: int, file: IndexedFile, digest: str) -> None:
    """Write the row of a file, without its content."""
    row = (
        file_id, file.source.path, file.language, file.module, file.source.sha256, file.source.size, file.source.lines,
        int(file.is_test), 1 if file.parsed else 2, file.error, digest, file.source.packed,
        int(file.role),
    )  # fmt: skip
    insert(database, "files", 13, [row])


def write_skipped(database: sqlite3.Connection, skipped: Iterable[Skipped]) -> None:
    """Write the skipped files."""
    insert(database, "skipped", 3, ((each.path, int(each.reason), each.words) for each in skipped))


def write_metadata(database: sqlite3.Connection, metadata: Iterable[tuple[int, FileMetadata]]) -> None:
    """Write (id of a file, its metadata)."""
    insert(
        database, "file_metadata", 3, ((file_id, each.domain, "\n".join(each.concepts)) for file_id, each in metadata)
    )


def write_symbols(database: sqlite3.Connection, file_id: int, ids: Sequence[int], symbols: Sequence[SymbolDef]) -> None:
    """Write the symbols of a file, whose ids are given by position."""
    rows = (
        (
            symbol_id, file_id, ids[symbol.parent] if symbol.parent >= 0 else None, int(symbol.kind), symbol.name,
            symbol.qualified_name, symbol.start_line, symbol.end_line, symbol.signature, symbol.docstring,
            "\n".join(symbol.decorators), int(symbol.is_public), symbol.complexity,
            int(symbol.marks),
        )
        for symbol_id, symbol in zip(ids, symbols, strict=True)
    )  # fmt: skip
    insert(database, "symbols", 14, rows)


def facts_of(file_id: int, ids: Sequence[int], file: IndexedFile) -> Iterator[Row]:
    """Yield the facts of a file, whose symbols have ids by position, as rows without their own id."""
    for each in file.facts:
        place = (None, file_id) if each.symbol < 0 else (ids[each.symbol], None)
        marks = int(each.origin), each.above, int(each.is_plain)
        yield (*place, int(each.kind), each.value, each.line, each.end_line, each.detail, *marks)


def write_facts(database: sqlite3.Connection, first: int, facts: Iterable[Row]) -> None:
    """Write facts, numbered from the first free id, and their search terms."""
    rows = [(number, *row) for number, row in enumerate(facts, first)]
    insert(database, "facts", 11, rows)
    searched = ((number, value) for number, _, _, kind, value, *_ in rows if kind in SEARCHED_FACTS)
    database.executemany("INSERT INTO error_text (rowid, value) VALUES (?, ?)", searched)


def write_pages(database: sqlite3.Connection, first: int, pages: Iterable[tuple[Page, int | None]]) -> None:
    """Write (page, id of the symbol that it documents) pairs, with ids from the first free one, and their full text."""
    numbered = list(enumerate(pages, first))
    rows = (
        (number, int(page.kind), page.path, page.title, symbol, page.start_line, page.end_line, page.body)
        for number, (page, symbol) in numbered
    )
    insert(database, "docs", 8, rows)
    for number, (page, _) in numbered:
        write_page_text(database, number, page.title, page.body)


def write_page_text(database: sqlite3.Connection, number: int, title: str, body: str) -> None:
    """Write the full text of a page."""
    database.execute("INSERT INTO doc_text (rowid, title, body) VALUES (?, ?, ?)", (number, title, body))


def edge_row(source_id: int, target_id: int | None, edge: Edge | EdgeRow) -> Row:
    """Return the row of an edge between symbols with these ids; the row has no id of its own."""
    return (
        source_id, target_id, edge.target_name, int(edge.kind), edge.line, edge.confidence, int(edge.tier),
        int(edge.resolution),
    )  # fmt: skip


def read_edges(rows: Iterable[tuple[Any, ...]]) -> Iterator[EdgeRow]:
    """Yield edges from rows with the columns `EDGE`."""
    for source, target, name, kind, line, confidence, tier, resolution in rows:
        yield EdgeRow(source, target, name, EdgeKind(kind), line, confidence, Tier(tier), Resolution(resolution))
