"""Other ways of saying a word of what code does."""

from __future__ import annotations

import pytest

from common.core.words.abbreviations import shortened
from common.core.words.synonyms import synonyms_of
from common.core.words.terms import stem


@pytest.mark.parametrize(
    ("words", "way"),
    [
        (("throttling",), ("rate", "limit")),
        (("rate", "limiting"), ("throttle",)),
        (("rate", "limiter"), ("throttle",)),
        (("dies",), ("kill",)),
        (("compression",), ("gzip",)),
        (("expired",), ("evict",)),
        (("timeouts",), ("deadline",)),
    ],
)
def test_any_form_of_a_word_has_its_other_ways(words: tuple[str, ...], way: tuple[str, ...]) -> None:
    """Words that say it together are one way."""
    assert way in synonyms_of(*words)
    assert words not in synonyms_of(*words)


def test_what_says_one_thing_only_has_no_other_way() -> None:
    """Nor has a part of what several words say together."""
    assert synonyms_of("order") == ()
    assert synonyms_of("limit") == ()
    assert synonyms_of("the") == ()


@pytest.mark.parametrize(
    ("word", "told", "is_it"),
    [("length", "len", True), ("Parameters", "param", True), ("length", "lend", False), ("len", "length", False)],
)
def test_a_name_may_say_a_word_in_short(word: str, told: str, *, is_it: bool) -> None:
    """By the usual forms alone, and no text says more than it does."""
    assert (stem(shortened(word.lower())) == told) is is_it
