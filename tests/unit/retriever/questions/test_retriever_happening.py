"""What a question says that happens."""

from __future__ import annotations

import pytest

from retriever.domain.happening import Happening, happening_of
from retriever.domain.questions.understanding import QuestionPart, Slot, SlotKind


def happening(condition: str) -> Happening:
    """Return what a condition says that happens."""
    found = happening_of(QuestionPart(slots=(Slot(SlotKind.CONDITION, condition),)))
    assert found
    return found


@pytest.mark.parametrize(
    ("condition", "who", "deed"),
    [
        ("pool is closed by the client", "Pool", "close"),
        ("order gets cancelled", "order", "cancel"),
        ("worker dies in the middle of an order", "Worker", "on_killed"),
        ("cache expires", "Cache", "evict"),
        ("required price is missing", "Price", "check_required"),
    ],
)
def test_what_happens_is_done_by_what_is_called_after_two_of_its_words(condition: str, who: str, deed: str) -> None:
    """In any form of a word, or by a synonym; one word is said of much else."""
    found = happening(condition)

    assert found.is_done_by(f"{who}.{deed}")
    assert not found.is_done_by(f"Letter.{deed}")
    assert not found.is_done_by(f"{who}.describe")


def test_without_a_condition_nothing_happens() -> None:
    """Words that stand in any text say nothing."""
    assert happening_of(QuestionPart()) is None
    assert happening_of(QuestionPart(slots=(Slot(SlotKind.CONDITION, "it is so"),))) is None


@pytest.mark.parametrize(
    ("name", "is_told"),
    [
        ("on_disconnect", True),
        ("handleDisconnect", True),
        ("connection_lost", True),
        ("ClientDisconnect", False),
        ("is_disconnected", False),
        ("disconnect", False),
        ("one_disconnect", False),
        ("on_connect", False),
    ],
)
def test_who_is_told_of_it_is_called_so(name: str, *, is_told: bool) -> None:
    """A handler of the event, or a failure; who does it is told of nothing."""
    assert happening("client disconnects").is_told(name) is is_told


@pytest.mark.parametrize(
    ("condition", "name", "is_met"),
    [
        ("client disconnects", "ClientDisconnect", True),
        ("client disconnects", "ClientLostError", True),
        ("client disconnects", "Disconnect", False),
        ("order is refused", "OrderError", False),
    ],
)
def test_a_failure_is_called_like_what_happens(condition: str, name: str, *, is_met: bool) -> None:
    """And like whom it happens to."""
    assert happening(condition).is_met_as(name) is is_met


@pytest.mark.parametrize(
    ("condition", "name", "is_exceeded"),
    [
        ("there are too many orders", "TooManyOrders", True),
        ("order limit is exceeded", "MaxOrdersError", True),
        ("order limit is exceeded", "PageTooLarge", False),
        ("order expires", "TooManyOrders", False),
    ],
)
def test_beyond_a_limit_a_failure_has_one_of_a_few_names(condition: str, name: str, *, is_exceeded: bool) -> None:
    """All that the condition says besides the limit is in the name."""
    assert happening(condition).is_exceeded_as(name) is is_exceeded


def test_what_it_is_of_a_way_is_whose_way_it_is() -> None:
    """The method of that type which is called so and no more is what is done."""
    found = happening("order is closed")

    assert [found.is_own_of(each) for each in ("ProxyOrder.close", "Till.close", "Order.closeAll")] == [
        True,
        False,
        False,
    ]
