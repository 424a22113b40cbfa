"""The analyzer: what it takes apart, what it leaves out, and that both sides of an index agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.words.terms import count_terms, split_identifier, stem, terms, terms_of


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("parse_HTTPHeader2", ("parsehttpheader2", "pars", "http", "header")),
        ("getHTTPResponse", ("gethttpresponse", "http", "respons")),
        ("_private", ("privat",)),
        ("__init__", ("init",)),
        ("Größe", ("größe",)),
        ("naïveBayes", ("naïvebayes", "naïve", "bay")),
        ("utf8", ("utf8", "utf")),
        ("the", ()),
        ("a" * 65, ()),
    ],
)
def test_takes_identifiers_apart(word: str, expected: tuple[str, ...]) -> None:
    """Several parts give the whole without underscores, then the parts; stop words and data give nothing."""
    assert terms_of(word) == expected


@pytest.mark.parametrize("spellings", [("foreign_key", "ForeignKey", "foreignKey", "FOREIGN_KEY")])
def test_spellings_meet(spellings: tuple[str, ...]) -> None:
    """Snake, camel and capitals of one name give the same terms."""
    assert len({terms_of(each) for each in spellings}) == 1


@pytest.mark.parametrize("forms", [("cache", "caches", "cached", "caching"), ("query", "queries"), ("stop", "stopped")])
def test_folds_inflections(forms: tuple[str, ...]) -> None:
    """Plural, -ing and -ed forms of a word meet."""
    assert len({stem(each) for each in forms}) == 1


@pytest.mark.parametrize("word", ["is", "ssl", "utf", "größen", "has", "string"])
def test_leaves_other_words_alone(word: str) -> None:
    """Short words, words without vowels and words that are not ASCII stay as they are."""
    assert stem(word) == word


@given(st.text())
def test_every_text_can_be_analyzed(text: str) -> None:
    """Any text gives lower-case terms without white space, and counting agrees with listing."""
    found = terms(text)

    assert all(term == term.lower() and term.split() == [term] for term in found)
    assert count_terms(text) == {term: found.count(term) for term in dict.fromkeys(found)}


@given(st.from_regex(r"[A-Za-z0-9_]{1,40}", fullmatch=True))
def test_splitting_loses_nothing(word: str) -> None:
    """The parts joined are the word without underscores."""
    assert "".join(split_identifier(word)) == word.replace("_", "")
