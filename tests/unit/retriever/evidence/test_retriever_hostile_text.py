"""Questions and files of one shape without end are read in time that grows with their length alone."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from retriever.domain.declared.given_values import AskedSetting, GivenValue, fit, told_in_full
from retriever.domain.questions.names import likely_names
from retriever.domain.ranking.cleaning import clean
from retriever.domain.ranking.query import analyse

if TYPE_CHECKING:
    from collections.abc import Callable

# Each takes some tenths of a second at most, and took from ten to longer than anybody waited.
MOST_SECONDS = 3.0


HOSTILE: dict[str, tuple[Callable[[str], object], str]] = {
    "blanks before a version": (analyse, "Why?\n" + (" " * 150 + "1.1!\n") * 60),
    "a word of small letters": (likely_names, "A" + "a" * 100_000),
    "sections within sections": (
        lambda text: fit(GivenValue((text,), "1", "a", 1, 1), "shop.port"),
        ".".join("a" * 50_000),
    ),
}


@pytest.mark.parametrize(("read", "text"), HOSTILE.values(), ids=HOSTILE)
def test_what_has_no_end_is_read_in_time(read: Callable[[str], object], text: str) -> None:
    """None looks anew at what follows from each of its letters, lines or names."""
    began = time.process_time()
    read(text)

    assert time.process_time() - began < MOST_SECONDS


def test_lines_of_versions_say_nothing() -> None:
    """What is installed is no part of a question; a sentence that names a version is."""
    left_out = ("numpy: 1.24.3", "- scipy 1.2", "  * pandas==2.0.1 (conda)", "   3.11.4", "python      v3.11.4")
    kept = (
        "Why?",
        "it broke between 1.2 and 1.3, and nothing that we know of has helped any of us since then",
        "numpy 1.24!",
    )

    assert tuple(each.text for each in clean("\n".join((kept[0], *left_out, *kept[1:])))) == kept


def test_a_name_with_humps_is_likely_one_of_code() -> None:
    """A capital letter, a small one, and a capital one again, whatever stands between."""
    assert [each.last for each in likely_names("A HTTPServer runs MyClass2X, not Server, AbC_d or aB.")] == [
        "MyClass2X",
        "AbC_d",
    ]


def test_sections_of_any_depth_are_compared_with_a_name_as_far_as_it_goes() -> None:
    """The nearest sections are the ones that can be part of it."""
    deep = GivenValue((*("a",) * 5000, "server", "port"), "1", "a", 1, 1)
    asked = AskedSetting((), phrases=frozenset({("server", "port")}))

    assert fit(deep, "server.port") == 0
    assert fit(deep, "APP_SERVER_PORT") == 2
    assert fit(deep, "other") == -1
    assert told_in_full(deep, asked) == 2
