"""Which files a text is about, by their concepts."""

from __future__ import annotations

from math import log

from hypothesis import given
from hypothesis import strategies as st

from retriever.domain.declared.metadata import FileMetadata, match_metadata

FILES = (
    FileMetadata("a.py", "db", ("query compiler", "query")),
    FileMetadata("b.py", "mail", ("smtp", "query")),
    FileMetadata("c.py", "mail", ()),
    FileMetadata("d.py", "", ("queries",)),
)


def test_all_words_of_a_concept_must_stand_in_the_text() -> None:
    """In any order, any form and any spelling: identifiers are read as words."""
    found = {text: match_metadata(text, FILES)[0].concepts for text in ("QueryCompiler", "a compiler of queries")}

    assert set(found.values()) == {("query compiler", "query")}
    assert match_metadata("a compiler", FILES) == ()


def test_rare_concepts_count_more_and_a_named_domain_helps() -> None:
    """The order is by what is told; ties by path; a domain alone brings no file in."""
    found = match_metadata("The mail query over SMTP", FILES)

    assert [(each.path, each.concepts, each.domain, each.score) for each in found] == [
        ("b.py", ("smtp", "query"), "mail", round(log(5 * 3 * 3), 6)),
        ("d.py", ("queries",), "", round(log(5), 6)),
        ("a.py", ("query",), "", round(log(3), 6)),
    ]


def test_a_match_says_what_matched() -> None:
    """For the decision log."""
    one, two = match_metadata("mail: smtp query", FILES[:2])

    assert one.relation == "the task names its concepts 'smtp', 'query', and its domain 'mail'"
    assert two.relation == "the task names its concept 'query'"


@given(st.text(max_size=60), st.permutations(FILES))
def test_the_order_of_files_does_not_matter(text: str, files: list[FileMetadata]) -> None:
    """Any text, any order: the same matches."""
    assert match_metadata(text, files) == match_metadata(text, FILES)
