"""Ranks the tests of a snapshot by words (BM25F), for tests without edges to the tested code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from common.core.contract.understanding import Relation
from common.core.words.terms import count_terms
from retriever.domain.ranking.material import Material
from retriever.domain.ranking.query import analyse
from retriever.domain.values import SymbolKind
from retriever.usecases.using.found import Use, Using

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.ports import Snapshot

_RANKED, _LISTED = 60, 12
_CALLED = 0.5
"""Least share of the subject's words in the name and path of a test (unless `in_full`)."""
_OF_TESTS = frozenset(count_terms("test tests"))
_TESTING = frozenset({SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD})


def test_scores(snapshot: Snapshot, text: str) -> Mapping[int, float]:
    """Return the score of each symbol of a test that has words of a text, by identity; higher means more."""
    lexical = snapshot.lexical
    if lexical.problem:
        return {}
    corpus, query = lexical.corpus(), analyse(text)
    postings = lexical.postings(query.terms)
    material = Material.of(query, corpus, postings, corpus.files.is_code, with_tests=True)
    is_test = corpus.files.is_test[corpus.symbols.file] | corpus.is_test_in_code
    places = np.flatnonzero(is_test & (material.symbol_scores > 0))
    return dict(zip(corpus.symbols.ids[places].tolist(), material.symbol_scores[places].tolist(), strict=True))


def tests_described(snapshot: Snapshot, told: str, about: str, *, in_full: bool) -> Using | None:
    """
    Of the tests that rank first for a text, return those whose names and paths have its words, most words first.

    Args:
        told: The description of what is tested: "a blueprint can be nested".
        about: The subject of the description; a name needs at least half of its words.
        in_full: Require all words of the subject, and at least one further word of the description.
    """
    scores = test_scores(snapshot, told)
    best = sorted(scores, key=lambda each: -scores[each])[:_RANKED]
    place = {id_: at for at, id_ in enumerate(best)}
    tests = [each for each in snapshot.symbols.get(best) if each.kind in _TESTING]
    names = {each: count_terms(f"{each.qualified_name} {each.path}").keys() for each in tests}
    subject, wanted = count_terms(about).keys(), count_terms(told).keys()
    kept = []
    for each, own in names.items():
        has_rest = subject <= own and bool(own & wanted - subject - _OF_TESTS)
        if subject and (has_rest if in_full else len(own & subject) >= _CALLED * len(subject)):
            kept.append(each)
    kept.sort(
        key=lambda each: (-len(count_terms(each.name).keys() & wanted), -len(names[each] & wanted), place[each.id])
    )
    uses = tuple(Use(each, each.path, each.start_line) for each in kept[:_LISTED])
    return Using(told, Relation.TESTS, None, named_after=uses) if uses else None
