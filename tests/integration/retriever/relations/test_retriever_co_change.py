"""Which files changed together with one that a question names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.structure.co_change import CoChange
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of
from tests.fakes.served_snapshots import Served
from tests.fakes.snapshot_builder import SnapshotBuilder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "What changes together with cart.py?",
            ["shop/cart.py changes together with 2\n- shop/till.py (shop/till.py:1) at line 1 through 7 commits\n"],
        ),
        ("Which files change together with Till?", ["shop/till.py changes together with 1\n- shop/cart.py "]),
        ("What changes together with rest.py?", ["shop/rest.py changes together with 0\n"]),
        ("What changes together with vanished.py?", []),
    ],
)
async def test_files_are_listed_by_the_commits_that_changed_both(
    tmp_path: Path, question: str, told: list[str]
) -> None:
    """Most often first; a definition stands for its file, one commit for nothing, and what is not there for none."""
    built = SnapshotBuilder()
    for name in ("cart", "till", "desk", "rest"):
        built.python(f"shop/{name}.py", f"class {name.title()}:\n    pass\n")
    built.co_changed("shop/cart.py", "shop/till.py", 7)
    built.co_changed("shop/cart.py", "shop/desk.py", 2)
    built.co_changed("shop/till.py", "shop/desk.py", 1)
    built.publish(tmp_path, "shop")
    async with Served(tmp_path).store.open("shop", "") as snapshot:
        context = await CoChange().run(Context(), snapshot, task_of(question, Mode.ANALYTICAL), OrderJudge())

        assert len(context.drafts) == len(told)
        assert all(draft.text.startswith(text) for draft, text in zip(context.drafts, told, strict=True))
