"""What a question asks the users of."""

from __future__ import annotations

import pytest

from retriever.domain.asked.users import AskedUsers, asked_users
from retriever.domain.relations import Relation
from retriever.usecases.using.edges import _code_lines


@pytest.mark.parametrize(
    ("question", "name", "relation"),
    [
        ("What calls ask_bank?", "ask_bank", Relation.CALLS),
        ("What calls handle?", "handle", Relation.CALLS),
        ("which functions call `Bank.ask()`?", "Bank.ask", Relation.CALLS),
        ("who is calling the method Bank.ask", "Bank.ask", Relation.CALLS),
        ("Where does ask get called?", "ask", Relation.CALLS),
        ("callers of ask_bank", "ask_bank", Relation.CALLS),
        ("Who calls Bank.#ask?", "Bank.#ask", Relation.CALLS),
        ("What calls #ask?", "#ask", Relation.CALLS),
        ("What subclasses Bank?", "Bank", Relation.INHERITS),
        ("Which classes inherit from Bank?", "Bank", Relation.INHERITS),
        ("Which classes depend on Bank?", "Bank", Relation.USES),
        ("Where is the Bank class instantiated?", "Bank", Relation.USES),
        ("Where is get_bank used?", "get_bank", Relation.USES),
        ("What would break if I change the signature of get_bank?", "get_bank", Relation.USES),
        ("What breaks when we change what bank() returns?", "bank", Relation.USES),
        ("Is it safe to remove `Bank.ask`?", "Bank.ask", Relation.USES),
        ("What is the impact of renaming the class Bank?", "Bank", Relation.USES),
        ("Which code is affected by modifying Bank.ask", "Bank.ask", Relation.USES),
        ("Is it safe to remove the Bank class?", "Bank", Relation.USES),
        ("Is it safe to remove the get_bank function?", "get_bank", Relation.USES),
        ("Is it safe to remove the bank() call?", "bank", Relation.USES),
        ("What would break if I rename save?", "save", Relation.USES),
        ("What would break if I change get_bank, and why?", "get_bank", Relation.USES),
    ],
)
def test_a_question_about_users_names_what_they_use(question: str, name: str, relation: Relation) -> None:
    """In whatever voice it is asked."""
    assert asked_users(question) == (AskedUsers((name,), relation),)


@pytest.mark.parametrize(
    "question",
    [
        "How do I use Bank?",
        "What happens when Bank calls ask?",
        "Why is ask called twice?",
        "Where is the cache stored?",
        "Who calls it?",
        "What is used by Bank?",
        "Is it safe to delete a user while it is logged in?",
        "is it safe to delete a user",
        "Why does the login fail when changing my_password?",
        "What would break if I change it?",
        "How does the importer import a file?",
    ],
)
def test_other_questions_ask_for_no_users(question: str) -> None:
    """A trace, a reason, and what nobody names are other questions."""
    assert asked_users(question) == ()


@pytest.mark.parametrize(
    ("question", "names", "owner"),
    [
        ("What calls begin or start on Response?", ("begin", "start"), "Response"),
        ("Who uses `begin()`, or `start()`?", ("begin", "start"), ""),
        ("callers of start of the class Response", ("start",), "Response"),
        ("What calls start and where is it defined?", ("start",), ""),
        ("What calls start in the worker?", ("start",), ""),
        ("Where is start of the class Response called?", ("start",), "Response"),
    ],
)
def test_several_names_and_their_owner_are_read(question: str, names: tuple[str, ...], owner: str) -> None:
    """A further question is no further name, and a plain word is no class."""
    (found,) = asked_users(question)

    assert (found.names, found.owner) == (names, owner)


def test_it_is_what_is_meant() -> None:
    """A session may know what was spoken of before."""
    assert asked_users("who uses it?", "Bank.ask") == (AskedUsers(("Bank.ask",), Relation.USES),)
    assert asked_users("who uses Cart?", "Bank.ask") == (AskedUsers(("Cart",), Relation.USES),)
    assert asked_users("who uses them?", "Bank.ask") == ()
    assert asked_users("which middleware uses it?", "Bank.ask") == (AskedUsers(("Bank.ask",), Relation.USES),)


@pytest.mark.parametrize(
    "question",
    [
        "show me its tests",
        "and its tests?",
        "its tests?",
        "show the tests for that",
        "list all tests of it",
        "is it tested?",
    ],
)
def test_tests_of_what_is_meant_are_asked_for(question: str) -> None:
    """However short the question is."""
    assert asked_users(question, "Bank.ask") == (AskedUsers(("Bank.ask",), Relation.TESTS),)
    assert asked_users(question) == ()


@pytest.mark.parametrize(
    ("question", "name", "relation"),
    [
        ("What does ask_bank call?", "ask_bank", Relation.CALLEES),
        ("Which functions are called by `Bank.ask`?", "Bank.ask", Relation.CALLEES),
        ("Which tests cover Bank::ask?", "Bank::ask", Relation.TESTS),
        ("what tests are there for ask_bank", "ask_bank", Relation.TESTS),
        ("Is there a unit test for ask_bank?", "ask_bank", Relation.TESTS),
        ("How is Bank.ask tested?", "Bank.ask", Relation.TESTS),
        ("What implements the Teller interface?", "Teller", Relation.IMPLEMENTS),
        ("List the implementations of Teller", "Teller", Relation.IMPLEMENTS),
        ("Are there any classes that extend Bank?", "Bank", Relation.INHERITS),
        ("Which classes override ask?", "ask", Relation.OVERRIDES),
        ("Which functions write self.balance?", "self.balance", Relation.SETS),
        ("What modifies c->flags?", "c->flags", Relation.SETS),
        ("Who throws RefusalError?", "RefusalError", Relation.RAISES),
        ("Where is RefusalError handled?", "RefusalError", Relation.CATCHES),
        ("Which files import the vault package?", "vault", Relation.IMPORTS),
        ("Which modules depend on shop/vault?", "shop/vault", Relation.IMPORTS),
        ("List the modules that depend on shop/vault.", "shop/vault", Relation.IMPORTS),
        ("Does the shop depend on @acme/stamps?", "@acme/stamps", Relation.IMPORTS),
        ("Where do we throw Refusal?", "Refusal", Relation.RAISES),
        ("Does anything catch Refusal?", "Refusal", Relation.CATCHES),
        ("Is anyone using ask_bank?", "ask_bank", Relation.USES),
        ("Who creates Cart?", "Cart", Relation.USES),
        ("Do we have tests for ask_bank?", "ask_bank", Relation.TESTS),
        ("Which methods of Bank can raise?", "Bank", Relation.FAILS),
        ("Which exceptions can Bank.ask throw?", "Bank.ask", Relation.FAILS),
        ("Where is BankError::Empty returned?", "BankError::Empty", Relation.RAISES),
        ("Does Desk.serve call ask_bank?", "ask_bank", Relation.CALLS),
        ("Does SmallBank also extend Bank?", "Bank", Relation.INHERITS),
        ("Can `serve` throw RefusalError?", "RefusalError", Relation.RAISES),
    ],
)
def test_a_question_may_ask_for_more_than_use(question: str, name: str, relation: Relation) -> None:
    """Who tests, implements, overrides, changes, raises, catches or imports something, and what it calls."""
    assert asked_users(question) == (AskedUsers((name,), relation),)


@pytest.mark.parametrize(
    "question",
    [
        "What handles POST /users?",
        "Does the desk call Bank?",
        "Does it call ask_bank?",
        "When does Desk.serve throw RefusalError?",
        "Who handles login events?",
        "What does the function that throws return?",
        "How do I write tests for a plugin?",
        "Which functions are never called?",
        "Where is the default timeout set?",
    ],
)
def test_verbs_of_many_meanings_ask_for_no_users(question: str) -> None:
    """Routes and events are handled too, and a value that is set is a setting."""
    assert asked_users(question) == ()


def test_several_questions_are_read_in_their_order() -> None:
    """ "It" is what was spoken of last, whether its users were asked for or not."""
    raised, caught = asked_users("Where is RefusalError thrown, and who catches it?")
    (tested,) = asked_users("What does compose do and which tests cover it?")

    assert (raised.relation, caught.relation) == (Relation.RAISES, Relation.CATCHES)
    assert raised.names == caught.names == ("RefusalError",)
    assert tested == AskedUsers(("compose",), Relation.TESTS)


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("Who catches Refusal and who raises it?", Relation.CATCHES, Relation.RAISES),
        ("What uses Refusal and which tests cover it?", Relation.USES, Relation.TESTS),
        ("Who overrides Refusal and who calls it?", Relation.OVERRIDES, Relation.CALLS),
    ],
)
def test_it_is_what_the_same_question_names_before(question: str, first: Relation, second: Relation) -> None:
    """Whichever of the two is asked first, and whatever the session spoke of."""
    expected = tuple(AskedUsers(("Refusal",), relation) for relation in (first, second))

    assert asked_users(question) == expected
    assert asked_users(question, "Bank.ask") == expected


def test_it_is_nothing_that_the_question_names_later() -> None:
    """Who says "it" first speaks of something before."""
    raised = AskedUsers(("Refusal",), Relation.RAISES)

    assert asked_users("Who calls it and who raises Refusal?") == (raised,)
    assert asked_users("Who calls it and who raises Refusal?", "Bank.ask") == (
        AskedUsers(("Bank.ask",), Relation.CALLS),
        raised,
    )


def test_in_a_long_text_only_calls_bases_and_uses_are_asked_for() -> None:
    """There, other verbs tell what happened."""
    story = "The desk was closed when it rained, so nobody could be served, and we had to wait for the next day. " * 3

    assert asked_users(f"{story} What changes balance, who throws Refusal, and what calls serve_desk?") == (
        AskedUsers(("serve_desk",), Relation.CALLS),
    )


@pytest.mark.parametrize(
    "question",
    [
        "Which function sets the title of the console window?",
        "What updates prefetch count after pools grow?",
        "Which function creates a copy of the timeout object and uses handlers called on start?",
        "What writes chunk of data to a stream?",
    ],
)
def test_a_plain_word_of_a_description_is_no_name(question: str) -> None:
    """Who says more of it describes what something does."""
    assert asked_users(question) == ()


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What sets title?", "title"),
        ("What sets the title attribute of windows?", "title"),
        ("Which functions call save in this project?", "save"),
        ("Who calls start on Response?", "start"),
        ("What calls `save` when a form is valid?", "save"),
        ("What calls save() when a form is valid?", "save"),
    ],
)
def test_a_plain_word_may_be_a_name_where_no_more_is_said_of_it(question: str, name: str) -> None:
    """Marked as code, or the last that the question says."""
    (asked,) = asked_users(question)

    assert asked.names == (name,)


def test_lines_of_comments_use_nothing() -> None:
    """Blocks whose lines begin with no mark, too; a pattern of paths begins none."""
    text = "/**\n   Calls pay().\n */\npay(); // now\nglob('src/**/*.js')\npay()\n/* pay() */\n# pay()\npay()"

    assert [number for number, _ in _code_lines(text)] == [4, 5, 6, 9]
