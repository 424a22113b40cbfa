"""Where traces begin and end in a text: what is left of it, what closes them, and how much is read."""

from __future__ import annotations

import pytest

from classifier.domain.traces import find_traces
from common.core.contract.question import StackFrame

_PYTHON = '  File "a.py", line 3, in run\n    charge(cart)\nBadCard: declined  \n'
_JAVA = "java.lang.Bad: no\n\tat shop.Cart.run(Cart.java:7)\n"
_BROWSER = "TypeError: no\n    at pay (app.js:4:2)\n"


def _left(text: str) -> str:
    """Return a text without its traces, its blanks put together."""
    for start, end in sorted(find_traces(text).spans, reverse=True):
        text = text[:start] + text[end:]
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"It fails:\n{_PYTHON}Why does Cart?", "It fails: Why does Cart?"),
        ('It fails:\n  File "a.py", line 3, in run\n    charge(cart)', "It fails:"),
        ('>>> run()\n  File "<stdin>", line 1, in <module>\nBadCard: declined\nWhy?', ">>> run() Why?"),
        ('It fails: File "a.py", line 3, in run or in Cart\nWhy?', "It fails: or in Cart Why?"),
        ("It fails\n\tat shop.Cart.run(Cart.java:7)\nWhy does Cart?", "It fails Why does Cart?"),
        ("It stops\nat shop.Cart.run(Native Method)\nWhy?", "It stops at shop.Cart.run(Native Method) Why?"),
    ],
)
def test_what_is_no_trace_is_left(text: str, left: str) -> None:
    """A frame of Python takes the line of source below it along; what looks like a frame alone is none."""
    assert _left(text) == left


@pytest.mark.parametrize("text", [_PYTHON + _BROWSER, _BROWSER + _PYTHON])
def test_traces_of_two_languages_are_both_read(text: str) -> None:
    """Whichever stands first."""
    frames = find_traces(text).frames

    assert frames == (StackFrame("a.py", 3, "run", "python"), StackFrame("app.js", 4, "pay", "javascript"))


@pytest.mark.parametrize(
    ("text", "exceptions", "messages"),
    [
        (_PYTHON + "Why?", ("BadCard",), ("declined",)),
        ('Why?\n  File "<stdin>", line 1, in <module>\nBadCard: declined\nIt is so.', ("BadCard",), ("declined",)),
        ('> >   File "<stdin>", line 1, in f\n> > shop.Bad\n> > Why is it so?', ("shop.Bad",), ()),
        ('File "a.py", line 3, in run\nself.total\nBadCard: declined\nWhy?', ("BadCard",), ("declined",)),
        ('It says File "a.py", line 3\nself.total\nBadCard: declined\nWhy?', ("BadCard",), ("declined",)),
        ('  File "a.py", line 3, in run\n    self.total\nBadCard: declined\nWhy?', ("BadCard",), ("declined",)),
        ('  File "a.py", line 3, in run\n    charge(cart)\nwhy\n', (), ()),
        ('  File "a.py", line 3, in run\n    charge(cart)\n' + "so it goes\n" * 200 + "Thanks\n", (), ()),
        (_JAVA + "So it is.\nPlease: help\n", ("java.lang.Bad",), ("no",)),
        ("Unhandled exception. shop.Bad: no", ("shop.Bad",), ("no",)),
    ],
)
def test_a_trace_is_closed_by_what_was_raised(
    text: str, exceptions: tuple[str, ...], messages: tuple[str, ...]
) -> None:
    """Not by a word of the person who asks."""
    found = find_traces(text)

    assert (found.exceptions, found.messages) == (exceptions, messages)


def test_a_frame_without_a_line_has_none() -> None:
    """As compiled code without its lines shows it."""
    assert find_traces("at shop.Cart.run(Cart.java)").frames == (StackFrame("Cart.java", 0, "shop.Cart.run", "java"),)


def test_of_an_endless_trace_a_hundred_frames_are_read() -> None:
    """And of a message as many characters as are looked up."""
    frames = "".join(f'  File "a{number}.py", line 3, in run\n    run()\n' for number in range(150))

    found = find_traces(f"{frames}BadCard: {'x' * 400}\n")

    assert [each.path for each in found.frames] == [f"a{number}.py" for number in range(100)]


def test_a_message_is_cut() -> None:
    """Three hundred characters tell it from others."""
    assert find_traces(f'  File "a.py", line 3, in run\n    run()\nBadCard: {"x" * 400}\n').messages == ("x" * 300,)
