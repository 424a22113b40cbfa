"""Whether a message that somebody saw was made from an error string, whatever its values are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.domain.declared.message_template import VALUE, begins_as, differs, explained

RESOLVE = "Cannot resolve keyword {} into field. Choices are: {}"
words = st.lists(st.text("abcdefghij", min_size=2, max_size=6), min_size=3, max_size=6).map(" ".join)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (RESOLVE, "Cannot resolve keyword 'nmae' into field. Choices are: id, name"),
        (RESOLVE, "cannot  resolve keyword"),
        (RESOLVE, "Cannot resolve keyword 'nmae' into fi"),
        (RESOLVE, "Cannot resolve keyword 'na"),
        (RESOLVE, "Cannot resolve keyword first name"),
        (RESOLVE, "FieldError: Cannot resolve keyword 'nmae' into field. Choices are: id (see above)"),
        ("No token of {} can be had before the list is sealed", "can be had before?"),
        ("{} requires a running reactor.", "Download requires a running reactor"),
        ("{} - No token is left, asked for {} ms", "No token is left"),
    ],
)
def test_messages_made_from_a_template_are_explained(template: str, message: str) -> None:
    """As a whole, cut, with more around it, or a part of it, in any case."""
    assert 0.4 < explained(template, message) <= 1.0


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("Cannot resolve host: {}", "Cannot resolve keyword"),
        ("Attempted to call a sync close on an async stream.", "Attempted to call an async close on a sync stream."),
        ("Package [{}] not found.", "Package name (1.0) not found."),
        ("the value of {} must be positive", "the value of x cannot be used"),
        ("{} not found", "Package name not found"),
        (RESOLVE, "Cannot resolve keyword of a field"),
        (VALUE, "anything at all may be said"),
        (RESOLVE, ""),
    ],
)
def test_messages_that_only_share_words_are_not(template: str, message: str) -> None:
    """Neither are those of which an error string says too little."""
    assert explained(template, message) == 0.0


@pytest.mark.parametrize(
    ("template", "message", "is_other"),
    [
        ("pool is closed", "the pool was closed", True),
        (RESOLVE, "Cannot resolve the keyword 'nmae' in a field", True),
        ("pool closed", "PoolError: pool closed!", False),
        ("pool is closed for good", "pool closed", False),
        (RESOLVE, "Cannot resolve keyword 'nmae' into fi", False),
    ],
)
def test_a_message_differs_where_each_has_words_that_the_other_lacks(
    template: str, message: str, *, is_other: bool
) -> None:
    """One that is quoted in part or with more around it does not, nor one with values in it."""
    assert differs(template, message) is is_other


def test_what_a_message_says_beside_the_values_counts_most() -> None:
    """A longer fixed part tells more of it than one that leaves more to values."""
    message = "Package name not found in the lock file"

    assert explained("Package {} not found in the lock file", message) > explained(
        "Package {} not found in {}", message
    )


@given(words, words, st.text("xyz0123'/", max_size=8))
def test_every_value_is_explained(before: str, after: str, value: str) -> None:
    """What the code writes between its parts never counts against it."""
    assert explained(f"{before} {{}} {after}", f"{before} {value} {after}") > 0.0


@pytest.mark.parametrize(
    ("template", "text", "begins"),
    [
        ("Unexpected end of list{}", "unexpected end of list in a name", True),
        ("{} - No token is left, asked for {} ms", "No token is left", True),
        (RESOLVE, "Cannot resolve keyword 'nmae'", True),
        (RESOLVE, "why is it that I cannot resolve keyword 'nmae'", False),
        ("Unexpected end of list{}", "unexpected end of list where my own orders are written to the book", False),
        ("No token of {} can be had before the list is sealed", "can be had before", False),
        (VALUE, "anything at all", False),
    ],
)
def test_a_text_may_begin_as_a_message_does(template: str, text: str, *, begins: bool) -> None:
    """And be told by it, for the half at least."""
    assert begins_as(template, text) is begins
