"""What feature a question asks for."""

from __future__ import annotations

import pytest

from common.core.spellings import spellings
from common.core.terms import terms_of
from retriever.domain.asked.feature import feature_words, is_name_like


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Does the shop support kafka transactions?", ("shop", "kafka", "transactions")),
        ("How do I enable GraphQL subscriptions?", ("GraphQL", "subscriptions")),
        ("Can I use a bluetooth transport?", ("bluetooth", "transport")),
        ("How do I set a cookie securely?", ("cookie",)),
        ("Can a lock be released too often?", ("lock", "released")),
        ("Does the shop retry failed payments?", ("shop", "retry", "payments")),
        ("How does the cache work?", ()),
        ("How should the cache be redesigned?", ()),
        ("Why is the cache slow?", ()),
        ("What is a cart?", ()),
        ("Where does the shop publish GraphQL subscriptions?", ("GraphQL",)),
        ("Where does the shop keep its vouchers?", ()),
    ],
)
def test_words_tell_a_feature_that_is_asked_for(question: str, words: tuple[str, ...]) -> None:
    """What is said of any feature tells none, and only some forms of a question ask for one."""
    assert feature_words(question) == words


@pytest.mark.parametrize("question", ["Can you explain kafka?", "Could you show kafka?", "Do you know what kafka is?"])
def test_who_asks_for_an_explanation_asks_for_no_feature(question: str) -> None:
    """Whoever is asked to do something is not the code."""
    assert feature_words(question) == ()


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("Kafkas", "kafka"),
        ("transactional", "transaction"),
        ("authorise", "authorize"),
        ("colour", "color"),
        ("colouring", "color"),
        ("cancelled", "cancel"),
        ("persistence", "persist"),
    ],
)
def test_words_are_looked_for_in_other_forms(asked: str, written: str) -> None:
    """Nobody is told that a feature is missing because it is spelled otherwise."""
    assert set(spellings(asked)) & set(spellings(written))


@pytest.mark.parametrize(
    ("word", "is_name"), [("GraphQL", True), ("http2", True), ("Kafka", True), ("Vouchers", False), ("kafka", False)]
)
def test_names_are_written_with_capitals_and_digits(word: str, *, is_name: bool) -> None:
    """The first word of a question has a capital of its own."""
    assert is_name_like(word, f"Vouchers by {word}?") is is_name


def test_what_is_cut_off_a_past_form_is_a_spelling_too() -> None:
    """The index has "retri" of "retried"."""
    assert set(terms_of("retried")) <= set(spellings("retry"))
    assert set(terms_of("retry")) <= set(spellings("retried"))
    assert set(spellings("retry")).isdisjoint(terms_of("retrieve"))
