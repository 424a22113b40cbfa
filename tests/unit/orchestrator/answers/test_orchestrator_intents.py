"""Answers whose sections are chosen by what the question asks: first questions, and how one more is made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.core.contract.evidence import Basis, BasisKind, Setting, Span
from common.core.contract.understanding import Relation
from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, SymbolKind, SymbolRef, User, UserList
from orchestrator.domain.questions.question import Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import support_of, write_answer
from tests.fakes.reading import classification_of
from tests.unit.orchestrator.writing.test_orchestrator_using import _ASK, _TAKE, _TEST, at, listed, of, shown


def test_who_asks_how_to_add_one_more_is_told_what_there_is() -> None:
    """As a pattern, not as an answer to who uses it."""
    users = listed(of(Relation.IMPLEMENTS, at(_ASK, 1), definition=_TAKE), _TAKE, _ASK)

    assert read_answer("How do I add a new take?", users).startswith(
        "What is there shows how one more is made: `take` is implemented by `Bank.ask`"
    )
    assert read_answer("What implements take?", users).startswith("`take` is implemented by")


def read_answer(question: str, *evidence: Evidence) -> str:
    """Write an answer to a question that the classifier read."""
    classification = classification_of(question, Mode.CONCEPTUAL)
    return "".join(write_answer(Material(question, classification, label_evidence(evidence), ())))


@pytest.mark.parametrize(
    ("question", "found", "told"),
    [
        (
            "What are the main modules?",
            UserList(
                "the project", Relation.HOLDS, None, 1, (User("till", _TEST, Span("till/a.py", 1, 1), "2 files"),)
            ),
            "The project holds `till`",
        ),
        (
            "What is in src/till?",
            UserList("src/till", Relation.HOLDS, None, 1, (User("till", _TEST, Span("till/a.py", 1, 1), "2 files"),)),
            "`src/till` holds `till`",
        ),
        (
            "Where should I start reading?",
            UserList("the project", Relation.BEGINS, None, 1, (at(_ASK, 1),)),
            "Start with `Bank.ask`",
        ),
        (
            "How do I run the tests?",
            UserList("test", Relation.COMMANDS, None, 1, (User("make test", None, Span("Makefile", 3, 3)),)),
            "To run the tests: `make test`",
        ),
    ],
)
def test_first_questions_are_answered_by_their_list_alone(question: str, found: UserList, told: str) -> None:
    """Whatever else was found is about words of the question that mean something else."""
    text = read_answer(question, listed(found, _ASK), shown(_TAKE, "def take(self):\n    return 'main modules'\n"))

    assert text.startswith(told)
    assert "take" not in text


def test_what_the_project_is_is_told_in_its_own_words() -> None:
    """Badges and links with nothing to read are left out."""
    page = Evidence(
        "p",
        EvidenceKind.DOC,
        title="Till",
        span=Span("README.md", 1, 9),
        text="# Till\n\n[![build](b.svg)](x)\n\nTill is a cash register. It keeps books.\n",
        basis=Basis(BasisKind.OVERVIEW),
    )

    told = read_answer("what does this project do?", page, shown(_TAKE, "def take(self):\n    return 1\n"))

    assert told.startswith("Till is a cash register. It keeps books. [E1")
    assert "take" not in told


_BANK = SymbolRef("bank.py", "Bank", SymbolKind.CLASS, 1, 9)


def card(symbol: SymbolRef, said: str) -> Evidence:
    """Return the documentation of a symbol."""
    text = f"class {symbol.name}\n\n{said}\n"
    return Evidence(f"d{symbol.start_line}", EvidenceKind.DOC, span=symbol.span, symbol=symbol, text=text)


def test_a_name_of_the_project_and_of_a_class_says_both() -> None:
    """What was told of the project for an earlier question says nothing of another name."""
    page = Evidence(
        "p",
        EvidenceKind.DOC,
        title="Bank",
        span=Span("README.md", 1, 1),
        text="Bank keeps the books of a shop.\n",
        basis=Basis(BasisKind.OVERVIEW),
        described="Bank",
    )
    own = card(_BANK, "Pays and is paid.")

    told = read_answer("What does Bank do?", page, own)

    assert told.startswith("Bank keeps the books of a shop. [E1]")
    assert "`Bank` is defined at `bank.py:1`: Pays and is paid. [E2]" in told
    assert read_answer("What does take do?", page, card(_TAKE, "Pays.")).startswith("`Bank.take` is defined at")


def test_a_definition_is_told_by_its_bases_its_members_and_its_users() -> None:
    """In this order; without documentation the first sentence says so."""
    held = UserList("Bank", Relation.HOLDS, _BANK, 1, (at(_TAKE, 5),), notes=("extends `Till`",))
    held = replace(held, listed=(replace(held.listed[0], through="Hand out money"),))
    used = UserList("Bank", Relation.USES, _BANK, 2, (at(_ASK, 1), at(_TEST, 2)), in_tests=4)

    told = read_answer("What is Bank?", card(_BANK, ""), listed(held, _BANK, _TAKE), listed(used, _ASK))

    assert told.startswith(
        "`Bank` is defined at `bank.py:1`; it has no documentation and holds `take`. [E1]\n\nIt extends `Till`."
    )
    assert "It holds:\n\n- `Bank.take` [E2:Bank.take] (`bank.py:5`): Hand out money" in told
    assert "It is used by `Bank.ask` [E3:Bank.ask]" in told
    assert "and in tests by 4." in told


def test_commands_for_something_else_are_not_sure() -> None:
    """None is declared for what the question names: it may ask for no command at all."""
    run = UserList("run", Relation.COMMANDS, None, 1, (User("shop", None, Span("pyproject.toml", 2, 2)),))
    other = replace(run, notes=("no command is declared for “statement”",))
    question = "how do I run a statement outside of a transaction"

    def level(found: UserList) -> Confidence:
        read = classification_of(question, Mode.CONCEPTUAL)
        return support_of(Material(question, read, label_evidence((listed(found),)), ())).level

    assert (level(run), level(other)) == (Confidence.HIGH, Confidence.LOW)


def test_others_of_a_name_lower_the_confidence() -> None:
    """What a definition extends is no other one, even where it has the name: the retriever lists none then."""
    base = replace(_BANK, path="base.py")
    alone = UserList("Bank", Relation.HOLDS, _BANK, 0)
    beside = replace(alone, unsure=(at(base, 1),))

    def level(found: UserList) -> Confidence:
        shown_ = (card(_BANK, "Pays."), card(base, "Keeps."), listed(found, _BANK))
        read = classification_of("What is Bank?", Mode.CONCEPTUAL)
        return support_of(Material("What is Bank?", read, label_evidence(shown_), ())).level

    assert (level(alone), level(beside)) == (Confidence.HIGH, Confidence.MEDIUM)


def test_each_part_is_answered_by_the_list_of_its_relation() -> None:
    """In the order of the question; a list of another relation answers no part of several."""
    calls = listed(of(Relation.CALLS, at(_ASK, 2), definition=_TAKE), _TAKE, _ASK)
    tests = replace(listed(of(Relation.TESTS, at(_TEST, 4), definition=_TAKE), _TAKE, _TEST), evidence_id="t")
    text = read_answer("Which tests cover Bank.take, and who calls it?", calls, tests)

    assert text.index("`take` is tested by") < text.index("`take` is called by")
    assert text.count("is called by") == 1
    assert "`take` is called by" in read_answer("Which tests cover Bank.take?", calls)


def test_a_page_that_speaks_of_a_feature_is_quoted() -> None:
    """By the sentences about it, not by its first ones; a word with a digit has to stand there."""
    page = Evidence(
        "p",
        EvidenceKind.DOC,
        title="Till > Receipts",
        span=Span("README.md", 1, 9),
        text="# Receipts\n\nA till prints what was sold.\n\n"
        "There is no digital signature of receipts. Add one yourself.\n",
    )

    assert read_answer("Does it support digital signatures?", page).startswith(
        "“Receipts” (`README.md:1-9`) says: “There is no digital signature of receipts. Add one yourself.”"
    )
    assert "says:" not in read_answer("Does it support digital signatures 2.0?", page)
    till = replace(
        page, text="The till of the shop prints what was sold.\n\nThere are no refunds. Add some yourself.\n"
    )
    assert "says: “There are no refunds." in read_answer("Does the shop till support refunds?", till)


def test_who_writes_state_is_told_with_the_lock_before_it() -> None:
    """And how many of the writes have one."""
    uses = (replace(at(_ASK, 2), through="with self._lock:"), at(_TAKE, 6))
    found = UserList("take", Relation.SETS, None, 2, uses)
    text = read_answer("Is there a data race on Bank.take?", listed(found, _ASK, _TAKE))

    assert "1 of these writes stands behind a line of its function that names a lock." in text
    assert "- `Bank.ask` [E1:Bank.ask], at `bank.py:2`, behind `with self._lock:`\n- `Bank.take`" in text


def test_several_settings_are_told_one_by_one() -> None:
    """Each with its own value."""
    line = Evidence("a", EvidenceKind.SOURCE, span=Span("till.py", 3, 3), text="width = 4\n")
    width = replace(line, setting=Setting(("door_width",), "door_width", "4", 3))
    depth = replace(
        line, evidence_id="b", span=Span("till.py", 4, 4), setting=Setting(("door_depth",), "door_depth", "9", 4)
    )
    text = read_answer("What are the defaults of door_width and door_depth?", width, depth)

    assert "`door_width` is set to `4` at `till.py:3`." in text
    assert "`door_depth` is set to `9` at `till.py:4`." in text


_FOLDER = UserList(
    "lib/net",
    Relation.HOLDS,
    None,
    2,
    (
        User("lib/net/wire.py", None, Span("lib/net/wire.py", 1, 1), "reads {@link Frame}s [1]"),
        User("lib/net/dial.py", None, Span("lib/net/dial.py", 1, 1)),
    ),
    notes=("Talks to peers",),
)


@pytest.mark.parametrize(
    ("question", "found", "told"),
    [
        (
            "Where should I start reading to understand how `Bank.ask` works?",
            (UserList("Bank.ask", Relation.BEGINS, _ASK, 2, (at(_ASK, 1), at(_TAKE, 5))),),
            "For “Bank.ask”, start with `Bank.ask` [E1:Bank.ask] (`bank.py:1`). Then read, in this order: `Bank.take`",
        ),
        (
            "what do I read first to learn the colour wheel",
            (UserList("colour wheel", Relation.BEGINS, None, 1, (at(_ASK, 1),)),),
            "No definition that was found is sure to be where “colour wheel” begins; the nearest is `Bank.ask`",
        ),
        (
            "how do I run the linter",
            (UserList("run linter", Relation.COMMANDS, None, 1, (User("make lint", None, Span("Makefile", 2, 2)),)),),
            "To run linter: `make lint`.\n\n- `make lint`: Makefile, line 2\n",
        ),
        (
            "how do I run the benchmarks",
            (
                UserList(
                    "run",
                    Relation.COMMANDS,
                    None,
                    1,
                    (User("cargo run", None, Span("Cargo.toml")),),
                    notes=("no command is declared for “benchmarks”",),
                ),
            ),
            "No command is declared for “benchmarks”. To run the project: `cargo run`.",
        ),
        (
            "what is in lib/net?",
            (_FOLDER,),
            "`lib/net`: Talks to peers. It holds `wire.py`, `dial.py`.\n\n- `wire.py`: reads `Frame`s (1)\n- `dial.py`",
        ),
        (
            "what is the difference between lib/net and lib/web?",
            (
                _FOLDER,
                UserList("lib/web", Relation.HOLDS, None, 1, (User("lib/web/a.py", None, Span("lib/web/a.py")),)),
            ),
            "`lib/net`: Talks to peers. It holds `wire.py`, `dial.py`.\n\n`lib/web` holds `a.py`.",
        ),
        (
            "which files change together with bank.py?",
            (
                UserList(
                    "bank.py", Relation.CHANGES, None, 1, (User("till.py", None, Span("till.py", 1), "7 commits"),)
                ),
            ),
            "`bank.py` most often changes together with `till.py` (7 commits).",
        ),
        (
            "which files change together with bank.py?",
            (UserList("bank.py", Relation.CHANGES, None, 0, notes=("the index has no history",)),),
            "What changes together with `bank.py` cannot be told: the index has no history.",
        ),
        (
            "Which Python version do I need?",
            (
                UserList(
                    "the project", Relation.REQUIRES, None, 1, (User("Python >=3.11", None, Span("setup.cfg", 4, 4)),)
                ),
            ),
            "The project needs Python >=3.11 (`setup.cfg:4`).",
        ),
        (
            "where is the date picker implemented?",
            (
                UserList(
                    "date-picker",
                    Relation.IMPORTS,
                    None,
                    1,
                    (User("form.js", None, Span("form.js", 2, 2)),),
                    notes=("and named in package.json:7",),
                ),
            ),
            "`date-picker` is not defined in this repository: it is a package of others, named in package.json:7.",
        ),
    ],
)
def test_lists_of_the_project_are_told_in_their_own_form(question: str, found: tuple[UserList, ...], told: str) -> None:
    """With what each part says of itself, in which nothing is taken for a citation."""
    assert read_answer(question, *(listed(each, _ASK) for each in found)).startswith(told)


def test_a_paragraph_that_says_it_is_quoted_first() -> None:
    """Above code that only has the words."""
    page = Evidence(
        "p",
        EvidenceKind.DOC,
        title="Till > Handlers",
        span=Span("docs/moving.md", 7, 7),
        text="Generators were removed as handlers in version 3.\n",
        described="Does it support generators as handlers",
    )

    told = read_answer("Does it support generators as handlers?", shown(_TAKE, "def take(self):\n    return 1\n"), page)

    assert told.startswith("“Generators were removed as handlers in version 3.” (“Handlers”, `docs/moving.md:7` [E2])")
    assert "What else to read:" in told
