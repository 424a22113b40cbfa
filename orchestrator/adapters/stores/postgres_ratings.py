"""Ratings of answers in Postgres."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from orchestrator.domain.answers.records import RatedAnswer, ratings_behind

if TYPE_CHECKING:
    from common.stores.postgres import Postgres
    from orchestrator.domain.answers.records import Rating

# xmax is not 0 for an updated row: it is the updating transaction.
_RATE = """
INSERT INTO cgrag_answer_ratings (answer_id, rating, comment)
SELECT answer_id, %s, %s FROM cgrag_answers WHERE answer_id = %s
ON CONFLICT (answer_id) DO UPDATE SET rating = excluded.rating, comment = excluded.comment
RETURNING xmax = 0
"""
# One lookup of ratings for each answer of the repository, instead of a scan of all ratings.
_LIST = """
SELECT answer.answer_id, rated.rating, rated.comment, answer.created FROM cgrag_answers AS answer
CROSS JOIN LATERAL (
    SELECT rating, comment FROM cgrag_answer_ratings AS own WHERE own.answer_id = answer.answer_id OFFSET 0
) AS rated
WHERE answer.repository = %s AND (answer.created, answer.answer_id COLLATE "C") < (%s, %s)
ORDER BY answer.created DESC, answer.answer_id COLLATE "C" DESC LIMIT %s
"""


class PostgresRatings:
    """Stores one rating for each answer; `database` has the tables of answers."""

    def __init__(self, database: Postgres) -> None:
        self._database = database

    async def rate(self, rating: Rating) -> bool:
        """Store a rating, which replaces an earlier one of the same answer; return whether it is the first."""
        rows = await self._database.rows(_RATE, (rating.rating, rating.comment, rating.answer_id))
        return bool(rows and rows[0][0])

    async def list_ratings(self, repository: str, after: str, limit: int) -> tuple[RatedAnswer, ...]:
        """Return ratings after a cursor, those of the newest answers first. Raises PageTokenInvalid."""
        rows = await self._database.rows(_LIST, (repository, *ratings_behind(after), limit))
        return tuple(RatedAnswer(row[0], row[1], row[2], row[3].astimezone(UTC)) for row in rows)
