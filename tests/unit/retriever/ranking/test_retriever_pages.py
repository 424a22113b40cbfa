"""The order of pages: what holds now before what changed once."""

from __future__ import annotations

import pytest

from retriever.domain.questions.question import RankedDocument, RankedFile
from retriever.domain.values import Document, DocumentKind, File
from retriever.domain.views.pages import by_units, present_first, prose_paths, with_prose


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
    found = present_first(_pages(path, "docs/routing.md", path, "README.md"), "How are routes matched?", {path})

    assert [each.document.path for each in found] == ["docs/routing.md", "README.md", path, path]


def test_a_question_about_changes_gets_them() -> None:
    """Who asks what a version brought is not sent away from the list of changes."""
    pages = _pages("CHANGES.md", "README.md")

    assert present_first(pages, "What changed in version 3?", {"CHANGES.md"}) == tuple(pages)


def test_files_of_prose_are_those_of_sections() -> None:
    """A file comes once, by its best section; pages of modules stand for code, and lists of changes come last."""
    pages = _pages("CHANGES.md", "docs/a.md", "docs/b.md", "docs/a.md")
    module = RankedDocument(Document(9, DocumentKind.MODULE, "a.py", "a", 1, 1, 9, "text"), 1.0)

    assert prose_paths([module, *pages], "How?", {"CHANGES.md"}) == ("docs/a.md", "docs/b.md", "CHANGES.md")


def _file(path: str) -> File:
    return File(1, path, "", "", 9, is_test=False, parsed=False)


@pytest.mark.parametrize(("number", "first"), [(20, 8), (3, 3), (0, 0)])
def test_prose_comes_behind_the_best_code(number: int, first: int) -> None:
    """The best file of prose has the ninth place, or the last where there is less code; scores never rise."""
    code = [RankedFile(_file(f"{at}.py"), 1.0 / (at + 1)) for at in range(number)]

    found = with_prose(code, [_file("a.md"), _file("b.md")])

    assert [each.file.path for each in found].index("a.md") == first
    assert [each for each in found if each.file.path.endswith(".py")] == code
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert len(found) == number + 2


def test_files_rise_by_the_units_that_answer() -> None:
    """Both orders count alike, a file of either gains; ties keep the order, and scores stay in theirs."""
    code = [RankedFile(_file(f"{at}.py"), 1.0 / (at + 1)) for at in range(4)]

    found = by_units(code, ["3.py", "unknown.py", "1.py"])

    assert [each.file.path for each in found] == ["3.py", "1.py", "0.py", "2.py"]
    assert [each.score for each in found] == [each.score for each in code]
    assert [each.file.path for each in by_units(code, [])] == ["0.py", "1.py", "2.py", "3.py"]
