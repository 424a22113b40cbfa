"""What a question asks the users of."""

from __future__ import annotations

import pytest

from retriever.domain.users import AskedUsers, Relation, asked_users


@pytest.mark.parametrize(
    ("question", "name", "relation"),
    [
        ("What calls ask_bank?", "ask_bank", Relation.CALLS),
        ("which functions call `Bank.ask()`?", "Bank.ask", Relation.CALLS),
        ("who is calling the method Bank.ask", "Bank.ask", Relation.CALLS),
        ("Where does ask get called?", "ask", Relation.CALLS),
        ("callers of ask_bank", "ask_bank", Relation.CALLS),
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
    ],
)
def test_a_question_about_users_names_what_they_use(question: str, name: str, relation: Relation) -> None:
    """In whatever voice it is asked."""
    assert asked_users(question) == AskedUsers((name,), relation)


@pytest.mark.parametrize(
    "question",
    [
        "What does ask_bank call?",
        "How do I use Bank?",
        "What happens when Bank calls ask?",
        "Why is ask called twice?",
        "Where is the cache stored?",
        "Who calls it?",
        "What is used by Bank?",
        "Is it safe to delete a user while it is logged in?",
        "Why does the login fail when changing my_password?",
        "What would break if I change it?",
    ],
)
def test_other_questions_ask_for_no_users(question: str) -> None:
    """What something itself calls is the flow from it."""
    assert asked_users(question) is None


@pytest.mark.parametrize(
    ("question", "names", "owner"),
    [
        ("What calls begin or start on Response?", ("begin", "start"), "Response"),
        ("Who uses `begin()`, or `start()`?", ("begin", "start"), ""),
        ("callers of start of the class Response", ("start",), "Response"),
        ("What calls start and where is it defined?", ("start",), ""),
        ("What calls start in the worker?", ("start",), ""),
    ],
)
def test_several_names_and_their_owner_are_read(question: str, names: tuple[str, ...], owner: str) -> None:
    """A further question is no further name, and a plain word is no class."""
    found = asked_users(question)

    assert found is not None
    assert (found.names, found.owner) == (names, owner)


def test_it_is_what_is_meant() -> None:
    """A session may know what was spoken of before."""
    assert asked_users("who uses it?", "Bank.ask") == AskedUsers(("Bank.ask",), Relation.USES)
    assert asked_users("who uses Cart?", "Bank.ask") == AskedUsers(("Cart",), Relation.USES)
    assert asked_users("who uses them?", "Bank.ask") is None
