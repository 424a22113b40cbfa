"""Claims about methods and attributes of classes: what an instance runs, whose state is changed, what is looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import evidence_pb2

if TYPE_CHECKING:
    from tests.fakes.retrieving import Stub

FILES = {
    "app/shelves.py": (
        "from functools import singledispatch\n\n\n"
        "class Shut(Exception):\n    pass\n\n\nclass Torn(Shut):\n    pass\n\n\n"
        "class Sheet:\n    def tear(self):\n        self.torn = True\n        raise Torn\n\n"
        "    def fold(self):\n        self.tear()\n\n    @property\n    def area(self):\n        raise Torn\n\n\n"
        "class Label:\n    def __init__(self):\n        self.width = 1\n\n\n"
        "class Shelf:\n    def __init__(self, kind):\n        self.kind = kind\n\n"
        "    def fill(self):\n        sheet = Sheet()\n        sheet.label = Label()\n\n"
        "    def empty(self, sheet):\n        # Of the vars of a sheet, none is kept.\n        sheet.fold()\n\n"
        "    def keep(self, sheet: Sheet) -> None:\n        return None\n\n"
        "    def measure(self):\n        return Sheet().area\n\n    def drop(self):\n        raise Shut\n\n"
        "    def pile(self):\n        pile = self.made()\n        pile.depth = 1\n\n"
        "    def prepare(self, sheet):\n        sheet.mark = None\n\n"
        "    def __exit__(self, reason, trace):\n        return None\n\n\n"
        "class Rack(Shelf):\n    def lift(self):\n        self.fill()\n        self.height = 2\n\n"
        "    def rest(self):\n        self.lift()\n\n\n"
        "class Ladder:\n    operator = '+'\n\n    def peek(self):\n        return getattr(self, 'kind', None)\n\n"
        "    def read(self, name):\n        return getattr(self, name)\n\n"
        "    def write(self, name):\n        setattr(self, name, 1)\n\n\n"
        "def go():\n    return 1\n\n\ndef split():\n    raise Torn\n\n\nsplit = singledispatch(split)\n"
    ),
    "app/splits.py": "def split():\n    return 2\n",
    "app/late.py": (
        "def start():\n    return middle()\n\n\n"
        "def middle():\n    def run(task):\n        if task:\n            from app.shelves import split\n\n"
        "            task = split(task)\n        return task\n\n    return run(1)\n"
    ),
}


async def _verdict(stub: Stub, kind: str, subject: str, object_: str = "") -> str:
    claim = evidence_pb2.Claim(kind=evidence_pb2.ClaimKind.Value(f"CLAIM_KIND_{kind}"), subject=subject, object=object_)
    response = await stub.CheckClaims(retriever_pb2.CheckClaimsRequest(repository="shop", claims=[claim]))
    return evidence_pb2.ClaimVerdict.Name(response.claims[0].verdict).removeprefix("CLAIM_VERDICT_")


@pytest.mark.parametrize(
    ("function", "verdict"),
    [
        ("Sheet.fold", "UNCHECKABLE"),
        ("Shelf.empty", "UNCHECKABLE"),
        ("Shelf.measure", "UNCHECKABLE"),
        ("Shelf.fill", "CONTRADICTED"),
        ("Shelf.keep", "CONTRADICTED"),
        ("start", "UNCHECKABLE"),
    ],
)
async def test_of_a_class_that_code_uses_only_what_it_names_may_run(stub: Stub, function: str, verdict: str) -> None:
    """
    An instance, or a parameter of the type, runs no method that nobody calls and no property that nobody reads.

    A function that the index does not resolve is one of its name.
    """
    assert await _verdict(stub, "RAISES", function, "Torn") == verdict


@pytest.mark.parametrize(("exception", "verdict"), [("Shut", "VERIFIED"), ("Torn", "CONTRADICTED")])
async def test_a_raise_of_a_class_makes_none_of_its_subclasses(stub: Stub, exception: str, verdict: str) -> None:
    """Classes of the code are made by their own name."""
    assert await _verdict(stub, "RAISES", "Shelf.drop", exception) == verdict


@pytest.mark.parametrize(
    ("function", "attribute", "verdict"),
    [
        ("Shelf.fill", "self.width", "CONTRADICTED"),
        ("Shelf.fill", "width", "UNCHECKABLE"),
        ("Rack.rest", "self.height", "UNCHECKABLE"),
        ("Rack.rest", "self.label", "UNCHECKABLE"),
        ("Shelf.fill", "self.height", "CONTRADICTED"),
        ("Ladder.read", "self.width", "CONTRADICTED"),
        ("Ladder.write", "self.width", "UNCHECKABLE"),
    ],
)
async def test_state_of_the_object_is_changed_by_its_own_classes(
    stub: Stub, function: str, attribute: str, verdict: str
) -> None:
    """The constructor of another class sets its own attribute; a variable, or a name made at run time, may be any."""
    assert await _verdict(stub, "MUTATES", function, attribute) == verdict


@pytest.mark.parametrize(
    ("function", "verdict"),
    [("Ladder.peek", "CONTRADICTED"), ("Shelf.empty", "CONTRADICTED"), ("Ladder.read", "UNCHECKABLE")],
)
async def test_only_a_name_that_is_made_at_run_time_may_be_any(stub: Stub, function: str, verdict: str) -> None:
    """A look-up of a fixed name leads there alone, and words of comments look nothing up."""
    assert await _verdict(stub, "CALLS", function, "go") == verdict


@pytest.mark.parametrize(
    ("member", "verdict"),
    [
        ("Sheet.label", "UNCHECKABLE"),
        ("Shelf.label", "CONTRADICTED"),
        ("Shelf.mark", "CONTRADICTED"),
        ("Shelf.depth", "UNCHECKABLE"),
        ("Shelf.kind", "VERIFIED"),
        ("Shelf.trace", "CONTRADICTED"),
    ],
)
async def test_what_is_set_of_a_variable_belongs_to_the_class_that_has_its_name(
    stub: Stub, member: str, verdict: str
) -> None:
    """Where no class has it, it may be of the class around; a parameter is kept by constructors alone."""
    assert await _verdict(stub, "EXISTS", member) == verdict


async def test_a_name_that_means_an_operator_of_another_language_may_be_called(stub: Stub) -> None:
    """`operator()` is a function of C++, and elsewhere a call of `operator`."""
    assert await _verdict(stub, "EXISTS", "Ladder.operator()") == "VERIFIED"
    assert await _verdict(stub, "EXISTS", "Sheet.operator()") == "CONTRADICTED"
