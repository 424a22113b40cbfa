"""What feature a question asks for."""

from __future__ import annotations

import pytest

from retriever.domain.asked_feature import feature_words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Does the shop support kafka transactions?", ("shop", "kafka", "transactions")),
        ("How do I enable GraphQL subscriptions?", ("GraphQL", "subscriptions")),
        ("Can I use a bluetooth transport?", ("bluetooth", "transport")),
        ("How do I set a cookie securely?", ("cookie",)),
        ("How does the cache work?", ()),
        ("How should the cache be redesigned?", ()),
        ("Why is the cache slow?", ()),
        ("What is a cart?", ()),
    ],
)
def test_words_tell_a_feature_that_is_asked_for(question: str, words: tuple[str, ...]) -> None:
    """What is said of any feature tells none, and only some forms of a question ask for one."""
    assert feature_words(question) == words
