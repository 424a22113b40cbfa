"""Lists of users, as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from common.core.contract.evidence import Span
from common.core.contract.understanding import Relation
from retriever.domain.values import Symbol, SymbolKind
from retriever.domain.views.listing import User, UserList

_ASK = Symbol(1, 1, None, SymbolKind.FUNCTION, "bank.py", "bank", "python", False, "ask", "ask", 3, 9, "", "")
_USER = User("ask", _ASK, Span("bank.py", 6, 6))


@pytest.mark.parametrize(
    ("user", "told"),
    [
        (_USER, "ask (bank.py:3) at line 6"),
        (replace(_USER, place=Span("bank.py", 0, 0)), "ask (bank.py:3)"),
        (replace(_USER, place=Span("desk.py", 6, 6)), "ask (bank.py:3) at desk.py:6"),
        (replace(_USER, others=1), "ask (bank.py:3) at line 6 or another of that name"),
        (replace(_USER, others=2, through="take"), "ask (bank.py:3) at line 6 or 2 others of that name through take"),
    ],
)
def test_a_user_is_told_with_its_place_and_that_of_the_use(user: User, told: str) -> None:
    """Where that is known and elsewhere, and with those that may be meant as well."""
    assert user.told() == told


def test_what_is_not_there_is_not_counted() -> None:
    """A list that is whole ends with its last user."""
    assert UserList("take", Relation.CALLS, None, 1, (_USER,)).text() == (
        "take is called by 1\n- ask (bank.py:3) at line 6\n"
    )


def test_of_a_list_that_was_cut_only_what_is_shown_is_left() -> None:
    """Of each kind; it counts what it did."""
    other = replace(_USER, name="other")
    whole = UserList("take", Relation.TESTS, None, 9, (_USER, other), 0, (_USER, other), (_USER, other), ("a", "b"))
    lines = whole.text().split("\n")

    shown = whole.within("\n".join(line for line in lines if "other" not in line and line != "b"))

    assert shown == replace(whole, listed=(_USER,), unsure=(_USER,), named_after=(_USER,), notes=("a",))
