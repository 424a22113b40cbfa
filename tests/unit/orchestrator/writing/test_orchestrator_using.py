"""Answers about who has to do with something: lists as the retriever says them, and what is not there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.core.contract.evidence import Gap, GapOutcome, Span
from common.core.contract.question import Anchors
from common.core.contract.understanding import Intent, Relation
from orchestrator.domain.answers.answer import Confidence
from orchestrator.domain.answers.citations import resolve_citations
from orchestrator.domain.evidence.piece import (
    Evidence,
    EvidenceKind,
    GapResult,
    SnapshotInfo,
    SymbolKind,
    SymbolRef,
    User,
    UserList,
)
from orchestrator.domain.model_text.numbering import CitationNumberer
from orchestrator.domain.questions.question import Mode
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import support_of, write_answer
from tests.fakes.reading import classification_of

_NONE = Anchors()
_TAKE = SymbolRef("bank.py", "Bank.take", SymbolKind.METHOD, 5, 6)
_TEST = SymbolRef("tests/test_bank.py", "", SymbolKind.MODULE, 1, 9)
_ASK = SymbolRef("bank.py", "Bank.ask", SymbolKind.METHOD, 1, 3)


def listed(found: UserList, *mentions: SymbolRef) -> Evidence:
    """Return a list as the retriever says it."""
    return Evidence("u", EvidenceKind.FLOW, text="take: see below\n", mentions=mentions, users=found)


def of(relation: Relation, *users: User, definition: SymbolRef | None = None) -> UserList:
    """Return who has to do with what is called "take"."""
    return UserList("take", relation, definition, len(users), users)


def at(user: SymbolRef, line: int, path: str = "") -> User:
    """Return a user with its place of use."""
    return User(user.qualified_name or user.path, user, Span(path or user.path, line, line))


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
    read = replace(classification_of(question, mode), anchors=anchors)
    return "".join(write_answer(Material(question, read, label_evidence(evidence), results)))


def test_a_file_that_uses_something_is_cited_as_any_other_user() -> None:
    """A module has no name within itself; its label is a number."""
    test = replace(at(_TEST, 4), through="Bank.ask")
    users = listed(of(Relation.TESTS, test, definition=_TAKE), _TAKE, _TEST)

    told = answer("Which tests cover take?", users)
    numberer = CitationNumberer((users,))
    numbered = numberer.feed(told) + numberer.finish()
    cited = resolve_citations(numberer.cited, (users,), SnapshotInfo())

    assert numbered.startswith("`take` is tested by `tests/test_bank.py` [1]. It stands at `bank.py:5`.\n")
    assert "- `tests/test_bank.py` [1], at `tests/test_bank.py:4`, through `Bank.ask`\n" in numbered
    assert [each.span.path for each in cited][:1] == ["tests/test_bank.py"]


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (
            of(Relation.CALLEES, replace(at(_ASK, 6), others=2), definition=_TAKE),
            (
                "`take` calls `Bank.ask` [E1:Bank.ask]. It stands at `bank.py:5`.\n\n"
                "- `Bank.ask` [E1:Bank.ask], or 2 others of that name, at `bank.py:6`\n"
            ),
        ),
        (
            of(Relation.CALLEES, replace(at(_ASK, 6), others=1), definition=_TAKE),
            (
                "`take` calls `Bank.ask` [E1:Bank.ask]. It stands at `bank.py:5`.\n\n"
                "- `Bank.ask` [E1:Bank.ask], or another of that name, at `bank.py:6`\n"
            ),
        ),
        (
            replace(of(Relation.IMPORTS, at(_ASK, 3, "desk/main.py")), notes=("and named in go.mod:4",)),
            (
                "`take` is imported by `Bank.ask` [E1:Bank.ask].\n\n"
                "- `Bank.ask` [E1:Bank.ask], at `desk/main.py:3`\n- and named in go.mod:4\n"
            ),
        ),
        (
            replace(of(Relation.CALLS, at(_TAKE, 6)), unsure=(at(_ASK, 2),)),
            (
                "`take` is called by `Bank.take` [E1:Bank.take].\n\n- `Bank.take` [E1:Bank.take], at `bank.py:6`\n"
                "- maybe also `Bank.ask`, at `bank.py:2`: what has the name there is not resolved\n"
            ),
        ),
        (of(Relation.RAISES), "`take` is raised by nothing that the index knows of. [E1:Bank.take]\n"),
        (
            replace(of(Relation.TESTS, definition=_TAKE), named_after=(at(_ASK, 1),)),
            (
                "By their names these tests are about `take` at `bank.py:5`: `Bank.ask` [E1:Bank.ask], at `bank.py:1`."
                " [E1:Bank.take]\n"
            ),
        ),
        (
            replace(of(Relation.UNSPECIFIED, at(_ASK, 2)), count=9, in_tests=3),
            (
                "`take` has to do with `Bank.ask` [E1:Bank.ask] and 8 more.\n\n"
                "- `Bank.ask` [E1:Bank.ask], at `bank.py:2`\n- and 8 more\n- and 3 in tests\n"
            ),
        ),
        (
            of(
                Relation.FAILS,
                *(replace(at(_TAKE, line), through=each) for line, each in ((6, "Shut"), (7, "Empty"), (8, "Shut"))),
                definition=_TAKE,
            ),
            (
                "`take` raises `Shut`, `Empty`. It stands at `bank.py:5`. [E1:Bank.take]\n\n"
                "- `Shut`, at `bank.py:6`\n- `Empty`, at `bank.py:7`\n- `Shut`, at `bank.py:8`\n"
            ),
        ),
        (
            of(Relation.FAILS, replace(at(_ASK, 2), through="Shut"), definition=_TAKE),
            (
                "`take` raises nothing itself, but what it calls may raise `Shut`. It stands at `bank.py:5`."
                " [E1:Bank.take]\n\n- `Shut`, in `Bank.ask` [E1:Bank.ask], at `bank.py:2`\n"
            ),
        ),
        (
            of(Relation.FAILS, replace(at(_ASK, 0), through="Shut"), replace(at(_TAKE, 6), through="Empty")),
            (
                "`take` can fail in `Bank.ask` [E1:Bank.ask], `Bank.take` [E1:Bank.take].\n\n"
                "- `Bank.ask` [E1:Bank.ask], at `bank.py`, raising `Shut`\n"
                "- `Bank.take` [E1:Bank.take], at `bank.py:6`, raising `Empty`\n"
            ),
        ),
    ],
)
def test_every_way_of_having_to_do_with_it_is_told(found: UserList, told: str) -> None:
    """With the place where it does so, which may be another file than its own."""
    assert answer("Who has to do with take?", listed(found, _TAKE, _ASK)).startswith(told)


def test_names_and_paths_of_any_letters_are_told() -> None:
    """Tests are called by sentences, and code that is made has odd paths."""
    spec = SymbolRef("app/(at) line 3/a b.ts", "takes (and gives) back", SymbolKind.FUNCTION, 7, 9)
    users = listed(replace(of(Relation.TESTS, at(spec, 8)), name="operator new"), spec)

    assert answer("Which tests cover operator new?", users).startswith(
        "`operator new` is tested by `takes (and gives) back` [E1:#1.].\n\n"
        "- `takes (and gives) back` [E1:#1.], at `app/(at) line 3/a b.ts:8`\n"
    )


def test_of_those_who_begin_in_one_line_each_is_cited_as_itself() -> None:
    """A file and its first function stand at one place."""
    module, first = replace(_TEST, path="a.py"), SymbolRef("a.py", "first", SymbolKind.FUNCTION, 1, 2)

    told = answer("Who calls take?", listed(of(Relation.CALLS, at(module, 5), at(first, 2)), module, first))

    assert told.startswith("`take` is called by `a.py` [E1:#1.], `first` [E1:first].\n")


def test_of_a_list_that_was_cut_all_are_counted_and_those_told_whom_it_shows() -> None:
    """Nobody is cited whom the evidence does not show, and that some are not shown is not that there are none."""
    some = listed(replace(of(Relation.CALLS, at(_ASK, 2)), count=5), _ASK)
    none = listed(replace(of(Relation.CALLS, definition=_TAKE), count=5), _TAKE)

    assert answer("Who calls take?", some).startswith(
        "`take` is called by `Bank.ask` [E1:Bank.ask] and 4 more.\n\n"
        "- `Bank.ask` [E1:Bank.ask], at `bank.py:2`\n- and 4 more\n"
    )
    assert answer("Who calls take?", none).startswith(
        "`take` is called by 5 that are not shown. It stands at `bank.py:5`.\n"
    )


def test_a_list_of_a_retriever_of_before_is_in_no_section() -> None:
    """It says what it does in its text alone, as evidence of a session may too; it is no flow either."""
    text = "take (bank.py:5) is called by 1\n- Bank.ask (bank.py:1) at line 2\n"
    old = Evidence("u", EvidenceKind.FLOW, text=text, reason="take is called by", mentions=(_TAKE, _ASK))

    told = answer("Who calls take?", old, shown(_TAKE, "def take(self):\n    pass\n"), mode=Mode.EXPLORATORY)

    assert told.startswith(
        "Nothing that was found is sure to answer this; the nearest is `Bank.take`, at `bank.py:5-6`."
    )


def test_what_a_file_requires_is_cited_by_its_lines() -> None:
    """Packages of others have no place here; optional ones are told with what turns them on."""
    package = User("inkwell@v2", None, Span("go.mod", 3, 3))
    extra = User("quill 1", None, Span("go.mod", 4, 4), "optional wet")
    peer = User("nib", None, Span("go.mod", 5, 5), "optional peer")
    found = UserList(
        "go.mod", Relation.REQUIRES, None, 3, (package, extra, peer), notes=("for those who work on it: pen",)
    )
    required = Evidence("u", EvidenceKind.FLOW, span=Span("go.mod", 3, 4), users=found)

    assert answer("Which third-party packages does it use?", required).startswith(
        "`go.mod` requires 1 package: inkwell@v2. "
        "Optional: quill 1 (with `wet`); nib (brought by what uses the project). [E1]\n\n"
        "- inkwell@v2, at `go.mod:3`\n- quill 1, at `go.mod:4`\n- nib, at `go.mod:5`\n- for those who work on it: pen\n"
    )


def test_an_empty_list_that_is_about_the_thing_alone_says_so() -> None:
    """Nobody is missing there, unless it is about one of two things of that name."""
    both = (shown(each, "def take(self):\n    pass\n") for each in (_TAKE, replace(_TAKE, path="till.py")))
    required = replace(of(Relation.REQUIRES), notes=("for those who work on it: pen",))

    assert answer("Which packages does it require?", listed(required, _TAKE)).startswith(
        "`take` requires no package to run. [E1]\n\n- for those who work on it: pen\n"
    )
    assert answer("Which errors can take raise?", listed(of(Relation.FAILS, definition=_TAKE), _TAKE)).startswith(
        "`take` at `bank.py:5` raises nothing itself; what it calls may. [E1:Bank.take]\n"
    )
    assert answer("Who calls take?", listed(of(Relation.CALLS, definition=_TAKE), _TAKE), *both).startswith(
        "2 definitions are called `take`; the list is of one of them.\n\n`take` at `bank.py:5` is called by nothing"
    )


_TAKEN = (
    User("amount", None, Span("bank.py", 5, 5)),
    User("strict", None, Span("bank.py", 6, 6), "False"),
)


@pytest.mark.parametrize(
    ("question", "described", "notes", "told"),
    [
        (
            "Which options does take accept?",
            "",
            (),
            (
                "`Bank.take` takes `amount`, `strict`. [E1:Bank.take]\n\n"
                "- `amount`, at `bank.py:5`, without a default\n- `strict`, at `bank.py:6`, `False` by default\n"
            ),
        ),
        (
            "Which option of take makes it strict?",
            "Which option of take makes it strict",
            (),
            (
                "`amount` of `Bank.take` is most likely what does this, at `bank.py:5`, without a default. "
                "[E1:Bank.take]\n\n"
                "`Bank.take` takes `amount`, `strict`. [E1:Bank.take]\n"
            ),
        ),
        (
            "Which option of take makes it polite?",
            "",
            ("none of them has a word of what is asked for",),
            (
                "No option of `Bank.take` that the index lists has a word of what is asked for in its name. "
                "`Bank.take` takes `amount`, `strict`. [E1:Bank.take]\n"
            ),
        ),
    ],
)
def test_options_are_listed_with_their_defaults(
    question: str, described: str, notes: tuple[str, ...], told: str
) -> None:
    """First the one that the question describes; that none does is said."""
    found = UserList("Bank.take", Relation.HOLDS, _TAKE, 2, _TAKEN, notes=notes)

    assert answer(question, replace(listed(found, _TAKE), described=described)).startswith(told)


def test_a_name_that_is_not_there_is_said_first() -> None:
    """With what is spelled alike; once, and not where the question only says it in passing."""
    missing = GapResult(Gap(symbol="ask_bnk"), GapOutcome.ABSENT, alike=("ask_bank",))
    anchors = Anchors(symbols=("ask_bnk",))

    told = answer(
        "What does ask_bnk do?", shown(_ASK, "def ask(self):\n    pass\n"), anchors=anchors, results=(missing,)
    )
    passing = answer(
        "Why does ask fail? I had ask_bnk before.", shown(_ASK, "def ask(self):\n    pass\n"), results=(missing,)
    )

    assert told.startswith(
        "`ask_bnk` is not defined in the indexed code; there is `ask_bank`. What follows is what comes nearest.\n"
    )
    assert told.count("is not defined") == 1
    assert not passing.startswith("`ask_bnk`")
    assert "Looked for and not found:\n\n- `ask_bnk` is not defined" in passing


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


@pytest.mark.parametrize(("name", "subject"), [("shop/urls.py", "`shop/urls.py`"), ("the code", "The code")])
def test_routes_are_told_with_what_handles_them(name: str, subject: str) -> None:
    """Each where it is registered; what registers them in no folder of its own has no name."""
    route = User("GET /vouchers", _ASK, Span("shop/urls.py", 3, 3), "Bank.ask")
    users = UserList(name, Relation.REGISTERS, None, 1, (route,))

    told = answer("Which routes are there?", listed(users, _ASK), shown(_ASK, "def ask(self):\n    return 1\n"))

    assert told.startswith(f"{subject} registers GET /vouchers [E1:Bank.ask].\n\n")
    assert "- GET /vouchers [E1:Bank.ask], at `shop/urls.py:3`, handled by `Bank.ask`\n" in told


def test_things_of_one_kind_are_told_by_how_they_are_named() -> None:
    """No type stands above them that could be the subject."""
    users = listed(UserList("*Ask", Relation.NAMES, None, 1, (at(_ASK, 3),)), _ASK)

    assert answer("Which asks are there?", users).startswith("Named `\u2026Ask` are `Bank.ask` [E1:Bank.ask].")


def test_modules_of_a_folder_are_told_by_it() -> None:
    """Each by its path, which is its place as well."""
    post, pigeon = (SymbolRef(f"shop/senders/{name}.py", "", SymbolKind.MODULE, 1, 9) for name in ("post", "pigeon"))
    told = tuple(User(each.path, each, Span(each.path, 0, 0)) for each in (post, pigeon))
    users = listed(UserList("shop/senders/*", Relation.NAMES, None, 2, told), post, pigeon)

    text = answer("Which senders are there?", users)

    assert text.startswith("In `shop/senders/` are `shop/senders/post.py` [E1:#1.], `shop/senders/pigeon.py` [E1:#2.].")
    assert "at `shop/senders/post.py`" not in text


@pytest.mark.parametrize(
    ("question", "level"),
    [("What is in shop/till?", Confidence.HIGH), ("What is line 7 of shop/till?", Confidence.MEDIUM)],
)
def test_a_place_is_sure_where_nothing_else_of_it_is_asked_for(question: str, level: Confidence) -> None:
    """A line of it is another question, which the list does not answer."""
    held = listed(
        UserList("shop/till", Relation.HOLDS, None, 1, (User("till", _TEST, Span("till/a.py", 1, 1)),)), _TEST
    )
    found = classification_of(question, Mode.CONCEPTUAL)

    assert found.understanding.likely[0].intent is Intent.PLACE
    assert support_of(Material(question, found, label_evidence((held,)), ())).level is level
