"""Which paragraph says what a project is, over small indexed repositories."""

from __future__ import annotations

import pytest

from retriever.usecases.stages.project.overview import Overview
from tests.integration.retriever.configuration.test_retriever_project import _found
from tests.integration.retriever.opened_tree import opened_tree

_MODULE = {"go.mod": "module example.org/till\n", "till.go": "// Package till keeps fast books.\npackage till\n"}
_CRATES = {
    "Cargo.toml": '[workspace]\nmembers = ["shelf", "core"]\n',
    "core/Cargo.toml": '[package]\nname = "core"\ndescription = "Core types of the books"\n',
    "core/src/lib.rs": "",
    "shelf/Cargo.toml": '[package]\nname = "shop"\ndescription = "Counts what is left"\n',
    "shelf/src/lib.rs": "",
}


async def _told(files: dict[str, str], question: str = "What is this project?") -> list[str]:
    drafts = (await _found(opened_tree(files).snapshot, Overview(), question)).drafts
    return [each.text.rstrip("\n") for each in drafts if not each.users]


@pytest.mark.parametrize(
    ("readme", "told"),
    [
        (
            "# Till\n\n[![Build](a)](b)\n\n- [Install Till](#i)\n- [Use Till](#u)\n\nBooks of a shop.\n",
            "Books of a shop.",
        ),
        (
            "<p align=center>\n<img src=till.svg>\nFast books of a shop.\n<a href=till></a>\n</p>\n",
            "Fast books of a shop.",
        ),
        ("# Till\n\nBooks of a shop.\n\n## Install\n\nTill needs Go 1.20 or newer.\n", "Books of a shop."),
        (
            "# Till\n\n> **Note** Till is frozen now.\n\nTill counts the coins of shops. It has:\n\n- a desk\n",
            "Till counts the coins of shops. It has:",
        ),
        (
            "# Till\n\nTo quote [a shop][s]. Till is for all.\n\nTill is in use by many.\n",
            "To quote [a shop][s]. Till is for all.",
        ),
    ],
    ids=["contents", "html", "requirements", "notes", "links"],
)
async def test_badges_lists_notes_and_later_sections_do_not_say_what_a_project_is(readme: str, told: str) -> None:
    """The terms of the package's documentation choose where no manifest describes it."""
    assert await _told({**_MODULE, "README.md": readme}) == [told]


async def test_the_manifest_goes_first_where_the_readme_says_little_of_it() -> None:
    """A page that says more, in the same words, goes first itself."""
    manifest = {"package.json": '{"name": "till", "description": "fast plain books"}', "a.js": ""}

    assert await _told({**manifest, "README.md": "# Till\n\nTill is built to run on paper.\n"}) == [
        "fast plain books",
        "Till is built to run on paper.",
    ]
    assert await _told({**manifest, "README.md": "# Till\n\nKeeps fast and plain books of shops.\n"}) == [
        "Keeps fast and plain books of shops.",
        "fast plain books",
    ]


async def test_of_several_packages_that_of_the_repository_describes_it() -> None:
    """One that is only the first by its path says nothing of the whole."""
    assert await _told(_CRATES) == ["Counts what is left"]


async def test_a_question_that_asks_more_has_no_parts_told() -> None:
    """Its other part is answered in their place."""
    files = {**_MODULE, "README.md": "# Till\n\nBooks of a shop.\n"}
    drafts = (await _found(opened_tree(files).snapshot, Overview(), "What is this, and how do I run the tests?")).drafts

    assert [each.text for each in drafts] == ["Books of a shop.\n"]


async def test_code_of_restructuredtext_is_no_paragraph() -> None:
    """However little it is indented."""
    page = "====\nTill\n====\n\n.. code-block:: python\n\n  import till\n\n  till.open(1, 2)\n\nFast books of a shop.\n"

    assert await _told({**_MODULE, "README.rst": page}) == ["Fast books of a shop."]


async def test_a_translation_is_not_read_for_the_original() -> None:
    """Though its name is the first of the alphabet."""
    pages = {"README.cn.md": "# Till\n\nUne caisse pour un magasin.\n", "README.md": "# Till\n\nBooks of a shop.\n"}

    assert await _told({**_MODULE, **pages}) == ["Books of a shop."]
