"""What is checked of a request: its fields, its page token, its deadline."""

from __future__ import annotations

import asyncio

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2
from hypothesis import given
from hypothesis import strategies as st

from common.core.errors import DeadlineExceeded, InvalidArgument, PageTokenInvalid
from common.rpc.callers import Caller, named_caller
from common.rpc.client import deadlines
from common.rpc.paging import PageTokens
from common.rpc.validation import Violations

KEY = b"0123456789abcdef"


def test_all_violations_come_at_once() -> None:
    """One error names every wrong field; right ones raise nothing."""
    violations = Violations()
    violations.raise_if_any()
    violations.require(False, "session_id", "must be set")
    violations.text("a\0b", "question", min_length=1, max_length=2)
    violations.text("  ", "comment", min_length=1, max_length=9)
    violations.number(float("nan"), "rating", minimum=1, maximum=5)
    violations.number(5, "passes", minimum=1, maximum=5)

    with pytest.raises(InvalidArgument) as raised:
        violations.raise_if_any()

    fields = [violation.field for violation in raised.value.violations]
    assert fields == ["session_id", "question", "question", "comment", "rating"]
    assert raised.value.message.startswith("session_id: must be set; question: must have at most 2 characters, has 3")


def test_of_too_many_values_the_first_are_looked_at() -> None:
    """How many there are is one fault, whatever each is; of as many as there may be, each has its field."""
    violations = Violations()

    assert list(violations.items(["a", "b"], "ids", minimum=2, maximum=2)) == [("ids[0]", "a"), ("ids[1]", "b")]
    violations.raise_if_any()
    assert len(list(violations.items(range(1_000_000), "ids", maximum=3))) == 3
    assert list(violations.items([], "spans", minimum=1, maximum=3)) == []
    with pytest.raises(InvalidArgument) as raised:
        violations.raise_if_any()
    assert [each.field for each in raised.value.violations] == ["ids", "spans"]


def test_bounds_are_themselves_allowed() -> None:
    """A text as short or long as it may be is right, as is the least and the greatest number, and is given back."""
    violations = Violations()
    given = violations.text("abc", "name", min_length=3, max_length=3)
    held = violations.require(True, "name", "must be right")
    violations.number(1, "rating", minimum=1, maximum=5)
    violations.number(5, "rating", minimum=1, maximum=5)

    assert not violations
    assert (given, held) == ("abc", True)


@pytest.mark.parametrize(
    ("text", "least", "told"),
    [("", 1, "name: must not be empty"), (" a ", 2, "name: must have at least 2 characters"), ("abcd", 0, "has 4")],
)
def test_a_text_out_of_its_bounds_is_told_how(text: str, least: int, told: str) -> None:
    """Blanks around it do not count for the least, and all counts for the most."""
    violations = Violations()
    violations.text(text, "name", min_length=least, max_length=3)

    assert violations
    with pytest.raises(InvalidArgument, match=told):
        violations.raise_if_any()


@pytest.mark.parametrize(("value", "shown"), [(1234567, "1234567"), (-0.5, "-0.5"), (float("inf"), "inf")])
def test_bounds_are_written_as_people_write_them(value: float, shown: str) -> None:
    """Whole numbers stand in full, whatever their size."""
    violations = Violations()
    violations.number(value, "tokens", minimum=0, maximum=1_000_000)

    with pytest.raises(InvalidArgument, match=f"must be between 0 and 1000000, is {shown}$"):
        violations.raise_if_any()


@given(cursor=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_token_gives_its_cursor_back(cursor: str) -> None:
    """Any cursor survives, also when the size of the page changes, and at a replica with the same key."""
    request = orchestrator_pb2.ListSessionsRequest(page_size=10)
    token = PageTokens(KEY).make(request, cursor)
    following = orchestrator_pb2.ListSessionsRequest(page_size=20, page_token=token)

    assert PageTokens(KEY).read(following, token) == cursor


def test_no_token_is_the_first_page_and_no_cursor_the_last() -> None:
    """Empty stands for empty both ways."""
    tokens = PageTokens()
    request = orchestrator_pb2.ListSessionsRequest()

    assert tokens.read(request, "") == ""
    assert tokens.make(request, "") == ""


@given(text=st.text(max_size=80))
def test_an_invented_token_is_refused(text: str) -> None:
    """Nothing but a token that was made is accepted."""
    tokens = PageTokens(KEY)
    if text:
        with pytest.raises(PageTokenInvalid):
            tokens.read(orchestrator_pb2.ListSessionsRequest(), text)


def test_a_token_with_something_added_is_refused() -> None:
    """Characters that no token has are not passed over."""
    request = orchestrator_pb2.ListSessionsRequest()
    token = PageTokens(KEY).make(request, "cursor")

    for edited in (f"{token[:4]}!{token[4:]}", f"{token}\n", f" {token}", f"{token}=.="):
        with pytest.raises(PageTokenInvalid):
            PageTokens(KEY).read(request, edited)


def test_without_a_key_each_process_reads_its_own_tokens_alone() -> None:
    """The key that it makes is nobody else's."""
    request, tokens = orchestrator_pb2.ListSessionsRequest(), PageTokens()
    token = tokens.make(request, "cursor")

    assert tokens.read(request, token) == "cursor"
    with pytest.raises(PageTokenInvalid):
        PageTokens().read(request, token)


def test_an_edited_or_borrowed_token_is_refused() -> None:
    """Every changed character, another request, another method and another key are noticed."""
    request = orchestrator_pb2.ListIndexDebtRequest(repository="a")
    tokens = PageTokens(KEY)
    token = tokens.make(request, "cursor-17")
    edited = [token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :] for at in range(len(token))]
    others = [(request, each) for each in (*edited, token + "A", token[:-1])]
    others += [(orchestrator_pb2.ListIndexDebtRequest(repository="b"), token)]

    for other, given_token in others:
        with pytest.raises(PageTokenInvalid):
            tokens.read(other, given_token)
    with pytest.raises(PageTokenInvalid):
        tokens.read(orchestrator_pb2.ListSessionsRequest(), token)
    with pytest.raises(PageTokenInvalid):
        PageTokens(b"another key, 16b").read(request, token)


async def test_a_child_gets_what_is_left_less_the_reserve() -> None:
    """Without a deadline the cap holds; with one, the smaller of cap and remainder; without remainder it raises."""
    assert deadlines.remaining() is None
    assert deadlines.child_timeout(3.0) == 3.0

    async def served(seconds: float, share: float = 1.0) -> float:
        deadlines.start_deadline(seconds)
        return deadlines.child_timeout(10.0, reserve_seconds=0.5, share=share)

    assert 1.0 < await asyncio.create_task(served(2.0)) <= 1.5
    assert 0.5 < await asyncio.create_task(served(2.0, share=0.5)) <= 0.75
    assert await asyncio.create_task(served(60.0, share=0.5)) == 10.0
    assert await asyncio.create_task(served(60.0)) == 10.0
    with pytest.raises(DeadlineExceeded):
        await asyncio.create_task(served(0.4))
    assert deadlines.remaining() is None


def test_a_context_may_have_no_deadline() -> None:
    """remaining() passes None on, and never goes below zero."""

    class Context:
        def __init__(self, left: float | None) -> None:
            self.left = left

        def time_remaining(self) -> float | None:
            return self.left

    assert [deadlines.remaining(Context(left)) for left in (None, 2.0, -1.0)] == [None, 2.0, 0.0]


@pytest.mark.parametrize(("name", "expected"), [("ann", "ann"), ("", "local"), ("a/b@c:d.e-f_1", "a/b@c:d.e-f_1")])
def test_trusted_metadata_takes_plain_names(name: str, expected: str) -> None:
    """Without a name the caller is the local user."""
    assert named_caller({"x-cgrag-caller": name}) == Caller(expected)


@pytest.mark.parametrize("name", ["a b", "x" * 129, "é", " "])
def test_trusted_metadata_refuses_other_names(name: str) -> None:
    """Names that could not go into logs as they are do not make their owners one caller."""
    with pytest.raises(InvalidArgument) as caught:
        named_caller({"x-cgrag-caller": name})

    assert [each.field for each in caught.value.violations] == ["x-cgrag-caller"]
