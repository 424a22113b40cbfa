"""Who tests, implements, overrides, sets, raises, catches and imports what a question names, in several languages."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from common.core.contract.question import Anchors
from retriever.adapters.snapshots.opening import OpenSnapshot
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.context import Context
from retriever.usecases.stages.relations.between import Between
from retriever.usecases.stages.relations.users import Users
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of

_BANK = """\
class Refusal(Exception):
    pass


class Bank:
    def __init__(self):
        self.balance = 0

    def ask(self, amount):
        if amount > self.balance:
            raise Refusal("not that much")
        self.take(amount)
        print(amount)

    def take(self, amount):
        self.balance -= amount


def overdrawn():
    return Overdraft("too much")


class Overdraft(Exception):
    pass


class Chain(Bank):
    def take(self, amount):
        self.balance = 0


    def lend(self):
        if self.balance:
            raise overdrawn()
        raise Refusal


def quiet_bank():
    return Bank()
"""
_DESK = """\
import stampbox.ink
from shop.bank import (
    Bank,
    Refusal,
)


def serve(bank: Bank):
    try:
        bank.ask(3)
    except (
        ValueError,
        Refusal,
    ):
        return None


def lend(desk):
    desk.balance = 3


stampbox: object = stampbox
"""
_STORE = """\
package store

type Storer interface {
	Get(key string) (string, error)
	Put(key, value string)
}

type base struct{}

func (b *base) Get(key string) (string, error) { return key, nil }

type Disk struct {
	base
}
"""
_MEMORY = """\
package store

import "example.org/cloud"

func (d *Disk) Put(key, value string) { }

type Memory struct{ size int }

func (m *Memory) Get(key string) (string, error) { return "", nil }
func (m *Memory) Put(key, value string)          { m.size = 1 }

type Reader struct{}

func (r Reader) Get(key string) (string, error) { return "", nil }
func (r Reader) Put(key string)                 { }

type Remote struct{ *cloud.Bucket }

func (r Remote) Get(key string) (string, error) { return "", nil }
"""
_PAPER = """\
class IPaper: ...


@implementer(IPaper)
class Paper:
    def seal(self): ...


class Letter(Paper):
    def seal(self): ...


class Stone:
    def seal(self): ...


def seal(paper): ...
"""
FILES = {
    "shop/paper.py": _PAPER,
    "examples/show.py": "from shop.paper import Letter\n\n\nclass Shown(Letter):\n    def seal(self): ...\n",
    "shop/__init__.py": "",
    "shop/bank.py": _BANK,
    "shop/desk.py": _DESK,
    "requirements/base.txt": "# ours\nstampbox==2\n",
    "shop/late.py": "from shop.bank import Overdraft\n\n\ndef late():\n    raise Overdraft\n",
    "shop/till.js": (
        "function count(notes, done) {\n  if (notes.torn) done(new TornNote(notes))\n  log(new Date())\n}\n"
        "function isTorn(error) {\n  return error instanceof TornNote\n}\n"
    ),
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["stampbox>=2"]\n',
    "tests/test_bank.py": (
        "from shop.bank import Bank\n\n\ndef test_refusal():\n    Bank().ask(4)\n\n\n"
        "def test_quiet_bank_is_silent():\n    assert True\n"
    ),
    "go.mod": "module example.com/depot\n",
    "store/store.go": _STORE,
    "store/memory.go": _MEMORY,
    "main.go": 'package main\n\nimport (\n\t"example.com/depot/store"\n)\n\nfunc main() { store.Open() }\n',
    "dev-requirements.txt": "quill\n",
    "cmd/tool.go": 'package main\n\nimport (\n\t"quill"\n\n\t_ "nib/steel" // hard\n)\n',
    "src/count.rs": "pub fn up(ink_tally: &mut u32) {\n    *ink_tally += 1;\n}\n",
    "spool.c": (
        "static int ink_left;\nvoid spend(void)\n{\n    --ink_left;\n}\n"
        "/*\n * ink_left = 0 is empty\n */\nvoid none(void);\n"
    ),
    "src/shape.rs": "pub trait Shape {\n    fn area(&self) -> u32;\n}\n\npub struct Square;\n",
    "src/square.rs": (
        "use crate::shape::{Shape, Square};\n\nimpl Shape for Square {\n    fn area(&self) -> u32 { 4 }\n}\n"
    ),
    "net.c": "struct conn { int flags; };\n\nvoid conn_open(struct conn *c) {\n    c->flags |= 1;\n}\n"
    "\nint conn_is_open(struct conn *c) {\n    return c->flags == 1;\n}\n",
    "protos/notary.proto": "service Notary {\n  rpc Witness(Deed) returns (Mark);\n  rpc Burn(Deed) returns (A);\n}\n",
    "shop/notary.py": (
        "from gen import notary_pb2_grpc\n\n\nclass Clerk(notary_pb2_grpc.NotaryServicer):\n"
        "    def Witness(self, request, context): ...\n"
    ),
}

LISTS = tomllib.loads((Path(__file__).parents[3] / "golden" / "lists.toml").read_text(encoding="utf-8"))["list"]


async def _told(opened: OpenSnapshot, question: str, mode: Mode = Mode.CONCEPTUAL) -> list[str]:
    context = await Users().run(Context(), opened.snapshot, task_of(question, mode), OrderJudge())
    return [draft.text for draft in context.drafts]


@pytest.mark.parametrize("asked", LISTS, ids=lambda asked: asked["question"])
async def test_those_who_have_to_do_with_a_thing_are_listed(opened: OpenSnapshot, asked: dict[str, str]) -> None:
    """By edges where there are some, else by facts and text; a type of Go needs all methods with their parameters."""
    assert await _told(opened, asked["question"]) == [asked["text"]]


async def test_two_questions_in_one_get_a_list_each(opened: OpenSnapshot) -> None:
    """What "it" is was said before."""
    raised, caught = await _told(opened, "Where is Refusal raised and who catches it?", Mode.DIAGNOSTIC)

    assert raised.startswith("Refusal is raised by 2\n")
    assert caught.startswith("Refusal is caught by 1\n")


async def test_a_name_spelled_nearly_alike_is_taken_if_there_is_one(opened: OpenSnapshot) -> None:
    """The list has the name as it is."""
    (told,) = await _told(opened, "Who calls quiet_bnk or conn_is_opn?")

    assert told.startswith(("quiet_bank", "conn_is_open"))


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("Why does ask fail, and who uses Bank?", []),
        ("It was late when we saw it. " * 8 + "Who calls quiet_bank?", ["What quiet_bank is called by"]),
    ],
)
async def test_a_diagnosis_is_told_by_what_failed(opened: OpenSnapshot, question: str, titles: list[str]) -> None:
    """Not by everyone who uses a thing; a story before a question does not hide what that asks."""
    task = task_of(question, Mode.DIAGNOSTIC, Anchors())
    context = await Users().run(Context(), opened.snapshot, task, OrderJudge())

    assert [each.title for each in context.drafts] == titles


async def test_nothing_is_listed_of_what_is_no_name_of_state(opened: OpenSnapshot) -> None:
    """Verbs of change are said of much that no code holds."""
    assert await _told(opened, "Who changes the weather?") == []


async def test_of_methods_of_one_name_the_topmost_that_others_override_is_meant(opened: OpenSnapshot) -> None:
    """Whatever ranks best; a function of the name overrides nothing."""
    (told,) = await _told(opened, "What overrides seal?")

    assert told == (
        "Paper.seal (shop/paper.py:6) is overridden by 2\n- Letter.seal (shop/paper.py:10) at line 10\n"
        "- Shown.seal (examples/show.py:5) at line 5\n"
    )


async def test_what_a_decorator_declares_is_an_implementation(opened: OpenSnapshot) -> None:
    """As those who write interfaces for Python do."""
    (told,) = await _told(opened, "What implements IPaper?")

    assert told == "IPaper (shop/paper.py:1) is implemented by 1\n- Paper (shop/paper.py:4) at line 4\n"


async def test_what_a_part_is_said_to_depend_on_may_be_a_package_of_others(opened: OpenSnapshot) -> None:
    """Who imports it answers that, and nobody does here."""
    task = task_of("Does shop depend on leftpad?", Mode.CONCEPTUAL)
    (draft,) = (await Between().run(Context(), opened.snapshot, task, OrderJudge())).drafts

    assert draft.text == "leftpad is imported by 0\n"
