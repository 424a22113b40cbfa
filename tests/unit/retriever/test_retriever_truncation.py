"""Truncation: by whole lines, the head first, and saying how much is missing."""

from __future__ import annotations

from retriever.domain.truncation import Anatomy, anatomy, cut
from tests.fakes.counting import WordCounter

_FUNCTION = '''@cached
def load(
    path: str,
) -> bytes:
    """
    Load a file.

    This goes on for many words that nobody needs when there is little room, and then it still goes on.
    """
    first = 1
    second = 2
    third = 3
    raise LoadError(path)
    unreachable = 4
'''


def test_the_head_ends_where_the_declaration_does() -> None:
    """Decorators, a declaration over several lines, then the documentation string."""
    assert anatomy(_FUNCTION.splitlines()) == Anatomy(head=4, doc_end=9)
    assert anatomy(["def f(): return 1"]) == Anatomy(1, 1)
    assert anatomy(["class A:", '    """One line."""', "    x = 1"]) == Anatomy(1, 2)
    assert anatomy(["func (c *Client) Send() error {", "    return nil", "}"]) == Anatomy(1, 1)
    assert anatomy(["def f(", "    rows: list[int],", ") -> int:", "    return rows[0]"]) == Anatomy(3, 3)
    assert anatomy(["# What it is for:", "@cached  # of old:", "def f():", "    return 1"]) == Anatomy(3, 3)
    assert anatomy(["def f(a):  # type: ignore", '    """One line."""', "    if a:", "        g()"]) == Anatomy(1, 2)
    assert anatomy(["    # What it is for:", "    @cached", "    def f(self):", "        x"]) == Anatomy(3, 3)
    assert anatomy(["function f(options: {", "  a: string;", "}): void {", "  g();"]) == Anatomy(3, 3)
    assert anatomy(["LIMIT = 1", "OTHER = 2"]) == Anatomy(1, 1)
    assert anatomy([*["x = 1"] * 60, "if x:"]) == Anatomy(1, 1)
    assert anatomy(["def f():", '    """Never ends.', "    x = 1"]) == Anatomy(1, 3)


def test_what_fits_is_left_alone() -> None:
    """A text within its limit comes back as it is."""
    whole = cut(_FUNCTION, 100, WordCounter())

    assert whole
    assert (whole.text, whole.truncated_lines) == (_FUNCTION, 0)


def test_what_fits_exactly_is_left_alone() -> None:
    """As many tokens and lines as there may be are not too many; one less of either cuts."""
    lines, tokens = _FUNCTION.count("\n"), WordCounter().count(_FUNCTION)

    whole = cut(_FUNCTION, tokens, WordCounter(), max_lines=lines)
    shorter = cut(_FUNCTION, tokens - 1, WordCounter(), max_lines=lines)
    lower = cut(_FUNCTION, tokens + 9, WordCounter(), max_lines=lines - 1)

    assert whole and shorter and lower  # noqa: PT018 (each is there)
    assert (whole.text, whole.truncated_lines) == (_FUNCTION, 0)
    assert shorter.truncated_lines > 0
    assert lower.truncated_lines == 1


def test_a_cut_that_saves_nothing_is_not_made() -> None:
    """The line that tells of one short line costs more than that line."""
    text = 'def f():\n    """A\n    very short text.\n    """\n    return 1\n'

    whole = cut(text, 100, WordCounter(), docstring_chars=19)

    assert whole
    assert (whole.text, whole.tokens, whole.truncated_lines) == (text, WordCounter().count(text), 0)


def test_signature_docstring_and_first_lines_are_kept() -> None:
    """A cut text starts with its head and summary, goes on as far as there is room, and counts what is missing."""
    short = cut(_FUNCTION, 26, WordCounter(), docstring_chars=30)

    assert short
    assert short.text == (
        '@cached\ndef load(\n    path: str,\n) -> bytes:\n    """\n    Load a file.\n\n'
        "... (2 lines cut)\n    first = 1\n    second = 2\n... (3 lines cut)\n"
    )
    assert short.tokens == 26
    assert short.truncated_lines == 5


def test_lines_in_focus_are_kept_before_the_rest_of_the_body() -> None:
    """The line that raises is shown even if the lines before it are not."""
    text = "def f():\n" + "".join(f"    line = {number}\n" for number in range(50)) + "    raise Found\n"

    short = cut(text, 28, WordCounter(), focus=(51,))
    middle = cut(text, 25, WordCounter(), focus=(20,))

    assert short and middle  # noqa: PT018 (each is there)
    assert short.text == (
        "def f():\n    line = 0\n    line = 1\n    line = 2\n    line = 3\n... (44 lines cut)\n"
        "    line = 48\n    line = 49\n    raise Found\n"
    )
    assert middle.text == (
        "def f():\n... (17 lines cut)\n"
        + "".join(f"    line = {number}\n" for number in range(17, 22))
        + "... (29 lines cut)\n"
    )


def test_a_text_whose_head_does_not_fit_is_not_shown() -> None:
    """Half a declaration is worth nothing."""
    assert cut(_FUNCTION, 3, WordCounter()) is None
    assert cut("def f(a, b, c):\n    return a\n", 3, WordCounter()) is None


def test_a_function_is_bounded_in_lines_too() -> None:
    """Whatever the budget, no more lines than the limit are shown."""
    text = "def f():\n" + "    x\n" * 300

    short = cut(text, 10_000, WordCounter(), max_lines=100)

    assert short
    assert short.truncated_lines == 201
    assert short.text.endswith("... (201 lines cut)\n")


def test_a_head_that_is_known_is_not_looked_for() -> None:
    """Of prose and outlines the first line is the head, whatever other line ends like a declaration."""
    text = 'class Pool\n    """Keeps connections.\n    Use it like this:"""\n' + "    def member()\n" * 40

    short = cut(text, 20, WordCounter(), head=1, docstring_chars=10)

    assert short
    assert short.text.startswith('class Pool\n    """Keeps connections.\n... (1 line cut)\n    def member()\n')
