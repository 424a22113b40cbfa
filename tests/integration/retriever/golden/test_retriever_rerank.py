"""Reports and long questions are reranked, short questions are not."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from retriever.adapters.learned import read_describing_model, read_ranking_model, read_reranker_models
from retriever.domain.describing.model import Scale
from retriever.domain.questions.question import Ranking, SearchQuery
from retriever.domain.reranking.model import RerankerModel, RerankerModels
from retriever.domain.reranking.trees import Tree, Trees
from retriever.usecases.searching.by_words import ByWords
from retriever.usecases.searching.rerank import Rerank

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retriever.domain.ranking.corpus import Floats
    from tests.integration.retriever.conftest import Retriever
from tests.integration.retriever.opened_tree import opened_current

QUESTION = "how is the order reserved in the warehouse"
REPORT = f"{QUESTION}\n\nThe order of a customer is reserved twice, and the stock is wrong afterwards.\n"
LONG_QUESTION = f"{QUESTION} when a customer asks for more than what is left in stock"
FIRST_IS_LAST = Trees.of([Tree([0], [0.0], [-1], [-2], [-50.0, 0.0])])
"""Takes fifty points from what stands first."""


@dataclass
class Recorder:
    """A model that lets nothing gain and remembers what it was told."""

    columns: Mapping[str, Floats] = field(default_factory=dict)
    signs: Mapping[str, float] = field(default_factory=dict)

    def gains(self, columns: Mapping[str, Floats], signs: Mapping[str, float]) -> Floats:
        """Remember."""
        self.columns, self.signs = columns, signs
        return np.zeros(len(columns["rank"]))


NOTHING = Trees.of([])


def by_rank(trees: Trees) -> RerankerModel:
    """Go by the rank alone."""
    return RerankerModel(Scale(("rank",), np.zeros(1), np.ones(1)), trees)


async def functions(retriever: Retriever, text: str, trees: Trees) -> list[str]:
    """Return the functions that are found, best first, when the reranker goes by their rank alone."""
    ranking = await found(retriever, text, by_rank(trees), by_rank(NOTHING))
    return [each.symbol.qualified_name for each in ranking.symbols if each.symbol.kind.name != "CLASS"]


async def files(retriever: Retriever, text: str, trees: Trees) -> list[str]:
    """The same of files."""
    ranking = await found(retriever, text, by_rank(NOTHING), by_rank(trees))
    return [each.file.path for each in ranking.files]


async def found(retriever: Retriever, text: str, of_functions: RerankerModel, of_files: RerankerModel) -> Ranking:
    """Rank."""
    ranker = ByWords(read_ranking_model(), Rerank(RerankerModels(of_functions, of_files), read_describing_model()))
    with closing(opened_current(retriever.data)) as at:
        return await ranker.run(at.snapshot, SearchQuery(text))


async def test_the_functions_of_a_report_are_ordered_by_what_they_gain(retriever: Retriever) -> None:
    """What loses goes behind all others that were looked at; nothing is lost or added."""
    before = await functions(retriever, REPORT, NOTHING)

    after = await functions(retriever, REPORT, FIRST_IS_LAST)

    assert len(before) > 3
    assert after == [*before[1:], before[0]]


async def test_the_files_of_a_report_are_ordered_by_what_they_gain(retriever: Retriever) -> None:
    """As are its functions."""
    before = await files(retriever, REPORT, NOTHING)

    after = await files(retriever, REPORT, FIRST_IS_LAST)

    assert len(before) > 1
    assert after == [*before[1:], before[0]]


async def test_a_question_that_describes_at_length_is_looked_at(retriever: Retriever) -> None:
    """It says as much as the first line of a report."""
    before = await functions(retriever, LONG_QUESTION, NOTHING)

    assert await functions(retriever, LONG_QUESTION, FIRST_IS_LAST) == [*before[1:], before[0]]


async def test_a_question_is_long_by_its_different_words(retriever: Retriever) -> None:
    """Sixteen and more: fifteen of them, said twice, are not enough."""
    fifteen = LONG_QUESTION.removesuffix(" stock")

    assert await functions(retriever, f"{fifteen} {fifteen}", FIRST_IS_LAST) == await functions(
        retriever, f"{fifteen} {fifteen}", NOTHING
    )


async def test_what_title_and_prose_say_alike_is_measured_once(retriever: Retriever) -> None:
    """A text of one line is both."""
    recorder = Recorder()

    await found(retriever, LONG_QUESTION, cast(RerankerModel, recorder), by_rank(NOTHING))

    of_prose = {name: values for name, values in recorder.columns.items() if name.startswith("prose: ")}
    measured = [name for name in of_prose if name != "prose: by network"]
    assert measured
    assert all(recorder.columns[name.replace("prose", "title", 1)] is of_prose[name] for name in measured)


async def test_short_questions_are_not_looked_at(retriever: Retriever) -> None:
    """Their order stays."""
    assert await functions(retriever, QUESTION, FIRST_IS_LAST) == await functions(retriever, QUESTION, NOTHING)
    assert await files(retriever, QUESTION, FIRST_IS_LAST) == await files(retriever, QUESTION, NOTHING)


@pytest.mark.parametrize("text", ["???\n\nThe order of a customer is reserved twice.\n", "a\n\nb c\n"])
async def test_a_title_without_words_is_no_failure(retriever: Retriever, text: str) -> None:
    """The prose is looked at alone; if it has none of the code's words, nothing is found."""
    await functions(retriever, text, FIRST_IS_LAST)


async def test_what_was_learned_goes_by_what_is_measured(retriever: Retriever) -> None:
    """A column that is called otherwise than when the trees were grown would be nothing to them, unnoticed."""
    learned, functions, files = read_reranker_models(), Recorder(), Recorder()

    await found(retriever, REPORT, cast(RerankerModel, functions), cast(RerankerModel, files))

    for model, recorder in ((learned.functions, functions), (learned.files, files)):
        assert set(model.scale.names) == set(recorder.columns)
        assert model.trees.inputs.max() < 2 * len(recorder.columns) + len(recorder.signs)
