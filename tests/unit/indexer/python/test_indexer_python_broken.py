"""Python that the running interpreter refuses: what parses keeps its symbols, lines and messages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.adapters.languages.registry import languages

_NEWER = 'def alpha(d): return f"{d["a"]} and {d[\'b\']}"\n\n\ndef beta():\n    raise ValueError("beta failed")\n'
_BROKEN = """import os


def whole():
    return os.name


def lost(:
    return 2


class Kept:
    def bad(self):
        x = = 3
        return x

    def good(self):
        return 1
"""
_UNFINISHED = (
    "def begun():\n    if todo:  # what then?\n        # nothing yet\n    return 1\n\n\n"
    "class Empty:\n\n\ndef done(): pass\n"
)
_MERGED = "<<<<<<< ours\ndef one(): return 1\n=======\ndef two(): return 2\n>>>>>>> theirs\ndef three(): pass\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (_NEWER, [("alpha", 1, 1), ("beta", 4, 5)]),
        (
            _BROKEN,
            [("whole", 4, 5), ("Kept", 12, 18), ("Kept.bad", 13, 15), ("Kept.good", 17, 18)],
        ),
        (_UNFINISHED, [("begun", 1, 4), ("Empty", 7, 7), ("done", 10, 10)]),
        ("import a\n    --flag value\ndef after(): return 2\n", [("after", 3, 3)]),
        (_MERGED, [("one", 2, 2), ("two", 4, 4), ("three", 6, 6)]),
    ],
)
def test_what_parses_is_kept_where_it_stands(text: str, names: list[tuple[str, int, int]]) -> None:
    """A statement with an error costs itself; what is around it has its lines."""
    parsed = languages()["python"].parse("a.py", "a", text)

    assert parsed.error == ""
    assert [(each.qualified_name, each.start_line, each.end_line) for each in parsed.symbols[1:]] == names


def test_messages_of_newer_syntax_are_read() -> None:
    """What is raised in a file of a newer version counts as everywhere."""
    parsed = languages()["python"].parse("a.py", "a", _NEWER)

    assert [fact.value for fact in parsed.facts] == ["ValueError", "beta failed"]


@pytest.mark.parametrize("text", ["def lost(:\n    return 2\n", "x = (\n", "?\n", "  \x00"])
def test_a_file_of_which_nothing_is_left_says_why(text: str) -> None:
    """It is text with the reason."""
    parsed = languages()["python"].parse("a.py", "a", text)

    assert parsed.error
    assert len(parsed.symbols) == 1


@given(st.text(alphabet=st.sampled_from("ab(:)=\n \"'{}f<>")))
def test_no_text_is_too_broken(text: str) -> None:
    """Whatever it is, it is read or refused, and its symbols lie within it."""
    parsed = languages()["python"].parse("a.py", "a", text)

    assert all(each.end_line <= text.count("\n") + 1 for each in parsed.symbols)
