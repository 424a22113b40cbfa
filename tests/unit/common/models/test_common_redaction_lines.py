"""Secrets in lines without end."""

from __future__ import annotations

import pytest

from common.model.redaction import Redactor
from tests.fakes.latency import within

SECRET = "hJ7kQ2mZ9xLp4Rt8Wv3Yb6Nc"


@pytest.mark.parametrize("at", [0, 470, 480, 490, 500, 980, 990, 1000, 2500])
def test_a_secret_is_found_wherever_it_stands_in_a_long_line(at: int) -> None:
    """Long lines are read in pieces, and no secret falls between two of them."""
    filler = "a b " * 800
    line = f"{filler[:at]} password = '{SECRET}' {filler[at:]}"

    redacted = Redactor().redact(line)

    assert SECRET not in redacted
    assert redacted.count("[redacted]") == 1


def test_a_line_of_nothing_but_keywords_is_read_in_time() -> None:
    """The time grows with the length: twice the line takes no four times as long, and a long one no minutes."""
    with within(6.0):
        Redactor().redact("api_key" * 1500)
