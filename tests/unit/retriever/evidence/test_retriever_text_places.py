"""Where a text stands in a file, and which terms a file must have to hold it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.words.terms import count_terms
from retriever.domain.views.text_places import lines_containing, lines_with, required_terms

_SCRIPT = '#!/bin/sh\nrotate_keys() {\n  echo "rotated  all\n  keys"\n}\nrotate_keys; rotate_keys_now\n'


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("rotate_keys", [2, 6]),
        ("rotate_keys_now", [6]),
        ("keys", [4]),
        ("rotated all keys", [3]),
        ("rotate_keys() {", [2]),
        ("; rotate", []),
        ("Rotate_keys", []),
        ("rotatedall", []),
        ("", []),
        (" \n", []),
    ],
)
def test_a_text_is_found_by_whole_words(text: str, lines: list[int]) -> None:
    """Each line once; white space of any kind and length is alike; case counts."""
    assert list(lines_with(_SCRIPT, text)) == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [("rotate_key", [2, 6]), ("_now", [6]), ("tated all k", [3]), ("Rotate", []), ("ed  all", [3]), ("", [])],
)
def test_a_text_is_found_within_longer_words(text: str, lines: list[int]) -> None:
    """Each line once; white space is alike here too, and case counts."""
    assert list(lines_containing(_SCRIPT, text)) == lines


def test_scripts_without_blanks_have_no_word_edges() -> None:
    """A word of Chinese stands within a longer run, and no term of the index is certain of it."""
    assert list(lines_with("a\nprint('库存不足错误')\n", "库存不足")) == [2]
    assert required_terms("库存不足 stock") == ("stock",)


@given(st.text(alphabet=st.sampled_from("abAB01_ -.\n(é库")), st.data())
def test_whatever_stands_in_a_text_has_its_terms_there(content: str, data: st.DataObject) -> None:
    """A piece of a text that is found in it requires only terms that the index counts of it."""
    start = data.draw(st.integers(0, len(content)))
    piece = content[start : data.draw(st.integers(start, len(content)))]

    if list(lines_with(content, piece)):
        assert set(required_terms(piece)) <= set(count_terms(content))


@given(st.lists(st.sampled_from(["key", "key_2", "The key", "é", "x"]), max_size=8))
def test_a_line_that_is_the_text_is_found(rows: list[str]) -> None:
    """Every line that consists of the text is among those found, in order."""
    found = list(lines_with("\n".join(rows), "key"))

    assert [number for number, row in enumerate(rows, 1) if row in ("key", "The key")] == found
