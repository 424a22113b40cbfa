"""Gaps that name what is no definition but stands in the code, and names that are spelled nearly alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cgrag.type.v1 import code_pb2, evidence_pb2

from common.core.contract.evidence import Gap, GapOutcome
from common.rpc.serving.mirroring import to_message
from retriever.domain.questions.question import Mode
from retriever.domain.tasks.gaps import read_gap
from retriever.usecases.gaps.by_name import NamedSymbol
from retriever.usecases.gaps.protocol import GapTask
from retriever.usecases.gaps.reasons import Reasons
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from retriever.domain.tasks.gaps import Match

_BANK = """\
def ask_again(total, max_tries=3):
    return total


def open_bank(conf):
    return conf.bank_door
"""
_TILL = """\
class Base:
    def __init__(self):
        self._coins = {}


class Till(Base):
    url_map: dict

    def count(self):
        return len(self._coins) + self.notes
"""
_SOURCE = {
    "shop/__init__.py": "from .till import Till as Drawer\n",
    "shop/till.py": _TILL,
    "ops/Makefile": "all:\n\techo done\n",
    "examples/show.py": "ask_again(max_tries=4)\n",
    "shop/bank.py": _BANK,
    "shop/conf.py": "LIMITS = {\n    'bank_limit': 4,\n}\n",
    "ops/rotate.awk": "# Of the Vault\nrotate_bank() {\n  echo rotated\n}\n",
    "web/page.html": '<form id="bank-form">\n</form>\n',
    "tests/test_bank.py": "def test(left_over):\n    assert left_over\n",
}


async def _ended(symbol: str) -> Match | None:
    task = GapTask("How is the bank asked?", Mode.CONCEPTUAL)
    return await Reasons().find(opened_tree(_SOURCE).snapshot, read_gap(Gap("g1", "", symbol)), task)


@pytest.mark.parametrize(
    ("symbol", "detail", "shown"),
    [
        (
            "max_tries",
            "max_tries is a parameter of ask_again (shop/bank.py:1); no definition is called so",
            "ask_again",
        ),
        ("bank_door", "bank_door is an attribute that is read in open_bank (shop/bank.py:6);", "shop/bank.py:4-6"),
        ("bank_limit", "bank_limit is a key in LIMITS (shop/conf.py:2);", "shop/conf.py:1-3"),
        ("left_over", "left_over is a text in test (tests/test_bank.py:1);", "tests/test_bank.py:1-2"),
        ("rotate_bank", "rotate_bank is a text in ops/rotate.awk:2; no definition is called so", "ops/rotate.awk:1-4"),
        ("Vault.rotate_bank", "rotate_bank is a text in ops/rotate.awk:2;", "ops/rotate.awk:1-4"),
        (
            "Till._coins",
            "Till._coins is an attribute that is set in Base.__init__ (shop/till.py:3);",
            "shop/till.py:1-5",
        ),
        ("Till.notes", "Till.notes is an attribute that is read in Till.count (shop/till.py:10);", "shop/till.py:8-10"),
        ("Till.url_map", "Till.url_map is a key in Till", "shop/till.py:5-9"),
        ("bank-form", "bank-form is a text in web/page.html:1;", "web/page.html:1-2"),
    ],
)
async def test_what_is_no_definition_is_told_as_what_it_is(symbol: str, detail: str, shown: str) -> None:
    """A parameter is shown with what takes it, anything else with the lines around it; examples come last."""
    match = await _ended(symbol)

    assert match
    assert match.outcome == GapOutcome.RESOLVED
    assert match.detail.startswith(detail)
    span = match.span
    places = [f"{span.path}:{span.start_line}-{span.end_line}"] if span else []
    assert [*places, *(each.qualified_name for each in match.symbols)] == [shown]


async def test_what_a_name_is_travels_as_data() -> None:
    """Who tells of it needs no reading of the sentence."""
    match = await _ended("bank_door")
    absent = await _ended("ask_agian")
    assert match
    assert absent

    message = to_message(match, evidence_pb2.GapResult)

    assert message.occurrence == evidence_pb2.Occurrence(
        name="bank_door",
        mention=evidence_pb2.MENTION_READ,
        within="open_bank",
        place=code_pb2.Span(path="shop/bank.py", start_line=6, end_line=6),
    )
    assert list(to_message(absent, evidence_pb2.GapResult).alike) == ["ask_again"]


@pytest.mark.parametrize(
    ("symbol", "detail"),
    [
        ("left_overs", "nothing in this repository is called left_overs"),
        ("ask_again.door", "nothing in this repository is called ask_again.door"),
        ("ask_agian", "nothing in this repository is called ask_agian; there is ask_again"),
    ],
)
async def test_what_is_nowhere_stays_absent(symbol: str, detail: str) -> None:
    """What is spelled nearly alike is told and never taken for it; a definition has no members that stand elsewhere."""
    match = await _ended(symbol)

    assert match
    assert (match.outcome, match.detail) == (GapOutcome.ABSENT, detail)


@pytest.mark.parametrize(
    ("symbol", "place"),
    [("shop.Drawer", "shop/till.py:6"), ("Makefile", "ops/Makefile"), ("rotate.awk", "ops/rotate.awk")],
)
async def test_other_names_of_what_is_there_lead_to_it(symbol: str, place: str) -> None:
    """What a package imports under another name is that; a file may be asked for as a symbol is."""
    wanted, task = read_gap(Gap("g1", "", symbol)), GapTask("", Mode.CONCEPTUAL)

    match = await NamedSymbol().find(opened_tree(_SOURCE).snapshot, wanted, task)

    assert match
    assert match.outcome == GapOutcome.RESOLVED
    assert match.detail.endswith(place)
