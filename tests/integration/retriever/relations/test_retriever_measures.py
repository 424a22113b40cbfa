"""Sizes, code without users, two parts of the code and two things compared, over a small indexed repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from common.core.contract.question import Anchors
from retriever.adapters.snapshots.opening import OpenSnapshot
from retriever.domain.questions.question import Mode, RankedSymbol, Ranking
from retriever.domain.tasks.context import Context
from retriever.usecases.evidence.scope_cache import ScopeCache
from retriever.usecases.stages.behaviour.compared import Compared
from retriever.usecases.stages.behaviour.entry_points import EntryPoints
from retriever.usecases.stages.relations.between import Between
from retriever.usecases.stages.relations.extending import Extending
from retriever.usecases.stages.relations.unused import Unused
from retriever.usecases.stages.structure.metrics import Metrics
from retriever.usecases.stages.structure.requirements import Requirements
from retriever.usecases.stages.structure.sizes import Sizes
from retriever.usecases.tasks.judging import OrderJudge
from tests.fakes.reading import task_of
from tests.integration.retriever.opened_tree import opened_tree

if TYPE_CHECKING:
    from retriever.usecases.stages.protocol import Stage

_BANK = """\
from threading import Thread

from shop.web.page import render


class Bank:
    def lend(self, amount):
        return render(self._checked(amount))

    def take(self, amount):
        return self._checked(amount)

    def _checked(self, amount):
        return amount

    def _forgotten(self):
        return "nobody asks"

    def open_late(self):
        return self.lend(0)


class Clock(Thread):
    def _bootstrap(self):
        return None


def take(bank):
    return bank


def main():
    take(Bank()).take(1)
"""
_STAMP = "class Stamp: ...\n\n\n" + "".join(f"class {name}(Stamp): ...\n" for name in ("Red", "Blue", "Green"))
FILES = {
    "inks/stamp.py": _STAMP + "class Seal: ...\nclass Lead(Seal):\n    def add_stamp(self, stamp): ...\n",
    "shop/__init__.py": "",
    "shop/core/__init__.py": "",
    "shop/core/bank.py": _BANK,
    "shop/core/teller.py": "from shop.core.bank import Bank\n\n\nclass Teller:\n    def lend(self):\n        ...\n",
    "shop/web/__init__.py": "",
    "shop/web/page.py": "def render(text):\n    return text\n\n\ndef _retired_page():\n    return None\n",
    "shop/desk/__init__.py": "",
    "shop/desk/desk.py": (
        "import shop.core.bank\nfrom inks.stamp import Blue, Green, Lead, Red\n\n\n"
        "STAMPS = [Red, Blue, Green, Lead]\nCALLED_BY_NAME = 'open_early'\nLead().add_stamp(Red)\n"
    ),
    "pyproject.toml": (
        '[project]\nname = "shop"\ndependencies = ["stampbox", "inkwell >= 2"]\n[dependency-groups]\ndev = ["pytest"]\n'
    ),
    "README.md": "# Shop\n\n`_retired_page` is gone.\n",
    "tests/test_bank.py": (
        "from shop.web.page import _retired_page\n\n\ndef test_page():\n    assert _retired_page() is None\n"
    ),
}


async def _told(opened: OpenSnapshot, stage: Stage, question: str, mode: Mode = Mode.ANALYTICAL) -> list[str]:
    context = await stage.run(Context(), opened.snapshot, task_of(question, mode), OrderJudge())
    return [draft.text for draft in context.drafts]


async def test_what_is_largest_is_listed_by_lines(opened: OpenSnapshot) -> None:
    """Files and folders by all of their lines, definitions by their own; where no size is asked for, nothing is."""
    (classes,) = await _told(opened, Sizes(), "What is the biggest class?")
    (files,) = await _told(opened, Sizes(), "What is the largest file?")
    (folders,) = await _told(opened, Sizes(), "Which are the largest packages?")

    assert classes.startswith("Largest classes: 8\n- Bank (shop/core/bank.py:6): 15 lines\n")
    assert files.startswith("Largest files: 8\n- shop/core/bank.py (shop/core/bank.py): 33 lines\n")
    assert folders.startswith("Largest folders: 5\n- shop/core (shop/core): 39 lines\n")
    assert await _told(opened, Sizes(), "What is the bank?") == []


async def test_code_that_nothing_uses_is_told_private_first(opened: OpenSnapshot) -> None:
    """Tests and prose use nothing; what a base of elsewhere may call, and what is called main, is not told."""
    (told,) = await _told(opened, Unused(), "Is there dead code?")

    assert told == (
        "Unused and private: 2\n- Bank._forgotten (shop/core/bank.py:16)\n- _retired_page (shop/web/page.py:5)\n\n"
        "Unused here, but public: 3\n- Bank.open_late (shop/core/bank.py:19)\n- Clock (shop/core/bank.py:23)\n"
        "- Teller (shop/core/teller.py:4)\n"
    )
    assert await _told(opened, Unused(), "What is the bank?") == []


async def test_what_stands_out_is_no_source_of_a_question_that_describes_one_thing(opened: OpenSnapshot) -> None:
    """It would take the place of what is asked about."""
    stage = Metrics(ScopeCache())
    found = Context(ranking=Ranking(symbols=(RankedSymbol(opened.snapshot.symbols.named("lend")[0], 1.0),)))
    at_length = "How should lending be redesigned so that amounts are checked first?"

    async def sources(context: Context, question: str) -> int:
        task = task_of(question, Mode.ANALYTICAL)
        return len((await stage.run(context, opened.snapshot, task, OrderJudge())).candidates)

    assert await sources(found, at_length) == 0
    assert await sources(found, "How well is the project structured?") > 0


async def test_two_parts_that_are_named_are_set_against_each_other(opened: OpenSnapshot) -> None:
    """Both ways; what is no part of the code is told by who imports it."""
    (told,) = await _told(opened, Between(), "Does shop/core depend on shop/web?")

    assert told.startswith("Between shop/core/ and shop/web/\nUses of shop/web/ by shop/core/: ")
    assert "- shop/core/bank.py uses shop/web/page.py " in told
    assert told.endswith("Uses of shop/core/ by shop/web/: 0\n")
    assert await _told(opened, Between(), "Does shop/core depend on shop/cellar?") == ["shop/cellar is imported by 0\n"]


async def test_what_the_project_requires_is_listed_where_it_is_asked_for(opened: OpenSnapshot) -> None:
    """With the line of each; what only its makers need comes behind."""
    (told,) = await _told(opened, Requirements(), "Which third-party packages does the shop depend on?")

    assert told == (
        "pyproject.toml requires 2\n- inkwell >=2 (pyproject.toml:3) at line 3\n"
        "- stampbox (pyproject.toml:3) at line 3\n"
        "for those who work on it: pytest\n"
    )
    assert await _told(opened, Requirements(), "What does the bank depend on?") == []


async def test_what_is_optional_is_listed_with_what_turns_it_on() -> None:
    """Behind what is required; a file that lists packages for development alone comes last."""
    files = {
        "Cargo.toml": (
            '[features]\nwet = ["dep:ink"]\ndry = []\n'
            '[dependencies]\npen = "1"\nink = {version = "2", optional = true}\n'
        ),
        "AA-requirements-dev.txt": "pytest\n",
        "src/lib.rs": "",
    }
    context = await Requirements().run(
        Context(), opened_tree(files).snapshot, task_of("Which crates does it need?", Mode.CONCEPTUAL), OrderJudge()
    )

    (first, *others) = [each.users for each in context.drafts if each.users]
    assert [(each.name, each.through) for each in first.listed] == [("pen 1", ""), ("ink 2", "optional wet")]
    assert first.notes == ("the feature `wet` turns on dep:ink", "features without further parts: `dry`")
    assert [each.name for each in others] == ["AA-requirements-dev.txt"]


async def test_what_there_is_of_a_kind_is_listed_for_who_adds_one_more(opened: OpenSnapshot) -> None:
    """Below the type that is named like it; a type with one below it is no such way."""
    (told,) = await _told(opened, Extending(), "How do I add a new stamp colour?", Mode.CONCEPTUAL)

    assert told.startswith("Stamp (inks/stamp.py:1) is implemented by 3\n- Red (inks/stamp.py:4) at line 4\n")
    assert await _told(opened, Extending(), "How do I add a new seal?", Mode.CONCEPTUAL) == []
    assert await _told(opened, Extending(), "What is a stamp?", Mode.CONCEPTUAL) == []


async def test_all_of_a_kind_are_listed_where_they_are_asked_for(opened: OpenSnapshot) -> None:
    """A name that says little of the kind is none of it."""
    (told,) = await _told(opened, Extending(), "Which stamps are there?", Mode.CONCEPTUAL)

    assert told.splitlines()[1:] == [
        "- Red (inks/stamp.py:4) at line 4",
        "- Blue (inks/stamp.py:5) at line 5",
        "- Green (inks/stamp.py:6) at line 6",
    ]
    assert await _told(opened, Extending(), "Which postage letter stamps are there?", Mode.CONCEPTUAL) == []


async def test_what_is_added_by_a_call_extends_nothing(opened: OpenSnapshot) -> None:
    """Lead takes stamps; what is called otherwise takes none."""
    assert await _told(opened, Extending(), "How do I add a new stamp to the lead?", Mode.CONCEPTUAL) == []
    assert await _told(opened, Extending(), "How do I add a new stamp to the drawer?", Mode.CONCEPTUAL)


async def test_of_two_things_compared_those_of_one_type_are_meant(opened: OpenSnapshot) -> None:
    """Others may bear the names too."""
    context = await Compared().run(
        Context(),
        opened.snapshot,
        task_of("What is the difference between take and lend?", Mode.CONCEPTUAL),
        OrderJudge(),
    )

    assert [draft.symbol.qualified_name for draft in context.drafts if draft.symbol] == ["Bank.take", "Bank.lend"]
    assert await _told(opened, Compared(), "What is the difference between take and vanish?", Mode.CONCEPTUAL) == []


async def test_a_flow_starts_where_something_is_done(opened: OpenSnapshot) -> None:
    """Not at what bears the name and calls nothing."""
    task = task_of("What happens when lend is called?", Mode.EXPLORATORY, Anchors(symbols=("lend",)))
    context = await EntryPoints().run(Context(), opened.snapshot, task, OrderJudge())

    assert [each.symbol.qualified_name for each in context.candidates] == ["Bank.lend"]
