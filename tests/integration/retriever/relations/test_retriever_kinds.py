"""Which type stands for a kind of thing, over a small indexed repository."""

from __future__ import annotations

import pytest

from retriever.adapters.snapshots.opening import OpenSnapshot
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.relations.extending import Extending
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of
from tests.integration.retriever.opened_tree import opened_tree

FILES = {
    "tools/stamp.py": "class Stamp: ...\nclass Red(Stamp): ...\nclass Blue(Stamp): ...\nclass Green(Stamp): ...\n",
    "examples/letter.py": "class Letter: ...\n" + "".join(f"class {name}(Letter): ...\n" for name in "ABC"),
    "shop/letter.py": "class Letter: ...\n" + "".join(f"class {name}(Letter): ...\n" for name in "DEF"),
    "shop/till.py": "class BaseTill: ...\nclass Coins(BaseTill): ...\nclass Notes(BaseTill): ...\n",
    "shop/desk.py": (
        "from abc import ABCMeta\n\n\nclass Desk(metaclass=ABCMeta): ...\nclass Oak(Desk): ...\nclass Ash(Desk): ...\n"
    ),
    "shop/seal.py": (
        "def marked(*args, path=None):\n    def decorator(cls):\n        cls.path = path\n        return cls\n\n"
        "    if not args:\n        return decorator\n    return decorator(*args)\n\n\n@marked\nclass Seal: ...\n"
        + "".join(f"@marked\nclass {name}(Seal): ...\n" for name in ("Wax", "Lead", "Ink"))
    ),
    "shop/clerks.py": "class NightClerk: ...\nclass DayClerk: ...\nclass ClerkDesk: ...\n",
    "shop/boys.py": "class BellClerk: ...\n",
    "shop/boys.pyi": "class BellClerk: ...\n",
    "typings/a/day.pyi": "class DayPorter: ...\nclass NightPorter: ...\nclass HallPorter: ...\n",
    "typings/b/day.pyi": "class DayPorter: ...\n",
    "shop/baskets.py": "class BaseBasket: ...\nclass Wicker(BaseBasket): ...\n",
    "shop/senders/__init__.py": "from shop.senders import post, pigeon\n",
    "shop/senders/senders.py": "def get_sender(name):\n    return name\n",
    "shop/senders/post.py": "def send(letter):\n    return letter\n",
    "shop/senders/pigeon.py": "def send(letter):\n    return letter\n",
    "shop/papers/glossy/a4.py": "def cut():\n    return 4\n",
    "shop/papers/glossy/a5.py": "def cut():\n    return 5\n",
    "tests/weighers/one.py": "def one():\n    return 1\n",
    "tests/weighers/two.py": "def two():\n    return 2\n",
    "shop/weigh.py": "def gram_weigher(): ...\ndef ounce_weigher(): ...\ndef stone_weigher(): ...\n",
    "shop/refusals.py": (
        "class BaseTillError(Exception): ...\n"
        "class CoinError(BaseTillError): ...\nclass NoteError(BaseTillError): ...\n"
        + "".join(f"class {name}Error(Exception): ...\n" for name in ("Ink", "Wax", "Lead", "Oak", "Ash"))
    ),
    "shop/door.py": "class Door: ...\nclass Front(Door): ...\nclass Back(Door): ...\n",
}


@pytest.mark.parametrize("mode", [Mode.CONCEPTUAL, Mode.DIAGNOSTIC, Mode.EXPLORATORY])
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Which stamps are there?", "Stamp (tools/stamp.py:1) is implemented by 3"),
        ("Which letters are there?", "Letter (shop/letter.py:1) is implemented by 3"),
        ("Which seals are there?", "Seal (shop/seal.py:11) is implemented by 3"),
        ("Which tills are there?", "BaseTill (shop/till.py:1) is implemented by 2"),
        ("Which desks are there?", "Desk (shop/desk.py:4) is implemented by 2"),
    ],
)
async def test_a_kind_is_the_type_that_several_are_below(
    opened: OpenSnapshot, question: str, first: str, mode: Mode
) -> None:
    """One of an example only where there is no other; two are several where the type is made for that."""
    context = await Extending().run(Context(), opened.snapshot, task_of(question, mode), OrderJudge())

    assert [draft.text.splitlines()[0] for draft in context.drafts] == [first]


async def test_two_below_a_type_like_any_other_are_no_kind(opened: OpenSnapshot) -> None:
    """It may be one of them itself."""
    task = task_of("Which doors are there?", Mode.CONCEPTUAL)

    assert (await Extending().run(Context(), opened.snapshot, task, OrderJudge())).drafts == ()


async def test_types_that_bear_the_name_of_a_kind_are_listed_where_none_is_above_them(opened: OpenSnapshot) -> None:
    """As controllers have no type in common where an annotation makes them so."""
    task = task_of("Which clerks are there?", Mode.CONCEPTUAL)

    (draft,) = (await Extending().run(Context(), opened.snapshot, task, OrderJudge())).drafts

    assert draft.text == (
        "*Clerk names 3\n- BellClerk (shop/boys.py:1)\n- NightClerk (shop/clerks.py:1)\n- DayClerk (shop/clerks.py:2)\n"
    )


async def test_what_only_stubs_declare_is_listed_once(opened: OpenSnapshot) -> None:
    """A package may have one for each of its forms."""
    task = task_of("Which porters are there?", Mode.CONCEPTUAL)

    (draft,) = (await Extending().run(Context(), opened.snapshot, task, OrderJudge())).drafts

    assert [line.split()[1] for line in draft.text.splitlines()] == ["names", "DayPorter", "NightPorter", "HallPorter"]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which baskets are there?", ["BaseBasket (shop/baskets.py:1) is implemented by 1", "- Wicker "]),
        (
            "Which senders are there?",
            ["shop/senders/* names 2", "- shop/senders/pigeon.py ", "- shop/senders/post.py "],
        ),
        (
            "Which weighers are there?",
            ["*weigher names 3", "- gram_weigher ", "- ounce_weigher ", "- stone_weigher "],
        ),
        (
            "Which glossy papers are there?",
            ["shop/papers/glossy/* names 2", "- shop/papers/glossy/a4.py ", "- shop/papers/glossy/a5.py "],
        ),
        ("How do I add a new basket?", []),
        ("Which shops are there?", []),
    ],
)
async def test_a_kind_without_a_base_is_told_by_a_folder_or_by_functions(
    opened: OpenSnapshot, question: str, told: list[str]
) -> None:
    """
    What gathers them is none of them, nor are tests; one below a type that is called so is all there are.

    The folder with most of the code is the project.
    """
    drafts = (
        await Extending().run(Context(), opened.snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge())
    ).drafts
    lines = [line for draft in drafts for line in draft.text.splitlines()]

    assert len(lines) == len(told)
    assert all(line.startswith(start) for line, start in zip(lines, told, strict=True))


@pytest.mark.parametrize("question", ["Which exceptions are there?", "Which errors can shop raise?"])
async def test_failures_of_several_bases_are_listed_by_their_names(opened: OpenSnapshot, question: str) -> None:
    """One base is that of a part of them; what the whole project raises is all of them."""
    context = await Extending().run(Context(), opened.snapshot, task_of(question, Mode.DIAGNOSTIC), OrderJudge())

    assert [draft.text.splitlines()[0] for draft in context.drafts] == ["*Error names 8"]


_DAEMON = {
    "cmd/tilld/main.go": (
        "package main\n\ntype ServeCommand struct{}\n\ntype SyncCommand struct{}\n\ntype StopCommand struct{}\n\n"
        "func main() {}\n"
    ),
    "middleware/gzip.go": "package middleware\n\nfunc Gzip() {}\n",
    "middleware/cors.go": "package middleware\n\nfunc Cors() {}\n",
}


@pytest.mark.parametrize(
    ("question", "name", "found"),
    [
        ("What subcommands does the binary have?", "*Command", ["ServeCommand", "SyncCommand", "StopCommand"]),
        ("Which middlewares are there?", "middleware/*", ["middleware/cors.go", "middleware/gzip.go"]),
        ("Which routes does the server have?", "", []),
    ],
)
async def test_what_nothing_registers_is_told_by_its_names(question: str, name: str, found: list[str]) -> None:
    """Commands by their types, and a kind by its folder, though half of the code stands there."""
    context = await Extending().run(
        Context(), opened_tree(_DAEMON).snapshot, task_of(question, Mode.CONCEPTUAL), OrderJudge()
    )
    lists = [each.users for each in context.drafts if each.users]

    assert [each.name for each in lists] == ([name] if name else [])
    assert [each.name for listed in lists for each in listed.listed] == found
