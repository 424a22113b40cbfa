"""A network reads the best source beside the question: what answers it in other words comes first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from common.core.contract.evidence import Span
from retriever.adapters.cross_encoder import OnnxCrossEncoder
from retriever.adapters.learned import read_worth_model
from retriever.domain.packing.pairing import words_of_question, words_of_unit
from retriever.domain.packing.units import Unit
from retriever.domain.packing.worth import odds_of, pair_inputs_of

_RETRY = "client retry py Client send for attempt in range self limit try return self post request except Timeout sleep"
_PARSE = "client parse py read header line split colon name strip value strip headers append name value"
_CLOSE = "client pool py Pool close for connection in self idle connection shutdown self idle clear"


@pytest.fixture(scope="module")
def encoder() -> Iterator[OnnxCrossEncoder]:
    """Return the network that is shipped."""
    with closing(OnnxCrossEncoder(threads=1)) as network:
        yield network


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("What happens when the server does not answer in time?", 0),
        ("Where are the lines of a response turned into key and content?", 1),
    ],
)
def test_source_that_answers_in_other_words_scores_highest(encoder: OnnxCrossEncoder, question: str, best: int) -> None:
    """Question and source share no telling word."""
    scores = encoder.scores(words_of_question(question), [_RETRY, _PARSE, _CLOSE])

    assert int(np.argmax(scores)) == best


def test_a_score_does_not_depend_on_what_else_is_read(encoder: OnnxCrossEncoder) -> None:
    """Each source is read by itself."""
    question = words_of_question("How often is a request sent again?")

    alone = encoder.scores(question, [_RETRY])
    beside = encoder.scores(question, [_RETRY, f"{_PARSE} {_CLOSE} " * 20])

    assert alone[0] == beside[0]


def test_a_question_or_source_of_any_length_is_read(encoder: OnnxCrossEncoder) -> None:
    """What is too long is cut; nothing at all has a score, too."""
    scores = encoder.scores("word " * 5_000, ["", "word " * 5_000])

    assert scores.shape == (2,)
    assert np.isfinite(scores).all()


def test_identifiers_are_read_as_words() -> None:
    """Of a unit the end of its path, its name and its source are read."""
    unit = Unit(None, Span("a/b/c/http_client.py", 3, 4))

    assert words_of_question("Why does getHTTPResponse fail?") == "Why does get HTTP Response fail"
    assert words_of_unit(unit, "max_retries = 300\n") == "http client py max retries 300"


def test_a_higher_score_makes_a_unit_likelier() -> None:
    """By the weights that are shipped, at the same odds by trees."""
    worths = read_worth_model().of_paired(np.array([0.4, 0.4, 0.4]), np.array([-2.0, 3.0, 0.5]))

    assert worths[1] > worths[2] > worths[0]
    assert ((worths > 0) & (worths < 1)).all()


def test_inputs_tell_how_far_a_unit_is_behind_the_best() -> None:
    """In the odds by trees and in the score, each by itself."""
    first, second = pair_inputs_of(odds_of(np.array([0.5, 0.9])), np.array([2.0, -1.0]))

    assert first["odds"] == pytest.approx(0.0)
    assert first["score behind the best"] == 0.0
    assert second["odds behind the best"] == 0.0
    assert first["odds behind the best"] == pytest.approx(-np.log(9))
    assert second["score behind the best"] == -3.0
