"""Who calls, extends or uses what a question names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from common.core.contract.question import Anchors
from retriever.adapters.snapshots.store import FolderSnapshots
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.behaviour.entry_points import EntryPoints
from retriever.usecases.stages.relations.users import Users
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of
from tests.fakes.served_snapshots import Served
from tests.fakes.snapshot_builder import SnapshotBuilder
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from pathlib import Path

_BANK = """\
class Bank:
    def __init__(self):
        pass

    def ask(self):
        return 1


def lonely():
    pass
"""
_SOURCE = {
    "shop/bank.py": _BANK,
    "shop/cart.py": "def pay(bank):\n    return bank.ask()\n\n\ndef open_bank():\n    return Bank()\n",
    "examples/show.py": "def show(bank):\n    return bank.ask()\n",
    "tests/test_bank.py": "def test_ask(bank):\n    assert bank.ask()\n",
}


def _store(data: Path) -> FolderSnapshots:
    built = SnapshotBuilder()
    for path, text in _SOURCE.items():
        built.python(path, text, is_test=path.startswith("tests"))
    built.calls("examples/show.py::show", "shop/bank.py::Bank.ask", line=2)
    built.calls("shop/cart.py::pay", "shop/bank.py::Bank.ask", line=2)
    built.calls("tests/test_bank.py::test_ask", "shop/bank.py::Bank.ask", line=2)
    built.calls("shop/cart.py::open_bank", "shop/bank.py::Bank.__init__", line=6)
    built.publish(data, "shop")
    return Served(data).store


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "What calls Bank.ask?",
            (
                "Bank.ask (shop/bank.py:5) is called by 2\n- pay (shop/cart.py:1) at line 2\n"
                "- show (examples/show.py:1) at line 2\nand 1 in tests\n"
            ),
        ),
        (
            "Where is Bank used?",
            "Bank (shop/bank.py:1) is used by 1\n- open_bank (shop/cart.py:5) at line 6\n",
        ),
        (
            "What calls vanish or ask on Bank?",
            (
                "Bank.ask (shop/bank.py:5) is called by 2\n- pay (shop/cart.py:1) at line 2\n"
                "- show (examples/show.py:1) at line 2\nand 1 in tests\n"
            ),
        ),
        ("Who calls lonely?", "lonely (shop/bank.py:9) is called by 0\n"),
    ],
)
async def test_users_are_listed_with_the_places_of_use(tmp_path: Path, question: str, text: str) -> None:
    """The code itself comes before examples, tests are counted, who makes an object uses its class; no flow starts."""
    store = _store(tmp_path)
    task = task_of(question, Mode.EXPLORATORY)
    async with store.open("shop", "") as snapshot:
        context = await Users().run(Context(), snapshot, task, OrderJudge())
        entries = await EntryPoints().run(context, snapshot, task, OrderJudge())

        assert [draft.text for draft in context.drafts] == [text]
        assert entries.candidates == context.candidates


@pytest.mark.parametrize(("meant", "told"), [(("Bank.ask",), 1), ((), 0), (("Bank.ask", "pay"), 0)])
async def test_it_is_what_the_session_knows_to_be_meant(tmp_path: Path, meant: tuple[str, ...], told: int) -> None:
    """Of several names, or of none, nobody knows which."""
    task = task_of("who calls it?", Mode.EXPLORATORY, Anchors(symbols=meant))
    async with _store(tmp_path).open("shop", "") as snapshot:
        context = await Users().run(Context(), snapshot, task, OrderJudge())

        assert [draft.text.startswith("Bank.ask ") for draft in context.drafts] == [True] * told


async def test_nothing_is_listed_for_a_name_that_is_unknown(tmp_path: Path) -> None:
    """The search goes on as for any question."""
    async with _store(tmp_path).open("shop", "") as snapshot:
        context = await Users().run(Context(), snapshot, task_of("What calls vanish?", Mode.EXPLORATORY), OrderJudge())

        assert (context.drafts, context.candidates) == ((), ())


_NESTED = {
    "app.py": "class Blueprint:\n    def register(self):\n        pass\n\n\nclass Request:\n    blueprint = None\n",
    "tests/test_app.py": (
        "from app import Blueprint, Request\n\n\n"
        "def test_nested_blueprint():\n    assert Blueprint().register()\n\n\n"
        "def test_blueprint_name():\n    assert Blueprint()\n\n\n"
        "def test_request():\n    assert Request.blueprint is None\n"
    ),
}


@pytest.mark.parametrize(
    ("question", "named_after"),
    [
        ("which test makes sure that a blueprint can be nested?", ["test_nested_blueprint"]),
        ("which tests cover Blueprint.register?", []),
    ],
)
async def test_tests_of_a_behaviour_are_told_by_its_words(question: str, named_after: list[str]) -> None:
    """A name in code has the tests that use it."""
    context = await Users().run(
        Context(), opened_tree(_NESTED).snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge()
    )
    (users,) = [each.users for each in context.drafts if each.users]

    assert [each.name for each in users.named_after] == named_after
    assert bool(users.listed) is not bool(named_after)
