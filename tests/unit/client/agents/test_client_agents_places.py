"""Paths and ranges as agents write them."""

from __future__ import annotations

import pytest

from cgrag_client.agents.places import Place, parse_place


@pytest.mark.parametrize(
    ("written", "start", "end", "place"),
    [
        ("u.py", None, None, Place("u.py")),
        ("./u.py", None, None, Place("u.py")),
        ("a/./b.py", None, None, Place("a/b.py")),
        ("u.py:4", None, None, Place("u.py", 4, 4)),
        ("u.py:4-5", None, None, Place("u.py", 4, 5)),
        ("u.py#L4-L5", None, None, Place("u.py", 4, 5)),
        ("u.py:4:9", None, None, Place("u.py", 4, 9)),
        ("u.py", 3, 999, Place("u.py", 3, 999)),
        ("u.py:4-5", 7, None, Place("u.py", 7, 7)),
        ("u.py", None, 5, Place("u.py", 1, 5)),
        ("u.py", 9, 2, Place("u.py", 9, 9)),
        ("/home/ada/shop/app/u.py:2", None, None, Place("app/u.py", 2, 2)),
        ("/elsewhere/u.py", None, None, Place("/elsewhere/u.py")),
        ("C:u.py", None, None, Place("C:u.py")),
    ],
)
def test_places_are_read_in_every_usual_form(written: str, start: int | None, end: int | None, place: Place) -> None:
    """What is given apart from the path wins."""
    assert parse_place(written, start, end, root="/home/ada/shop") == place
