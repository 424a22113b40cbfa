"""Folders and files that a question names as they are not called, or where they are not, over a small repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.evidence.places import place_of
from retriever.usecases.stages.project.places import Place
from retriever.usecases.stages.relations.foreign import Foreign
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from retriever.ports import Snapshot

FILES = {
    "README.md": "# Till\n\n[l]: https://example.org/latest/\n\nThe latest/ page has more.\n",
    "till/desk/ring.py": "import ring_core\n\n\ndef ring():\n    return ring_core.ring()\n",
    "test/test_ring.py": "def test_ring():\n    assert True\n",
}


def test_a_folder_may_be_named_by_the_plural(snapshot: Snapshot) -> None:
    """The end of a longer word on a page says nothing of it."""
    found = place_of(snapshot, "tests")

    assert found is not None
    assert (found.name, found.notes) == ("test", ())


@pytest.mark.parametrize("question", ["Where did till/core/ring.py move?", "what is in till/core/ring.py"])
async def test_a_file_that_was_moved_is_found_by_its_name(snapshot: Snapshot, question: str) -> None:
    """That it is not where the question has it is told first."""
    (draft,) = (await Place().run(Context(), snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge())).drafts

    assert draft.users is not None
    assert draft.users.name == "till/desk/ring.py"
    assert draft.users.notes[0] == "there is no till/core/ring.py; this has its name"


async def test_a_path_is_no_package_of_others(snapshot: Snapshot) -> None:
    """Though a package may end as the path does."""
    task = task_of("Where did till/core/ring_core.py move?", Mode.CONCEPTUAL)

    assert (await Foreign().run(Context(), snapshot, task, OrderJudge())).drafts == ()


def test_of_several_folders_the_largest_is_told_with_the_others() -> None:
    """That they are called so as well is said first."""
    files = {"a/core/x.py": "x = 1\n", "b/core/y.py": "y = 1\n", "b/core/z.py": "z = 1\n", "c/d/core/w.py": "w = 1\n"}

    found = place_of(opened_tree(files).snapshot, "core")

    assert found is not None
    assert found.name == "b/core"
    assert found.notes[0] == "the largest of 2 that are called so, beside a/core"


async def test_where_the_tests_are_is_the_folder_that_holds_them_alone(snapshot: Snapshot) -> None:
    """The tests of a named thing are listed otherwise."""
    tests = await Place().run(Context(), snapshot, task_of("Where are the tests?", Mode.CONCEPTUAL), OrderJudge())
    of_ring = await Place().run(
        Context(), snapshot, task_of("Which tests cover `ring`?", Mode.CONCEPTUAL), OrderJudge()
    )

    assert [each.users.name for each in tests.drafts if each.users] == ["test"]
    assert of_ring.drafts == ()


def test_words_with_a_slash_are_no_moved_folder(snapshot: Snapshot) -> None:
    """The words "date/desk" may be two words; only a file keeps a name of its own."""
    assert place_of(snapshot, "date/desk") is None
