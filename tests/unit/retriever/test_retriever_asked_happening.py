"""What a question says that happens, and how code takes up a failure."""

from __future__ import annotations

import pytest

from retriever.domain.asked.happening import asked_happening, catches


@pytest.mark.parametrize(
    ("question", "who", "deed", "is_failure"),
    [
        ("What happens when a handler raises an exception?", "Handler", "", True),
        ("What happens if the worker panics?", "worker_pool", "", True),
        ("What happens to the pool when all orders fail?", "Order", "", True),
        ("What happens when a pool is closed by the client?", "Pool", "close", False),
        ("What happens once an order gets cancelled?", "order", "cancel", False),
        ("What happens when a worker dies in the middle of an order?", "Worker", "on_killed", False),
        ("What happens if the cache expires?", "Cache", "evict", False),
        ("What happens when an order times out?", "order", "timeout", False),
        ("What happens when a required price is missing?", "Price", "check_required", False),
        ("What happens if the price isn't set?", "Price", "missing", False),
    ],
)
def test_it_is_a_failure_or_a_deed(question: str, who: str, deed: str, *, is_failure: bool) -> None:
    """Whoever does it is not whom it happens to."""
    happening = asked_happening(question)

    assert happening is not None
    assert happening.is_failure is is_failure
    assert happening.is_spoken_of(who)
    assert not happening.is_spoken_of("Client")
    assert happening.is_done_by(f"{who}.{deed}") is (not is_failure)


@pytest.mark.parametrize(
    "question",
    [
        "What happens when the pool has no workers?",
        "What happens when two workers take one order?",
        "What happens when close is called?",
        "What happens when a price is given?",
        "What happens in the pool?",
        "How is a pool closed?",
    ],
)
def test_what_is_said_of_anything_is_no_deed(question: str) -> None:
    """Nor does any other question ask for one."""
    assert asked_happening(question) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f():\n    try:\n        g()\n    except Exception as error:\n        pass\n", 4),
        ("try:\n    g()\nexcept:\n    pass\n", 3),
        ("try:\n    g()\nexcept (BaseException, OSError):\n    pass\n", 3),
        ("try:\n    g()\nexcept KeyError:\n    pass\n", 0),
        ("try { g(); } catch (error) { h(); }\n", 1),
        ("try {\n  g();\n} catch (final Exception e) {\n", 3),
        ("try {\n  g();\n} catch (IOException e) {\n", 0),
        ("return g().catch(report)\n", 1),
        ("defer func() {\n\tif r := recover(); r != nil {\n", 2),
        ("begin\n  g\nrescue => error\nend\n", 3),
        ("def __exit__(self, exc_type, exc, tb):\n    if exc_type is not None:\n        self.undo()\n", 2),
        ("def __exit__(self, exc_type, exc, tb):\n    self.close()\n", 0),
        ("def catch_all(self): pass\n", 0),
    ],
)
def test_only_what_takes_up_any_failure_counts(text: str, line: int) -> None:
    """One kind of failure is taken up for a reason of its own."""
    assert catches(text) == line


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
    happening = asked_happening("What happens when a client disconnects?")

    assert happening is not None
    assert happening.is_told(name) is is_told


@pytest.mark.parametrize(
    ("question", "name", "is_met"),
    [
        ("What happens when a client disconnects?", "ClientDisconnect", True),
        ("What happens when a client disconnects?", "ClientLostError", True),
        ("What happens when a client disconnects?", "Disconnect", False),
        ("What happens when there are too many orders?", "TooManyOrders", True),
        ("What happens when the order limit is reached?", "MaxOrdersError", True),
        ("What happens when an order is too large?", "OrderTooLarge", True),
        ("What happens when an order is too large?", "PageTooLarge", False),
        ("What happens when an order is too large?", "OrderError", False),
    ],
)
def test_a_failure_is_called_like_what_happens(question: str, name: str, *, is_met: bool) -> None:
    """And like whom it happens to; beyond a limit it has one of a few names."""
    happening = asked_happening(question)

    assert happening is not None
    assert happening.is_met_as(name) is is_met


def test_what_it_is_of_a_way_is_whose_way_it_is() -> None:
    """The method of that type which is called so and no more is what is done."""
    happening = asked_happening("How does an order get back to the buyer when it is closed?")

    assert happening is not None
    assert [happening.is_own_of(each) for each in ("ProxyOrder.close", "Till.close", "Order.closeAll")] == [
        True,
        False,
        False,
    ]
