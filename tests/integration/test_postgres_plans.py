"""What is asked for each answer and retrieval finds its rows by an index, however many others there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import LiteralString

import psycopg
import pytest

from common.core.ids import RandomIds
from orchestrator.adapters.stores import postgres_answers as answers
from orchestrator.adapters.stores import postgres_appends as appends
from orchestrator.adapters.stores import postgres_ratings as ratings
from orchestrator.adapters.stores.postgres_answers import PostgresAnswers
from orchestrator.domain.answers.records import debts_behind, ratings_behind
from retriever.adapters.state import decisions_postgres as decisions
from retriever.adapters.state.decisions_postgres import PostgresDecisionLog
from tests.fakes.clock import FakeClock
from tests.fakes.postgres_server import PostgresDatabase, needs_postgres, postgres_database

pytestmark = needs_postgres
CLOCK = FakeClock()
NOW = CLOCK.now()
LONG_AGO = NOW - timedelta(days=9000)
HOLD = timedelta(seconds=5)
FILL = """
INSERT INTO cgrag_answers (answer_id, owner, request_id, session_id, repository, created, body)
    SELECT 'ans_' || n, 'owner' || n % 50, 'req_' || n, 'ses_' || n / 5, 'repo' || n % 40,
        now() - n * interval '1 second', repeat('x', 200) FROM generate_series(1, 4000) n;
INSERT INTO cgrag_answer_events SELECT 'ans_' || n, m, now(), repeat('x', 200)
    FROM generate_series(1, 4000) n, generate_series(1, 4) m;
INSERT INTO cgrag_answer_holds SELECT 'ans_' || n, 'me', n, now() FROM generate_series(1, 2000) n;
INSERT INTO cgrag_answer_ratings SELECT 'ans_' || n, 3, '' FROM generate_series(1, 2000) n;
INSERT INTO cgrag_answer_debts SELECT 'repo' || n % 40, 'ABSENT', 'name' || n, 1, now() FROM generate_series(1, 4000) n;
INSERT INTO cgrag_retrievals (repository, retrieval_id, time, decisions)
    SELECT 'repo' || n % 40, 'ret_' || n, now() - n * interval '1 second', 1 FROM generate_series(1, 4000) n;
INSERT INTO cgrag_decisions SELECT id, 1, ARRAY['x'] FROM cgrag_retrievals;
ANALYZE;
"""
STATEMENTS: dict[str, tuple[LiteralString, tuple[object, ...]]] = {
    "create": (answers._CREATE, ("new", "o", "r", "s", "repo1", NOW, "{}", "me", 1, HOLD)),
    "create beside": (
        answers._CREATE_BESIDE,
        ("ans_7", "beside", "o", "", "s", "repo1", NOW, "{}", "me", 1, HOLD),
    ),
    "find": (answers._RECORD + "answer_id = %s", ("ans_7",)),
    "find by request": (
        answers._RECORD + "owner = %s AND request_id = %s AND request_id <> ''",
        ("owner7", "req_7"),
    ),
    "look": (answers._LOOK, ("me", HOLD, "ans_7")),
    "want": (answers._WANT, (HOLD, "ans_7")),
    "hold": (answers._HOLD, ("me", 1, HOLD, "ans_7")),
    "end": (answers._END, ("ans_7", "me", 7)),
    "keep": (answers._HELD, (HOLD, "me", ["ans_7", "ans_8"])),
    "known": (answers._KNOWN, (["ans_7"],)),
    "cancel": (answers._CANCEL, ("ans_7", "me")),
    "rate": (ratings._RATE, (1, "", "ans_7")),
    "list ratings": (ratings._LIST, ("repo1", *ratings_behind(""), 50)),
    "count debts": (answers._ADD_DEBTS, ("repo1", NOW, ["ABSENT"], ["name1"], [1])),
    "list debts": (answers._LIST_DEBTS, ("repo1", *debts_behind(""), 50)),
    "read": (answers._READ, ("ans_7", 2, 100)),
    "append": (appends._APPEND, (["ans_7"], [7], "me", ["ans_7"], [7], [5], [NOW], ["x"])),
    "forget a session": (answers._FORGET_SESSION, ("ses_7",)),
    "forget a repository": (answers._FORGET_REPOSITORY, ("repo1", NOW)),
    "forget debts": (answers._FORGET_DEBTS, ("repo1", NOW)),
    "sweep": (answers._FORGET_OLD, (LONG_AGO,)),
    "add decisions": (decisions._APPEND, ("repo1", "ret_1", NOW, 1, ["x"])),
    "read decisions": (decisions._READ, ("repo7", "ret_7", 0, 100)),
    "forget decisions": (decisions._FORGET, ("repo1", LONG_AGO)),
    "sweep decisions": (decisions._FORGET_OLD, (LONG_AGO,)),
}


@pytest.fixture(scope="module")
def filled() -> Iterator[PostgresDatabase]:
    """Fill both stores."""
    with postgres_database() as database:
        PostgresAnswers.at(database.url, CLOCK, RandomIds())
        PostgresDecisionLog.at(database.url, CLOCK, days=7, retrievals=100)
        database.rows(FILL)
        yield database


@pytest.mark.parametrize("name", STATEMENTS)
def test_nothing_that_is_asked_often_reads_a_table_whole(filled: PostgresDatabase, name: str) -> None:
    """What clears all of a store does, and comes the more seldom the larger that is."""
    statement, parameters = STATEMENTS[name]
    with psycopg.connect(filled.url) as connection:
        plan = "\n".join(str(row[0]) for row in connection.execute(f"EXPLAIN {statement}".encode(), parameters))
        connection.rollback()

    assert not re.findall(r"Seq Scan on (\w+)", plan), plan
