"""Text of marks that nothing closes is read in time that grows with its length alone, and says what it said before."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from indexer.adapters.languages.by_name.naming import dotted
from indexer.adapters.languages.comments import bare_comment
from indexer.adapters.languages.javascript.configuration import configuration_program
from indexer.adapters.languages.javascript.language import JavaScriptLanguage
from indexer.adapters.languages.python.dialects import as_common_python
from indexer.adapters.languages.registry import languages
from indexer.domain.sarif.places import resolve
from indexer.domain.snapshots.lexical import prose_of_code
from indexer.domain.source.screening import decode, screen_text
from indexer.domain.tree import SkipReason
from tests.fakes.latency import within

# Each takes some tenths of a second at most, and took from ten to longer than anybody waited.
MOST_SECONDS = 3.0


def _javascript(text: str) -> None:
    JavaScriptLanguage().parse("m.js", "m", text)


def _rust(text: str) -> None:
    languages()["rust"].parse("m.rs", "m", text)


HOSTILE: dict[str, tuple[Callable[[str], object], str]] = {
    "comments that nobody closes": (lambda text: prose_of_code(text, "go"), "/* " * 130_000),
    "quotes behind backslashes": (lambda text: prose_of_code(text, "go"), '"\\' * 200_000),
    "backticks behind backslashes": (lambda text: prose_of_code(text, "python"), "`\\" * 200_000),
    "blanks in a comment": (bare_comment, "/* a" + " " * 100_000 + "b */"),
    "blanks in a comment of Rust": (_rust, "/** a" + " " * 100_000 + "b */\nfn f() {}"),
    "stars in a comment of Rust": (_rust, "/// a" + "*" * 100_000 + "b\nfn f() {}"),
    "blanks in a comment of JavaScript": (_javascript, "// NOTE: why" + " " * 60_000 + "b\nf();"),
    "slashes of a signature": (_javascript, "function f(a = '" + "/" * 100_000 + "') {}"),
    "comments that a signature does not close": (_javascript, "function f(a = '" + "/* " * 100_000 + "') {}"),
    "a name of many letters": (dotted, "a" * 100_000 + "!"),
    "a name of many brackets": (dotted, "a" + "<" * 60_000 + ">" * 60_000),
    "a name of many blanks": (dotted, "a" + " " * 100_000 + "b"),
    "a configuration of quotes": (lambda text: configuration_program("tsconfig.json", text), '"\\' * 50_000),
    "quotes of Python that nobody closes": (as_common_python, '"\\' * 200_000),
    "long quotes of Python that nobody closes": (as_common_python, 'x\n\\"""\n' * 60_000),
    "blanks at the beginning": (lambda text: screen_text("a.py", text), (" " * 19_999 + "\n") * 12 + "x"),
    "signs of what is generated": (
        lambda text: screen_text("a.py", text),
        ("#" + " code generated" * 1300 + "\n") * 10,
    ),
    "a place of many folders": (lambda text: resolve((text,), {"a.py": 1}), "/a" * 100_000),
}


@pytest.mark.parametrize(("read", "text"), HOSTILE.values(), ids=HOSTILE)
def test_marks_without_end_are_read_in_time(read: Callable[[str], object], text: str) -> None:
    """None looks anew from each mark at all that follows it."""
    with within(MOST_SECONDS):
        read(text)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("a = 'x' // why", ["'x'", "// why"]),
        ("/* a */ b /* c", ["/* a */"]),
        ('"open\n"shut" /*', ['"shut"']),
        (r'"a\"b" `c' + "\nd`", [r'"a\"b"', "`c\nd`"]),
        ("it's 'x'\n'y'", ["'s '", "'y'"]),
    ],
)
def test_what_is_not_closed_is_no_text_and_hides_none(code: str, found: list[str]) -> None:
    """Comments and texts are found by their delimiters."""
    assert prose_of_code(code, "go").split("\n") == "\n".join(found).split("\n")


def test_a_signature_has_no_comments_and_keeps_what_looks_like_one() -> None:
    """The beginning of an address or of a glob is not one."""
    text = 'function f(a /* first */, // more\n b = "http://x", c = "/*") {}'
    symbols = JavaScriptLanguage().parse("m.js", "m", text).symbols

    assert [each.signature for each in symbols if each.name == "f"] == ['function f(a , b = "http://x", c = "/*")']


def test_names_are_kept_without_their_arguments() -> None:
    """Brackets count by pairs; one without a partner stays, and so does an arrow's."""
    written = ("a<b<c>>::d", "a . b", "p->q<r>", "operator<<")

    assert [dotted(each) for each in written] == ["a.d", "a.b", "p.q", "operator<<"]


def test_an_encoding_that_refuses_everything_is_none() -> None:
    """Python has a codec of that name, whose words of refusal are its own."""
    assert (
        decode(b"# coding: undefined\n" + b"\xe9" * 2 + b" a" * 20)
        == "# coding: undefined\n" + "\u00e9" * 2 + " a" * 20
    )
    assert decode(b"# coding: undefined\n" + b"\x81\x8d" * 20) is SkipReason.UNDECODABLE


def test_places_are_found_below_the_folder_of_the_scanner() -> None:
    """As deep as the deepest file."""
    places = ("/work/shop/a/b.py", "/work/shop/c.py", "/elsewhere/d.py")

    assert resolve(places, {"a/b.py": 1, "c.py": 1}) == {"/work/shop/a/b.py": "a/b.py", "/work/shop/c.py": "c.py"}
