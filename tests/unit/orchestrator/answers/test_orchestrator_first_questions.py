"""What a newcomer is told first: the project, its parts and its commands, in the order of the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from common.core.contract.evidence import Basis, BasisKind, Span
from common.core.contract.understanding import Comprehension, Relation
from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, SymbolKind, SymbolRef, User, UserList
from orchestrator.domain.questions.question import Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import support_of, write_answer
from tests.fakes.reading import classification_of
from tests.unit.orchestrator.answers.test_orchestrator_intents import read_answer
from tests.unit.orchestrator.writing.test_orchestrator_using import listed


def _page(path: str, text: str) -> Evidence:
    basis = Basis(BasisKind.OVERVIEW)
    return Evidence(path, EvidenceKind.DOC, title="Till", span=Span(path, 1, 1), text=f"{text}\n", basis=basis)


def _commands(name: str, commands: Sequence[str], *notes: str) -> UserList:
    users = tuple(User(each, None, Span("Makefile", 3, 3)) for each in commands)
    return UserList(name, Relation.COMMANDS, None, len(users), users, notes=notes)


_README, _MANIFEST = _page("README.md", "Till is a plain register for shops."), _page("a.toml", "A plain register")


def test_what_says_nothing_new_of_a_project_is_told_once() -> None:
    """The manifest's description has no term that the page lacks; it is still a second witness."""
    told = read_answer("What is this project?", _README, _MANIFEST)

    assert told.startswith("Till is a plain register for shops. [E1]\n\n_")


def test_the_parts_and_the_beginning_follow_what_a_project_is() -> None:
    """In this order, where the retriever found them."""
    parts = UserList("the project", Relation.HOLDS, None, 1, (User("desk", None, Span("desk", 1, 1), "Reads keys"),))
    begin = UserList("the project", Relation.BEGINS, None, 1, (User("a.py", None, Span("a.py", 1, 1), "the entry"),))

    told = read_answer("What is this project?", _README, listed(parts), listed(begin))

    assert told.index("Till is a plain") < told.index("The project holds `desk`") < told.index("Start with `a.py`")


def test_what_a_project_is_leads_its_parts() -> None:
    """Who asks for the main modules seldom knows what they are parts of."""
    parts = UserList("the project", Relation.HOLDS, None, 1, (User("desk", None, Span("desk", 1, 1), "Reads keys"),))

    told = read_answer("What are the main modules?", _README, listed(parts))

    assert told.startswith("Till is a plain register for shops. [E1]\n\nThe project holds `desk`")


def test_what_runs_one_test_follows_what_runs_all() -> None:
    """Both sentences stand before the lines that declare the commands, and do not lower the confidence."""
    every, alone = _commands("test", ["make test"]), _commands("one test", ["pytest FILE"])

    told = read_answer("How do I run the tests?", listed(every), listed(alone))

    assert told.startswith("To run the tests: `make test`.\n\nTo run one test alone: `pytest FILE`.\n\n- `make test`")


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (_commands("run it", ["cargo run"], "none was recognised"), "None was recognised. To run it: `cargo run`."),
        (_commands("run it", [], "none was recognised"), "None was recognised.\n\n_"),
        (
            _commands("executables", ["till"], "none was recognised"),
            "Executables that it is installed with: `till`. None was recognised.\n\n- `till`",
        ),
    ],
)
def test_the_programs_of_a_project_without_known_commands_are_told(found: UserList, told: str) -> None:
    """Its executables go before the note."""
    assert read_answer("which commands are there?", listed(found)).startswith(told)


def test_a_topic_that_nothing_is_called_after_begins_where_the_program_does() -> None:
    """All that a program does is reached from its main function."""
    begin = UserList("coin flow", Relation.BEGINS, None, 1, (User("main", None, Span("src/main.rs", 3, 3)),))

    told = read_answer("Where do I start reading to understand the coin flow?", listed(begin))

    assert told.startswith("The program begins at `main`")


def test_the_version_of_the_platform_follows_the_packages() -> None:
    """Who asks what a project needs may mean either."""
    packages = UserList("a.toml", Relation.REQUIRES, None, 1, (User("ink 2", None, Span("a.toml", 3, 3)),))
    runtime = UserList("the project", Relation.REQUIRES, None, 1, (User("node >= 20", None, Span("a.toml", 9, 9)),))

    told = read_answer("Which packages does it depend on?", listed(packages), listed(runtime))

    assert told.startswith("`a.toml` requires 1 package: ink 2.")
    assert "The project needs Node >= 20 (`a.toml:9`)." in told


def test_the_parts_are_left_out_where_more_is_asked() -> None:
    """They would stand between what the project is and the other answer."""
    parts = UserList("till", Relation.HOLDS, None, 1, (User("desk", None, Span("desk", 1, 1), "Reads keys"),))
    page = replace(_README, described="till")

    told = read_answer(
        "What is till, and how do I run the tests?", page, listed(parts), listed(_commands("test", ["x"]))
    )

    assert "desk" not in told
    assert told.index("Till is a plain") < told.index("To run the tests")


def test_commands_are_not_sure_where_the_question_names_more() -> None:
    """A failure of a named option may be what it is about."""
    evidence = label_evidence([listed(_commands("install", ["make install"]))])

    def support(question: str) -> Confidence:
        return support_of(Material(question, classification_of(question, Mode.CONCEPTUAL), evidence, ())).level

    assert support("How do I install it?") is Confidence.HIGH
    assert support("How do I install it with `--lessopen`?") is not Confidence.HIGH


def test_what_was_understood_in_part_is_a_level_less_sure() -> None:
    """The list may answer another question; what a quoted message leads to is found whatever is asked."""
    evidence = label_evidence([listed(_commands("install", ["make install"]))])

    def support(question: str, comprehension: Comprehension) -> Confidence:
        found = classification_of(question, Mode.CONCEPTUAL)
        found = replace(found, understanding=replace(found.understanding, comprehension=comprehension))
        return support_of(Material(question, found, evidence, ())).level

    assert support("How do I install it?", Comprehension.PARTIAL) is Confidence.MEDIUM
    assert support("How do I install it with `--lessopen`?", Comprehension.FULL) is Confidence.MEDIUM
    assert support("How do I install it with `--lessopen`?", Comprehension.PARTIAL) is Confidence.LOW


def test_what_to_read_follows_an_answer_to_what_was_understood_in_part() -> None:
    """The nearest places may answer what the list does not."""
    listing = listed(_commands("install", ["make install"]))
    symbol = SymbolRef("a.py", "unpack", SymbolKind.FUNCTION, 1, 2)
    code = "def unpack():\n    pass\n"
    function = Evidence("f", EvidenceKind.SOURCE, title="unpack", span=symbol.span, symbol=symbol, text=code)
    question = "How do I install it?"
    found = classification_of(question, Mode.CONCEPTUAL)
    whole = Material(question, found, label_evidence([listing, function]), ())
    in_part = replace(found.understanding, comprehension=Comprehension.PARTIAL)
    partly = replace(whole, classification=replace(found, understanding=in_part))

    assert "a.py" not in "".join(write_answer(whole))
    assert "What else to read" in "".join(write_answer(partly))
