"""The order of pages: what holds now before what changed once."""

from __future__ import annotations

import pytest

from retriever.domain.pages import present_first
from retriever.domain.question import RankedDocument
from retriever.domain.values import Document, DocumentKind


def _pages(*paths: str) -> list[RankedDocument]:
    return [
        RankedDocument(Document(number, DocumentKind.SECTION, path, "title", None, 1, 9, "text"), 9.0 - number)
        for number, path in enumerate(paths)
    ]


@pytest.mark.parametrize(
    "path", ["History.md", "CHANGES", "docs/changelog.rst", "docs/history/5.0.rst", "doc/whatsnew-4.0.rst", "NEWS.txt"]
)
def test_lists_of_changes_come_last(path: str) -> None:
    """They match any question; among themselves, and among the others, the order stays."""
    found = present_first(_pages(path, "docs/routing.md", path, "README.md"), "How are routes matched?")

    assert [each.document.path for each in found] == ["docs/routing.md", "README.md", path, path]


@pytest.mark.parametrize("path", ["docs/exchanges.md", "docs/newsletter.md", "docs/history-api.md", "releaser.md"])
def test_names_that_only_look_alike_are_other_pages(path: str) -> None:
    """The whole name counts, but for a version and an extension."""
    pages = _pages(path, "README.md")

    assert present_first(pages, "How?") == tuple(pages)


def test_a_question_about_changes_gets_them() -> None:
    """Who asks what a version brought is not sent away from the list of changes."""
    pages = _pages("CHANGELOG.md", "README.md")

    assert present_first(pages, "What changed in version 3?") == tuple(pages)
