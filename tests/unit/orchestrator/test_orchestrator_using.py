"""Answers about who has to do with something: lists as the retriever writes them, and what is not there."""

from __future__ import annotations

import pytest

from orchestrator.domain.citations import CitationNumberer, resolve_citations
from orchestrator.domain.evidence import (
    Evidence,
    EvidenceKind,
    Gap,
    GapOutcome,
    GapResult,
    SnapshotInfo,
    Span,
    SymbolKind,
    SymbolRef,
)
from orchestrator.domain.following import referent
from orchestrator.domain.question import Anchors, Classification, Mode
from orchestrator.domain.using import finds_nobody, thing_used
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import write_answer

_NONE = Anchors()
_TAKE = SymbolRef("bank.py", "Bank.take", SymbolKind.METHOD, 5, 6)
_TEST = SymbolRef("tests/test_bank.py", "", SymbolKind.MODULE, 1, 9)
_ASK = SymbolRef("bank.py", "Bank.ask", SymbolKind.METHOD, 1, 3)


def listed(relation: str, text: str, *mentions: SymbolRef) -> Evidence:
    """Return a list as the retriever drafts it."""
    return Evidence("u", EvidenceKind.FLOW, text=text, reason=f"take {relation}", mentions=mentions)


def shown(symbol: SymbolRef, text: str) -> Evidence:
    """Return the source of a symbol."""
    return Evidence(symbol.qualified_name, EvidenceKind.SOURCE, span=symbol.span, symbol=symbol, text=text)


def answer(
    question: str,
    *evidence: Evidence,
    mode: Mode = Mode.CONCEPTUAL,
    anchors: Anchors = _NONE,
    results: tuple[GapResult, ...] = (),
) -> str:
    """Return what is written."""
    return "".join(
        write_answer(Material(question, Classification(mode, anchors=anchors), label_evidence(evidence), results))
    )


def test_a_file_that_uses_something_is_cited_as_any_other_user() -> None:
    """A module has no name within itself; its label is a number."""
    text = "take (bank.py:5) is tested by 1\n- tests/test_bank.py (tests/test_bank.py:1) at line 4 through Bank.ask\n"
    users = listed("is tested by", text, _TAKE, _TEST)

    told = answer("Which tests cover take?", users)
    numberer = CitationNumberer((users,))
    numbered = numberer.feed(told) + numberer.finish()
    cited = resolve_citations(numberer.cited, (users,), SnapshotInfo())

    assert numbered.startswith("`take` is tested by `tests/test_bank.py` [1]. It stands at `bank.py:5`.\n")
    assert "- `tests/test_bank.py` [1], at `tests/test_bank.py:4`, through `Bank.ask`\n" in numbered
    assert [each.span.path for each in cited][:1] == ["tests/test_bank.py"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "take (bank.py:5) calls 1\n- Bank.ask (bank.py:1) at line 6 or 2 others of that name\n",
            (
                "`take` calls `Bank.ask` [E1:Bank.ask]. It stands at `bank.py:5`.\n\n"
                "- `Bank.ask` [E1:Bank.ask], or 2 others of that name, at `bank.py:6`\n"
            ),
        ),
        (
            "take is imported by 1\n- Bank.ask (bank.py:1) at desk/main.py:3\nand named in go.mod:4\n",
            (
                "`take` is imported by `Bank.ask` [E1:Bank.ask].\n\n"
                "- `Bank.ask` [E1:Bank.ask], at `desk/main.py:3`\n- and named in go.mod:4\n"
            ),
        ),
        ("take is raised by 0\n", "`take` is raised by nothing that the index knows of. [E1:Bank.take]\n"),
        (
            "take (bank.py:5) is tested by 0\n? Bank.ask (bank.py:1) at line 1 is named after it\n",
            (
                "`take` at `bank.py:5` is tested by nothing that the index knows of. [E1:Bank.take]"
                " Named after it are `Bank.ask` [E1:Bank.ask], at `bank.py:1`.\n"
            ),
        ),
    ],
)
def test_every_way_of_having_to_do_with_it_is_told(text: str, told: str) -> None:
    """With the place where it does so, which may be another file than its own."""
    relation = next(each for each in ("calls", "is imported by", "is raised by", "is tested by") if each in text)

    assert answer("Who has to do with take?", listed(relation, text, _TAKE, _ASK)).startswith(told)


def test_what_a_file_requires_is_cited_by_its_lines() -> None:
    """Packages of others have no place here."""
    required = Evidence(
        "u",
        EvidenceKind.FLOW,
        text="go.mod requires 1\n- inkwell@v2 (go.mod:3) at line 3\nand for those who work on it: pen\n",
        reason="go.mod requires",
        span=Span("go.mod", 3, 4),
    )

    assert answer("Which third-party packages does it use?", required).startswith(
        "`go.mod` requires `inkwell@v2`. [E1]\n\n- `inkwell@v2`, at `go.mod:3`\n- and for those who work on it: pen\n"
    )


@pytest.mark.parametrize(
    ("relation", "text", "told"),
    [
        (
            "requires",
            "take requires 0\nand for those who work on it: pen\n",
            "`take` requires no package to run. [E1:Bank.take]\n\n- and for those who work on it: pen\n",
        ),
        (
            "can fail in",
            "take (bank.py:5) can fail in 0\n",
            "`take` at `bank.py:5` raises nothing itself; what it calls may. [E1:Bank.take]\n",
        ),
    ],
)
def test_an_empty_list_that_is_about_the_thing_alone_says_so(relation: str, text: str, told: str) -> None:
    """Nobody is missing there."""
    assert answer("What does take need?", listed(relation, text, _TAKE)).startswith(told)


def test_who_asks_how_to_add_one_more_is_told_what_there_is() -> None:
    """As a pattern, not as an answer to who uses it."""
    users = listed("is implemented by", "take (bank.py:5) is implemented by 1\n- Bank.ask (bank.py:1)\n", _TAKE, _ASK)

    assert answer("How do I add a new take?", users).startswith(
        "What is there shows how one more is made: `take` is implemented by `Bank.ask`"
    )
    assert answer("What implements take?", users).startswith("`take` is implemented by")


def test_the_thing_is_told_behind_its_users_and_nothing_else_before_it() -> None:
    """What only shares more words with the question is no part of the answer."""
    users = listed("is called by", "take (bank.py:5) is called by 1\n- Bank.ask (bank.py:1) at line 2\n", _TAKE, _ASK)
    take = shown(_TAKE, 'def take(self):\n    """Take it."""\n')
    other = shown(_ASK, 'def ask(self):\n    """Who calls takes part, and calls are taken."""\n')

    told = answer("who calls take?", users, other, take, mode=Mode.EXPLORATORY)

    assert told.index("`Bank.take` — Take it.") < told.index("Who calls takes part")


def test_of_what_has_no_definition_no_user_is_taken_for_it() -> None:
    """An attribute is told by who changes it alone."""
    users = listed("is set by", "take is set by 1\n- Bank.ask (bank.py:1) at line 2\n", _ASK)

    told = answer("What changes take?", users, shown(_ASK, "def ask(self):\n    self.take = 1\n"))

    assert "`Bank.ask` is defined at" not in told


def test_a_diagnosis_that_asks_who_catches_says_nothing_of_other_failures() -> None:
    """Only who raises it is quoted."""
    raising = shown(_ASK, "def ask(self):\n    if self.shut:\n        raise Refusal('shut for today')\n")
    caught = listed("is caught by", "take is caught by 1\n- Bank.take (bank.py:5) at line 6\n", _TAKE)
    raised = listed("is raised by", "take is raised by 1\n- Bank.ask (bank.py:1) at line 3\n", _ASK)

    assert "raises" not in answer("Who catches Refusal?", caught, raising, mode=Mode.DIAGNOSTIC)
    assert "raises `Refusal`" in answer(
        "Who raises Refusal?", raised, raising, mode=Mode.DIAGNOSTIC, anchors=Anchors(exceptions=("Refusal",))
    )


def test_a_name_that_is_not_there_is_said_first() -> None:
    """With what is spelled alike; once, and not in long texts, which name much in passing."""
    missing = GapResult(Gap(symbol="ask_bnk"), GapOutcome.ABSENT, alike=("ask_bank",))
    anchors = Anchors(symbols=("ask_bnk",))

    told = answer(
        "What does ask_bnk do?", shown(_ASK, "def ask(self):\n    pass\n"), anchors=anchors, results=(missing,)
    )
    long = answer(
        f"What does ask_bnk do? {'And so on. ' * 30}", shown(_ASK, "def ask(self):\n    pass\n"), results=(missing,)
    )

    assert told.startswith(
        "`ask_bnk` is not defined in the indexed code; there is `ask_bank`. What follows is what comes nearest.\n"
    )
    assert told.count("is not defined") == 1
    assert not long.startswith("`ask_bnk`")
    assert "Looked for and not found:\n\n- `ask_bnk` is not defined" in long


def test_a_message_that_nothing_makes_is_said_first() -> None:
    """What shares some of its words comes behind."""
    anchors = Anchors(error_messages=("vault door lost",))
    told = answer(
        'who logs "vault door lost"?',
        shown(_ASK, "def ask(self):\n    pass\n"),
        mode=Mode.DIAGNOSTIC,
        anchors=anchors,
    )

    assert told.startswith("“vault door lost” is in no line that was found. What follows is what comes nearest.\n")


def test_the_thing_of_a_list_is_what_a_session_speaks_of() -> None:
    """A constructor that bears the name of its class stands for the class."""
    users = listed("is called by", "take (bank.py:5) is called by 0\n", _TAKE)
    made = shown(SymbolRef("Bag.java", "shop.Bag.Bag", SymbolKind.METHOD, 2, 3), "Bag() {}\n")
    question, found = "And which tests cover it?", Classification(Mode.CONCEPTUAL)

    assert referent(question, found, (users,)) == "take"
    assert referent(question, found, (made,)) == "shop.Bag"
    assert (thing_used(made), finds_nobody(users), finds_nobody(made)) == ("", True, False)


def test_a_class_is_meant_before_its_constructor() -> None:
    """Both bear the name."""
    made = shown(SymbolRef("Bag.java", "Bag.Bag", SymbolKind.METHOD, 5, 6), "/** Makes one. */\npublic Bag() {}\n")
    bag = shown(SymbolRef("Bag.java", "Bag", SymbolKind.CLASS, 2, 9), "/** Holds what is carried. */\nclass Bag {\n}\n")

    told = answer("What is Bag?", made, bag, anchors=Anchors(symbols=("Bag",)))

    assert told.startswith("`Bag` — Holds what is carried.")
