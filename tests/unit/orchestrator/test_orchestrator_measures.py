"""Answers about measures that only some questions ask for, and about two things side by side."""

from __future__ import annotations

import pytest

from orchestrator.domain.evidence import Evidence, EvidenceKind, Span, SymbolKind, SymbolRef
from orchestrator.domain.question import Classification, Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer

_NUMBERS = """\
Structure of the whole repository

Coupling (module: uses others, is used by others):
- core: 3, 4

Circular dependencies between modules: 0
Circular dependencies between folders: {folders}
{circle}Circular dependencies between files: {files}

God functions (more than 15 callees): 0

Hotspots (more than 20 callers): 0
"""
_BANK = SymbolRef("bank.py", "Bank", SymbolKind.CLASS, 3, 90)
_LEND = SymbolRef("bank.py", "Bank.lend", SymbolKind.METHOD, 5, 8)
_TAKE = SymbolRef("bank.py", "Bank.take", SymbolKind.METHOD, 10, 12)


def measures(text: str, *mentions: SymbolRef, name: str = "numbers") -> Evidence:
    """Return measures as the retriever drafts them."""
    return Evidence(name, EvidenceKind.METRICS, text=text, mentions=mentions)


def numbers(folders: int = 0, circle: str = "", files: int = 0) -> Evidence:
    """Return the measures of every analytical question."""
    return measures(_NUMBERS.format(folders=folders, circle=circle, files=files))


def answer(question: str, *evidence: Evidence, mode: Mode = Mode.ANALYTICAL) -> str:
    """Return what is written."""
    return "".join(write_answer(Material(question, Classification(mode), label_evidence(evidence), ())))


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        (
            numbers(1, "- core/a <-> core/b\n", 2),
            (
                "There is 1 circle of dependencies between the folders of the whole repository: core/a <-> core/b."
                " Between modules there is none."
            ),
        ),
        (
            numbers(),
            "No circular dependencies between the modules, folders and files of the whole repository were found.",
        ),
    ],
)
def test_circles_are_told_of_the_coarsest_level_that_has_any(shown: Evidence, told: str) -> None:
    """Modules may be too coarse to show one; that there is none is said of all that was measured."""
    assert answer("Is there a cycle between packages?", shown).startswith(told)


def test_what_is_largest_is_said_with_its_lines() -> None:
    """Where the list is there; else what calls most."""
    sizes = measures("Largest classes: 1\n- Bank (bank.py:3): 88 lines\n", _BANK, name="sizes")

    told = answer("What is the biggest class?", numbers(), sizes)
    without = answer("What is the biggest class?", numbers())

    assert told.startswith("Most lines in the whole repository have `Bank` (88 lines) [E2:Bank].\n")
    assert without.startswith("None of the functions of the whole repository stands out")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Unused and private: 1\n- Bank.lend (bank.py:5)\n\nUnused here, but public: 2\n- Bank.take (bank.py:10)\n",
            (
                "Nothing uses 1 private definition of the whole repository: `Bank.lend` [E2:Bank.lend]."
                " Nothing here uses 2 public definitions: `Bank.take` [E2:Bank.take]. Others may use what is public"
            ),
        ),
        (
            "Unused and private: 0\n\nUnused here, but public: 0\n",
            "Every definition in the whole repository is used by code of it, or may be used by others",
        ),
    ],
)
def test_code_without_users_is_named(text: str, told: str) -> None:
    """Private first: of public code nobody knows who uses it. It is no guess, though no word of it is in the code."""
    unused = measures(text, _LEND, _TAKE, name="unused")

    assert answer("Which functions are never called?", numbers(), unused).startswith(told)


@pytest.mark.parametrize(
    ("there", "back", "told"),
    [
        (3, 2, "`core/` uses `web/` 3 times, and is used by it 2 times: they depend on each other, in a circle."),
        (0, 2, "`web/` uses `core/` 2 times, and `core/` does not use `web/`: that is no circle."),
        (0, 0, "Neither of `core/` and `web/` uses the other, as far as the index knows."),
    ],
)
def test_two_parts_are_told_both_ways(there: int, back: int, told: str) -> None:
    """Whatever else is measured."""
    text = f"Between core/ and web/\nUses of web/ by core/: {there}\nUses of core/ by web/: {back}\n"

    assert answer("Are there cycles between core and web?", numbers(), measures(text, name="parts")).startswith(told)


def test_the_lines_of_both_are_quoted_where_two_are_compared() -> None:
    """Short bodies as a whole: what they say of themselves may be the same."""
    lend = Evidence(
        "lend",
        EvidenceKind.SOURCE,
        span=_LEND.span,
        symbol=_LEND,
        text='    def lend(self):\n        """Give it. {@inheritDoc}"""\n        self.ask()\n        self.give()\n',
    )
    take = Evidence(
        "take",
        EvidenceKind.SOURCE,
        span=_TAKE.span,
        symbol=_TAKE,
        text='    def take(self):\n        """{@inheritDoc}"""\n        self.grab()\n',
    )

    told = answer("lend vs take", lend, take, mode=Mode.CONCEPTUAL)

    assert "`Bank.lend` — Give it.\n" in told.replace(" [E1]", "")
    assert "The lines of `Bank.lend` that matter: [E1]" in told
    assert "        self.ask()\n        self.give()\n" in told
    assert "        self.grab()\n" in told
    assert "inheritDoc" not in told


def test_what_describes_one_thing_is_answered_by_it() -> None:
    """Also where its words measure something; the numbers come after. Who asks which wants them first."""
    lend = Evidence(
        "l", EvidenceKind.SOURCE, span=Span("bank.py", 5, 6), symbol=_LEND, reason="matches the question",
        text='    def lend(self):\n        """Lend money to a customer who never repaid a loan."""\n',
    )  # fmt: skip
    asked = "does the bank lend money to a customer that never repaid an earlier loan with interest?"

    told = answer(f"Why {asked}", numbers(), lend)

    assert told.startswith("`Bank.lend` — Lend money to a customer who never repaid a loan. [E2]")
    assert "Where it shows" not in told
    assert told.index("Structure of the whole repository") > 0
    assert "Where it shows" in answer(f"Which function {asked}", numbers(), lend)
