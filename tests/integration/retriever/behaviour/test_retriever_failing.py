"""What a function can fail with: by its own lines, by what it calls, and what the whole project may raise."""

from __future__ import annotations

import pytest

from retriever.adapters.snapshots.opening import OpenSnapshot
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.relations.users import Users
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of

FILES = {
    "shop/bank.py": (
        "class Refusal(Exception): ...\n\n\n"
        "class Bank:\n"
        "    def ask(self, amount):\n"
        "        if amount:\n"
        "            raise Refusal('no')\n"
        "        self.ask_again(amount)\n\n"
        "    def ask_again(self, amount):\n"
        "        error = KeyError(amount)\n"
        "        raise error\n"
    ),
    "shop/visit.py": (
        "from shop.bank import Bank\n\n\n"
        "def shop():\n    raise LookupError('closed')\n\n\n"
        "def visit(bank: Bank):\n    bank.ask(3)\n    bank.ask(4)\n\n\n"
        "def close_up(bank: Bank):\n    visit(bank)\n    raise LookupError('a rest')\n\n\n"
        "def walk(bank: Bank):\n    close_up(bank)\n\n\n"
        "def rest():\n    return 3\n"
    ),
    "shop/order.go": (
        "package shop\n\n"
        'func Take(id string) error {\n\tlog.Printf("taking %s", id)\n\treturn check(id)\n}\n\n'
        "func check(id string) error {\n\tif id == empty {\n"
        '\t\treturn fmt.Errorf("no order %q", id)\n\t}\n\treturn nil\n}\n'
    ),
    "shop/Till.java": (
        "class Till {\n  int take() { return take(1); }\n\n"
        '  int take(int coins) {\n    throw new IllegalStateException("empty");\n  }\n}\n'
    ),
}


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "Which exceptions can visit raise?",
            [
                (
                    "visit (shop/visit.py:8) can fail in 2\n- Bank.ask (shop/bank.py:5) at line 7 through Refusal\n"
                    "- Bank.ask_again (shop/bank.py:10) at line 12 through KeyError\n"
                )
            ],
        ),
        (
            "Which exceptions can close_up raise?",
            [
                (
                    "close_up (shop/visit.py:13) can fail in 1\n"
                    "- close_up (shop/visit.py:13) at line 15 through LookupError\n"
                    "and what it calls may raise Refusal: Bank.ask, at shop/bank.py:7\n"
                )
            ],
        ),
        (
            "Which exceptions can walk raise?",
            [
                (
                    "walk (shop/visit.py:18) can fail in 1\n"
                    "- close_up (shop/visit.py:13) at line 15 through LookupError\n"
                    "and what is raised more than two calls below is not resolved\n"
                )
            ],
        ),
        ("Which exceptions can rest raise?", ["rest (shop/visit.py:22) can fail in 0\n"]),
        (
            "Which exceptions can take throw?",
            [
                (
                    "Till.take (shop/Till.java:4) can fail in 1\n"
                    "- Till.take (shop/Till.java:4) at line 5 through IllegalStateException\n"
                )
            ],
        ),
        ("Which errors can shop raise?", []),
        (
            "Which errors can Take return?",
            ['Take (shop/order.go:3) can fail in 1\n- check (shop/order.go:8) at line 10 through "no order {}"\n'],
        ),
    ],
)
async def test_what_is_raised_below_a_function_is_told(opened: OpenSnapshot, question: str, told: list[str]) -> None:
    """
    Two calls deep, as is said where calls go on, each type once.

    Of overloads who raises it counts, and the project is no function.
    """
    context = await Users().run(Context(), opened.snapshot, task_of(question, Mode.DIAGNOSTIC), OrderJudge())

    assert [draft.text for draft in context.drafts] == told
