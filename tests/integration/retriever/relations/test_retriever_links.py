"""Pairs of symbols around others, read from a core layer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from retriever.adapters.core.database import Database, read_statements
from retriever.adapters.core.graph import SqliteGraph
from retriever.domain.values import EdgeKind, Resolution, Tier
from tests.fakes.core_layer import write_core

EDGES = (
    # source, target, kind, confidence, tier
    (2, 3, EdgeKind.CALL, 0.6, Tier.ARGUMENT),
    (2, 3, EdgeKind.CALL, 0.95, Tier.STATIC),
    (2, 3, EdgeKind.REFERENCES, 0.99, Tier.STATIC),
    (4, 2, EdgeKind.CALL, 0.9, Tier.STATIC),
    (2, 4, EdgeKind.IMPORT, 0.9, Tier.STATIC),
    (5, 6, EdgeKind.CALL, 0.9, Tier.STATIC),
    (2, 6, EdgeKind.CALL, 0.5, Tier.OVERRIDE),
    (2, None, EdgeKind.CALL, 0.9, Tier.STATIC),
)


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[SqliteGraph]:
    """Read a core layer with the edges above."""
    core = write_core(tmp_path) / "code.db"
    with closing(sqlite3.connect(core)) as database:
        for source, target, kind, confidence, tier in EDGES:
            database.execute(
                "INSERT INTO edges (source_id, target_id, target_name, kind, line, confidence, tier, resolution)"
                " VALUES (?, ?, '', ?, 1, ?, ?, ?)",
                (source, target, kind, confidence, tier, Resolution.RESOLVED if target else Resolution.EXTERNAL),
            )
        database.commit()
    with closing(Database(core, read_statements())) as opened:
        yield SqliteGraph(opened)


def test_each_pair_comes_once_with_its_highest_confidence(graph: SqliteGraph) -> None:
    """Edges from and to a symbol, by kind and by the default tiers, in order of source, then target."""
    calls = graph.pairs([2], (EdgeKind.CALL,))
    both = graph.pairs([2, 3], (EdgeKind.CALL, EdgeKind.REFERENCES))

    assert calls.tolist() == [[2, 3, 0.95], [4, 2, 0.9]]
    assert both.tolist() == [[2, 3, 0.99], [4, 2, 0.9]]


def test_nothing_is_around_nothing(graph: SqliteGraph) -> None:
    """No symbols, and symbols that nobody knows, have no pairs."""
    nothing, unknown = graph.pairs([], (EdgeKind.CALL,)), graph.pairs([77], (EdgeKind.CALL,))

    assert nothing.shape == unknown.shape == (0, 3)


def test_the_whole_table_of_edges_is_read_row_after_row(tmp_path: Path) -> None:
    """By way of the index of targets each row would be looked up in turn, which takes twice the time."""
    statement = read_statements()["links"]
    with closing(sqlite3.connect(write_core(tmp_path) / "code.db")) as database:
        plan = [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {statement}", {"tiers": "[1]"})]

    assert "SCAN edges" in plan
