"""Finds files without symbols by words: scripts, pages, configuration and other text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from common.core.words.terms import count_terms
from retriever.domain.questions.question import RankedFile
from retriever.domain.values import DocumentKind
from retriever.domain.views.text_places import rank_of

if TYPE_CHECKING:
    from retriever.domain.questions.question import Ranking, SearchQuery
    from retriever.ports import Snapshot

_SIGNALS = ("text",)
_MOST = 5
_BEHIND = 8
"""Rank of the first plain file if code files have all words too."""


def with_plain_files(snapshot: Snapshot, query: SearchQuery, ranking: Ranking) -> Ranking:
    """
    Put files without symbols that have every word of a query among the ranked ones.

    They go first if no file of code has all of the words, else behind the best ones. Pages are left to the documents.
    """
    terms = list(count_terms(query.text))
    if not terms or snapshot.lexical.problem or query.max_files < 1:
        return ranking
    columns = snapshot.lexical.corpus().files
    held = np.bincount(snapshot.lexical.postings(terms).files.units, minlength=len(columns)) == len(terms)
    rows = (columns.rows[place] for place in np.flatnonzero(held & ~columns.is_code).tolist())
    found = sorted(
        (row for row in rows if row.path.startswith(query.path_prefix) and (query.include_tests or not row.is_test)),
        key=lambda row: rank_of(row, is_prose=False),
    )
    pages = {
        page.path
        for page in snapshot.documents.at([row.path for row in found[: 4 * _MOST]])
        if page.kind == DocumentKind.SECTION
    }
    plain = [row for row in found[: 4 * _MOST] if row.path not in pages][:_MOST]
    place = _BEHIND if bool((held & columns.is_code).any()) else 0
    before, behind = ranking.files[:place], ranking.files[place:]
    score = before[-1].score if before else max((each.score for each in behind), default=1.0)
    ranked = (RankedFile(row, score, _SIGNALS) for row in plain)
    return replace(ranking, files=(*before, *ranked, *behind)[: query.max_files])
