"""Plain words that a question says are called."""

from __future__ import annotations

import pytest

from retriever.domain.asked.called import called_names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Trace what happens when dcmread is called on a file", ("dcmread",)),
        ("What happens after `settle` gets run, and settle is called again?", ("settle",)),
        ("Show the flow of a call to checkout", ("checkout",)),
        ("Walk through charge", ("charge",)),
        ("Trace charge from the till to the bank", ("charge",)),
        ("Follow the request through the stack", ()),
        ("How does an order get from checkout to the bank?", ("checkout",)),
        ("How do orders differ from year to year?", ("year",)),
        ("What happens when it is called?", ()),
        ("Trace request handling", ()),
    ],
)
def test_what_is_said_to_be_called_is_read(question: str, names: tuple[str, ...]) -> None:
    """Function words are no names, and what is traced alone is one only where nothing else is."""
    assert called_names(question) == names
