"""The sentence that says why a mode was chosen."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import classifier
from classifier.domain.reasons import explain
from classifier.domain.values import Mode

_SILENT = {"first_person"}
"""Groups of words that tell of who asks, not of what is asked."""


def _groups() -> list[str]:
    """Return the names of all groups of words and kinds of verbs."""
    path = Path(next(iter(classifier.__path__))) / "data" / "lexicon.toml"
    lexicon = tomllib.loads(path.read_text(encoding="utf-8"))
    return sorted({*lexicon["groups"], *lexicon["verbs"]} - _SILENT)


@pytest.mark.parametrize(
    ("features", "said"),
    [
        ((), "."),
        (("form:long",), "."),
        (("opens:which",), ': it opens with "which".'),
        (("opens:which", "any:quality"), ': it opens with "which" and asks about quality or coupling.'),
        (
            ("any:quality", "title:quality", "opens:which"),
            ': it asks about quality or coupling and opens with "which".',
        ),
        (
            ("opens:which", "opens:which are", "any:cost"),
            ': it opens with "which" and asks what something costs or affects.',
        ),
        (("any:flow", "any:cost", "any:trace"), ": it speaks of a flow and asks what something costs or affects."),
    ],
)
def test_the_two_strongest_things_are_said_each_once(features: tuple[str, ...], said: str) -> None:
    """One of them at most is how the question opens; what has no words for it is passed over."""
    assert explain(Mode.ANALYTICAL, features) == f"The question is about structure, quality or design{said}"


@pytest.mark.parametrize("name", [*_groups(), "frames", "exceptions", "messages", "symbols", "paths"])
def test_whatever_a_question_is_weighed_by_can_be_said(name: str) -> None:
    """A group of words that is added needs a phrase, or the sentence leaves out what decided."""
    assert ": it " in explain(Mode.CONCEPTUAL, (f"any:{name}",))
