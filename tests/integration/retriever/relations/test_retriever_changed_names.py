"""Who would break if something changed, also where calls could not be resolved; and frames that name a package."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from common.core.contract.question import StackFrame
from retriever.adapters.snapshots.store import FolderSnapshots
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.locating.frames import find_frame
from retriever.usecases.stages.relations.users import Users
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of
from tests.fakes.served_snapshots import Served
from tests.fakes.snapshot_builder import SnapshotBuilder
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from pathlib import Path

    from retriever.ports import Snapshot

_BANK = """\
class Bank:
    def ask(self):
        return 1

    def give_back(self):
        return 0


class Box:
    def give_back(self):
        return 2
"""
_SOURCE = {
    "shop/bank.py": _BANK,
    "shop/cart.py": "def pay(bank):\n    # give_back() is for later\n    return bank.give_back()\n",
    "shop/plain.py": "class Plain:\n    def give(self):\n        return 1\n",
    "shop/other.py": "def other(shop):\n    return shop.give()\n",
}


def _store(data: Path, built: SnapshotBuilder) -> FolderSnapshots:
    built.publish(data, "shop")
    return Served(data).store


async def _listed(snapshot: Snapshot, question: str) -> list[str]:
    context = await Users().run(Context(), snapshot, task_of(question, Mode.ANALYTICAL), OrderJudge())
    return [draft.text for draft in context.drafts]


async def test_who_uses_members_uses_their_class(tmp_path: Path) -> None:
    """Nobody needs to name the class of what is handed to it."""
    built = SnapshotBuilder()
    for path, source in _SOURCE.items():
        built.python(path, source)
    built.calls("shop/cart.py::pay", "shop/bank.py::Bank.ask", line=3)
    async with _store(tmp_path, built).open("shop", "") as snapshot:
        listed = await _listed(snapshot, "What would break if I change Bank?")

        assert listed == [
            "Bank (shop/bank.py:1) is used by 1\n- pay (shop/cart.py:1) at line 3\n",
            "Bank (shop/bank.py:1) is tested by 0\n",
        ]


async def test_who_writes_the_name_is_told_where_nobody_is_known_to_use_it() -> None:
    """Comments aside; a plain word is said of many things."""
    snapshot = opened_tree(_SOURCE).snapshot

    listed = await _listed(snapshot, "Is it safe to rename Bank.give_back?")
    plain = await _listed(snapshot, "What would break if I remove `Plain.give`?")

    told = "? pay (shop/cart.py:1) at line 3 has the name, of what is not resolved"
    assert listed == [
        f"Bank.give_back (shop/bank.py:5) is used by 0\n{told}\n",
        "Bank.give_back (shop/bank.py:5) is tested by 0\n",
    ]
    assert all("?" not in each for each in plain)


async def test_who_calls_it_on_something_unknown_is_told_beside_those_who_are_known() -> None:
    """Calls that are resolved to something else of the name are theirs."""
    more = {
        "shop/sure.py": "from shop.bank import Bank, Box\n\n\ndef sure():\n    return Bank().give_back()\n\n\n"
        "def other():\n    return Box().give_back()\n"
    }
    snapshot = opened_tree(_SOURCE | more).snapshot

    listed = await _listed(snapshot, "Who calls Bank.give_back?")

    told = "- sure (shop/sure.py:4) at line 5\n? pay (shop/cart.py:1) at line 3 has the name, of what is not resolved"
    assert listed == [f"Bank.give_back (shop/bank.py:5) is called by 1\n{told}\n"]


async def test_the_package_of_a_frame_tells_files_of_one_name(tmp_path: Path) -> None:
    """Java names the file without its folder; two services may have a class of one name."""
    built = SnapshotBuilder()
    for service in ("writer", "reader"):
        built.python(f"src/{service}/main/bank/{service}/Ledger.java", "def book():\n    return 1\n")
    frame = StackFrame("Ledger.java", 2, "bank.reader.Ledger.book", "java")
    async with _store(tmp_path, built).open("shop", "") as snapshot:
        found = find_frame(snapshot, frame)

        assert found is not None
        assert found.path == "src/reader/main/bank/reader/Ledger.java"


@pytest.mark.parametrize(
    ("path", "line", "function", "found"),
    [
        ("/app/main.py", 2, "run", "tool/main.py"),
        ("/app/main.py", 9, "run", ""),
        ("/app/main.py", 2, "start", ""),
        ("/app/main.py", 2, "", ""),
        ("/usr/lib/python3/site-packages/tool/main.py", 9, "run", "tool/main.py"),
        ("main.py", 9, "run", "tool/main.py"),
        ("/app/bank.py", 9, "pay", "src/bank.py"),
    ],
)
async def test_a_file_of_that_name_in_another_folder_may_be_anybodys(
    tmp_path: Path, path: str, line: int, function: str, found: str
) -> None:
    """Traces begin in code of who uses a library; only a function of that name at that line is this one then."""
    built = SnapshotBuilder().python("tool/main.py", "def run():\n    return 1\n")
    built.python("src/bank.py", "def pay():\n    return 1\n")
    async with _store(tmp_path, built).open("shop", "") as snapshot:
        symbol = find_frame(snapshot, StackFrame(path, line, function, "python"))

        assert (symbol.path if symbol else "") == found
