"""What is counted only if a question asks for it, and which two things it compares."""

from __future__ import annotations

import pytest

from retriever.domain.asked.compared import compared_names
from retriever.domain.asked.measure import Sized, asks_for_unused, sized_things, two_parts


@pytest.mark.parametrize(
    ("question", "sized"),
    [
        ("What are the biggest classes?", Sized.CLASSES),
        ("what is the longest public function", Sized.FUNCTIONS),
        ("Which file is largest, and which are the largest files of the shop?", Sized.FILES),
        ("Which packages have most lines?", None),
        ("most lines of which packages", Sized.FOLDERS),
        ("What is the biggest problem of this design?", None),
        ("Which functions are most complex?", None),
    ],
)
def test_a_size_is_asked_for_of_a_kind_of_thing(question: str, sized: Sized | None) -> None:
    """Complexity is another measure, and not all that is big has lines."""
    assert sized_things(question) == sized


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        ("Is there any dead code?", True),
        ("List unused functions", True),
        ("Which methods are never called?", True),
        ("Is there code that nobody uses?", True),
        ("Which functions are unused?", True),
        ("Which methods in the shop aren't used?", True),
        ("What functions does nobody call?", True),
        ("Why does the function warn about unused seats?", False),
        ("Why is the callback never called?", False),
        ("What is an unused seat?", False),
    ],
)
def test_code_without_users_is_asked_for(question: str, *, is_asked: bool) -> None:
    """Not why one thing is not called."""
    assert asks_for_unused(question) == is_asked


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Are there cycles between shop.core and shop.web?", ("shop.core", "shop.web")),
        ("Does the core package depend on src/web?", ("core", "src/web")),
        ("Is shop.core in a cycle with shop.web?", ("shop.core", "shop.web")),
        ("Which modules are coupled?", None),
    ],
)
def test_two_parts_are_named(question: str, parts: tuple[str, str] | None) -> None:
    """Whether they exist is another question."""
    assert two_parts(question) == parts


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is the difference between Bank.ask and `lend()`?", ("Bank.ask", "lend")),
        ("How does upsert differ from insert with replace?", ("upsert", "insert")),
        ("mapState vs mapWritableState: what is different?", ("mapState", "mapWritableState")),
        ("compare the Bank with the Desk", ("Bank", "Desk")),
        ("What is different here?", None),
    ],
)
def test_two_things_are_compared(question: str, names: tuple[str, str] | None) -> None:
    """As they are written."""
    assert compared_names(question) == names
