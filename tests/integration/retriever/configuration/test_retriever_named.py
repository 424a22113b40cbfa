"""What is told of a definition that a question names, over small indexed repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from common.core.contract.understanding import Relation
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.project.named import Named
from retriever.usecases.stages.project.overview import Overview
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.evidence.piece import Draft
    from retriever.domain.views.listing import UserList
    from retriever.ports import Snapshot
    from retriever.usecases.stages.protocol import Stage

FILES = {
    "README.md": "# Till Books\n\nTill Books keeps the books of a shop in plain text files.\n",
    "pyproject.toml": '[project]\nname = "till-books"\n',
    "till/core.py": (
        'class Ledger:\n    """Holds what was sold."""\n\n    def __init__(self):\n        self.lines = []\n\n'
        '    def post(self, amount):\n        """Add a sale to the day."""\n        return self._sum(amount)\n\n'
        "    def _sum(self, amount):\n        return amount\n"
    ),
    "till/api.py": (
        "from till import core\n\n\nclass Ledger(core.Ledger):\n    def close(self):\n        return self.post(0)\n\n\n"
        "class Drawer(dict):\n    pass\n\n\n"
        "def opened():\n    ledger = Ledger()\n    ledger.post(1)\n    return ledger\n"
    ),
    "till/shelf/stock.py": '"""Counts what is left."""\n\n\ndef count():\n    return 0\n',
    "examples/day.py": "from till.core import Ledger\n\n\ndef main():\n    Ledger().post(2)\n",
    "tests/test_api.py": "from till.core import Ledger\n\n\ndef test_post():\n    assert Ledger().post(1)\n",
}


async def _drafts(snapshot: Snapshot, question: str, stage: Stage | None = None) -> Sequence[Draft]:
    task = task_of(question, Mode.CONCEPTUAL)
    return (await (stage or Named()).run(Context(), snapshot, task, OrderJudge())).drafts


def _lists(drafts: Sequence[Draft]) -> list[UserList]:
    return [each.users for each in drafts if each.users]


async def test_a_class_is_told_by_its_documentation_its_members_and_its_users(snapshot: Snapshot) -> None:
    """Private members and examples are left out; one of its name that extends it is no other definition."""
    drafts = await _drafts(snapshot, "What does Ledger do?")
    held, used = _lists(drafts)

    assert drafts[0].text == "class Ledger\n\nHolds what was sold.\n"
    assert (held.relation, held.definition and held.definition.path) == (Relation.HOLDS, "till/core.py")
    assert [(each.name, each.through) for each in held.listed] == [("Ledger.post", "Add a sale to the day")]
    assert held.notes == ("is extended by `Ledger`",)
    assert held.unsure == ()
    assert "main" not in [each.name for each in used.listed]
    assert used.in_tests == 1


async def test_bases_of_other_packages_are_told(snapshot: Snapshot) -> None:
    """By their names, of a class that holds nothing."""
    (held,) = _lists(await _drafts(snapshot, "What is Drawer?"))

    assert (held.listed, held.notes) == ((), ("extends `builtins.dict`",))


async def test_a_function_is_told_by_what_it_calls(snapshot: Snapshot) -> None:
    """One without documentation, too."""
    called = _lists(await _drafts(snapshot, "What does opened do?"))[0]

    assert called.relation is Relation.CALLEES
    assert "Ledger.post" in [each.name for each in called.listed]


async def test_a_plain_word_may_be_a_class(snapshot: Snapshot) -> None:
    """And a name that no definition bears a folder."""
    drawer = _lists(await _drafts(snapshot, "What is a drawer?"))
    shelf = _lists(await _drafts(snapshot, "What is shelf?"))

    assert drawer[0].name == "Drawer"
    assert [each.name for each in shelf[0].listed] == ["till/shelf/stock.py"]


async def test_each_place_of_a_name_is_drafted_where_places_are_asked_for(snapshot: Snapshot) -> None:
    """Members and users are not."""
    drafts = await _drafts(snapshot, "Where is Ledger defined?")

    assert [each.span.path for each in drafts if each.span] == ["till/core.py", "till/api.py"]
    assert _lists(drafts) == []


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("What is till-books?", True),
        ("What does Till Books do?", True),
        ("What is shop?", True),
        ("What is Ledger?", False),
    ],
)
async def test_a_project_is_told_by_its_name(snapshot: Snapshot, question: str, is_told: bool) -> None:
    """That of its manifest, of its README, or of the repository, however it is written."""
    drafts = await _drafts(snapshot, question, Overview())
    told = [each for each in drafts if not each.users]

    assert [each.text for each in told] == ["Till Books keeps the books of a shop in plain text files.\n"] * is_told
    assert all(each.described for each in told)
    assert [each.users.relation for each in drafts if each.users] == [Relation.HOLDS, Relation.BEGINS] * is_told
