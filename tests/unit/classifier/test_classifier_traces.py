"""Stack traces of every language that is read."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from classifier.domain.traces import MAX_MESSAGE_CHARS, find_traces
from common.core.contract.question import StackFrame

TRACES = tomllib.loads((Path(__file__).parents[2] / "golden" / "traces.toml").read_text(encoding="utf-8"))
PYTHON, JAVA, RUST = (TRACES[language]["text"] for language in ("python", "java", "rust"))
PYTHON_CHAINED = """Traceback (most recent call last):
  File "a.py", line 1, in load
    open(path)
FileNotFoundError: [Errno 2] No such file or directory: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "b.py", line 2, in start
    load()
django.core.exceptions.ImproperlyConfigured: settings are missing
"""


@pytest.mark.parametrize(("language", "expected"), TRACES.items(), ids=TRACES)
def test_trace_gives_frames_outermost_first_with_exception_and_message(language: str, expected: dict[str, Any]) -> None:
    """Whatever order a language prints, the outermost frame comes first; type and message come from the head."""
    trace = find_traces(f"It fails:\n{expected['text']}\nWhy?")

    ends = [[frame.path, frame.line, frame.function] for frame in (trace.frames[0], trace.frames[-1])]
    assert ends == [expected["outermost"], expected["innermost"]]
    assert {frame.language for frame in trace.frames} == {language}
    assert trace.messages[0] == expected["message"]
    assert (expected["exception"] in trace.exceptions) if expected["exception"] else not trace.exceptions


def test_chained_python_traces_give_every_exception() -> None:
    """An exception raised while handling another is found as well, also one whose name has no usual ending."""
    trace = find_traces(PYTHON_CHAINED)

    assert trace.exceptions == ("FileNotFoundError", "django.core.exceptions.ImproperlyConfigured")
    assert [frame.path for frame in trace.frames] == ["a.py", "b.py"]


def test_java_cause_is_found() -> None:
    """The exception behind "Caused by" counts too."""
    assert "java.lang.NullPointerException" in find_traces(JAVA).exceptions


def test_python_trace_survives_lost_line_breaks_and_quoting() -> None:
    """A trace folded onto one line by a form, or quoted with ">", still gives frames and the last line."""
    flat = find_traces(" ".join(PYTHON.split()))
    quoted = find_traces("".join(f"> {line}\n" for line in PYTHON.splitlines()))

    assert [frame.line for frame in flat.frames] == [22, 41]
    assert flat.exceptions == ("TypeError",)
    assert quoted.exceptions == ("TypeError",)
    assert quoted.messages == ("unsupported operand type(s) for +: 'int' and 'str'",)


def test_plain_prose_has_no_frames() -> None:
    """Words such as "at" and "panic" alone are no trace."""
    trace = find_traces("At line 12 we panic: look at src/main.py:12 or at Foo.bar in the docs (see README.md:3).")

    assert trace.frames == ()


@pytest.mark.parametrize(
    "unit",
    [
        "at a.b(",
        'File "',
        "#1 ",
        "a.",
        "\n",
        "at ",
        "panic: ",
        "panic: x [recovered",
        "@x://",
        ".go:",
        "x:1:in `",
        "a.py in f\n",
    ],
)
def test_hostile_text_is_read_in_linear_time(unit: str) -> None:
    """The longest text allowed, made of what patterns start with, comes back at all (a quadratic one would not)."""
    assert find_traces(unit * (100_000 // len(unit))).exceptions == ()


def test_frames_of_firefox_and_safari() -> None:
    """They write function@url:line:column, with nothing before the @ where the code has no name."""
    trace = find_traces(
        "TypeError: order is undefined\n"
        "total@http://localhost:3000/src/cart.js:41:7\n"
        "@webpack-internal:///./src/main.js:9:1\n"
        "promise callback*start@http://localhost:3000/src/app.js:3:5\n"
    )

    assert trace.frames[-1] == StackFrame("http://localhost:3000/src/cart.js", 41, "total", "javascript")
    assert [(frame.line, frame.function) for frame in trace.frames] == [(3, "start"), (9, ""), (41, "total")]
    assert (trace.exceptions, trace.messages) == (("TypeError",), ("order is undefined",))


def test_private_members_of_javascript_have_their_sign() -> None:
    """V8 and Firefox write it."""
    v8 = find_traces(
        "Error: x\n    at #settle (file:///srv/till.js:7:23)\n    at async Till.charge (file:///srv/till.js:3:5)\n"
    )
    firefox = find_traces("Error: x\n#settle@https://shop/till.js:7:23\ncharge@https://shop/till.js:3:5\n")

    assert [(each.line, each.function) for each in v8.frames] == [(3, "Till.charge"), (7, "#settle")]
    assert [(each.line, each.function) for each in firefox.frames] == [(3, "charge"), (7, "#settle")]


def test_an_address_with_a_port_is_no_frame() -> None:
    """Logins are written with an @ too."""
    assert find_traces("me@http://localhost:3000\ngit@ssh://host:22/repo.git").frames == ()


def test_what_v8_writes_around_a_name_goes() -> None:
    """`new` before a constructor, and under which name a function was called."""
    trace = find_traces("    at new View (lib/view.js:52:3)\n    at Object.send [as end] (lib/response.js:9:1)\n")

    assert [frame.function for frame in trace.frames] == ["Object.send", "View"]


def test_a_go_panic_on_windows_that_was_recovered() -> None:
    """A drive stands before the path, and what became of the first panic is no part of its message."""
    trace = find_traces(
        "panic: first went wrong [recovered]\n"
        "\tpanic: then this\n\n"
        "goroutine 1 [running]:\n"
        "shop.(*Cart).Total(...)\n"
        "\tC:/Users/me/shop/cart.go:31 +0x1d\n"
    )

    assert trace.frames == (StackFrame("C:/Users/me/shop/cart.go", 31, "shop.(*Cart).Total", "go"),)
    assert trace.messages == ("first went wrong", "then this")


NOTEBOOK = """It fails in a notebook
ValueError                                Traceback (most recent call last)
<ipython-input-3-1c2b> in <module>
----> 1 cart.add("pear")

~/lib/shop/cart.py in add(self, item, **more)
     11         # full?
---> 12         self.check(item)

File ~/lib/shop/stock.py:30, in Stock.check(item)
     29     pass
---> 30     raise ValueError(item)

ValueError: pear
"""


def test_frames_of_notebooks_and_what_they_raised() -> None:
    """Older notebooks give the line by an arrow below the call, newer ones after the path."""
    trace = find_traces(NOTEBOOK)

    assert trace.frames == (
        StackFrame("~/lib/shop/cart.py", 12, "add", "python"),
        StackFrame("~/lib/shop/stock.py", 30, "Stock.check", "python"),
    )
    assert trace.exceptions == ("ValueError",)
    assert trace.messages == ("pear",)


@pytest.mark.parametrize(
    "text", ["retry.py in transport", "app.py in src", "File models.py in shop", "Slow\n\nurls.py in shop"]
)
def test_a_file_in_a_folder_is_no_frame(text: str) -> None:
    """A frame has a line, arguments or angle brackets."""
    assert find_traces(text).frames == ()


@pytest.mark.parametrize(
    ("head", "end"),
    [
        ("panicked at '", "', src/cart.rs:7"),
        ("cart.rb:1:in `add': ", " (CartFull)"),
        ("Uncaught E: ", " in /shop/cart.php:3"),
    ],
)
def test_messages_end_within_600_characters(head: str, end: str) -> None:
    """Their end is looked for that far only: beginnings of messages on one long line would be read again and again."""
    assert find_traces(f"{head}{'x' * 600}{end}").messages == ("x" * MAX_MESSAGE_CHARS,)
    assert find_traces(f"{head}{'x' * 601}{end}").messages == ()


def test_frames_of_pytest() -> None:
    """A line of path, number and function is a frame; prose about a file is none."""
    trace = find_traces(
        "It fails\nshop/cart.py:12: in add\n    self.check(item)\nThe loop of cart.py in shop is slow\n"
    )

    assert trace.frames == (StackFrame("shop/cart.py", 12, "add", "python"),)


def test_an_exception_of_any_name_is_read_above_frames_of_javascript() -> None:
    """Classes of errors need not be called errors; a line that no frame follows is prose."""
    text = "BadCard: We take no amex.\n    at charge (/usr/src/app/charge.js:86:15)\n"
    trace = find_traces(text)

    assert (trace.exceptions, trace.messages) == (("BadCard",), ("We take no amex.",))
    assert find_traces(text.replace(" amex.\n", " amex.\nWhy?\n")).exceptions == ()


@pytest.mark.parametrize(
    "text",
    [
        RUST.replace("   0:", "   0: rust_begin_unwind\n   1: core::panicking::panic_fmt\n   2:")
        + "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
        JAVA + "\tat java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke0(Native Method)\n",
    ],
)
def test_frames_without_a_file_are_not_what_a_question_speaks_of(text: str) -> None:
    """What runs the program is in every trace."""
    trace = find_traces(text)
    rest = "".join(char for at, char in enumerate(text) if not any(start <= at < end for start, end in trace.spans))

    assert "core::panicking" not in rest
    assert "rust_begin_unwind" not in rest
    assert "RUST_BACKTRACE" not in rest
    assert "invoke0" not in rest
