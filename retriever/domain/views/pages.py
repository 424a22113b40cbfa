"""Orders the pages and files that match a question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms
from retriever.domain.questions.question import RankedFile
from retriever.domain.values import DocumentKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from retriever.domain.questions.question import RankedDocument
    from retriever.domain.values import File

_RANK_CONSTANT = 5
_OF_PROSE = ("documentation",)
_FIRST_OF_PROSE = 9
"""Rank of the best file of prose. One of twenty right files is prose; ranks 8 to 10 give equal results."""


def prose_paths(ranked: Iterable[RankedDocument], question: str, changes: Collection[str]) -> tuple[str, ...]:
    """Return the files of prose whose sections match a question, best first."""
    sections = (each.document for each in present_first(ranked, question, changes))
    return tuple(dict.fromkeys(each.path for each in sections if each.kind == DocumentKind.SECTION))


def by_units(files: Sequence[RankedFile], paths: Sequence[str]) -> tuple[RankedFile, ...]:
    """
    Order ranked files by the sum of reciprocal ranks: their own, and that of their best unit of source.

    (Cormack, Clarke, Büttcher, SIGIR 2009.) Ties keep their order. The scores are reassigned in order, so they fall.

    Args:
        paths: Files in the order of their best units.
    """
    place = {path: 1 / (_RANK_CONSTANT + 1 + at) for at, path in enumerate(paths)}
    worth = {each.file.path: 1 / (_RANK_CONSTANT + at) for at, each in enumerate(files, 1)}
    ordered = sorted(files, key=lambda each: -(worth[each.file.path] + place.get(each.file.path, 0.0)))
    return tuple(replace(each, score=at.score) for each, at in zip(ordered, files, strict=True))


def with_prose(files: Sequence[RankedFile], prose: Sequence[File]) -> tuple[RankedFile, ...]:
    """
    Put files of prose among ranked files of code, by weighted reciprocal ranks.

    (Cormack, Clarke, Büttcher, SIGIR 2009.) Ties go to code. Scores of code do not change; prose has that of the file
    before it.
    """
    weight = (_RANK_CONSTANT + 1) / (_RANK_CONSTANT + _FIRST_OF_PROSE - 0.5)
    waiting = list(reversed(prose))
    fused: list[RankedFile] = []
    for rank, each in enumerate(files, 1):
        while waiting and weight / (_RANK_CONSTANT + 1 + len(prose) - len(waiting)) > 1 / (_RANK_CONSTANT + rank):
            fused.append(RankedFile(waiting.pop(), fused[-1].score, _OF_PROSE))
        fused.append(each)
    last = fused[-1].score if fused else 1.0
    return (*fused, *(RankedFile(page, last, _OF_PROSE) for page in reversed(waiting)))


def present_first(
    ranked: Iterable[RankedDocument], question: str, changes: Collection[str]
) -> tuple[RankedDocument, ...]:
    """
    Put lists of changes behind all other pages, each part in its order.

    Lists of changes mention everything briefly, often as it once was, so they match any question and explain little.
    One whose path has a word of the question keeps its rank, as `CHANGES.md` does for "what changed in version 3?".

    Args:
        changes: Paths of the lists of changes.
    """
    terms = count_terms(question).keys()

    def is_aside(page: RankedDocument) -> bool:
        path = page.document.path
        return path in changes and terms.isdisjoint(count_terms(path))

    return tuple(sorted(ranked, key=is_aside))
