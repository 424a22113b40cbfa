"""Links and images of a model's text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.domain.model_text.links import LinkDisarmer


def disarmed(*pieces: str) -> str:
    """Return a text without links outside."""
    disarmer = LinkDisarmer()
    return "".join(disarmer.feed(each) for each in pieces) + disarmer.finish()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See ![x](https://evil/p.png?q=a) there.", "See ![x] (`https://evil/p.png?q=a`) there."),
        ("See [`x()`](http://evil) there.", "See [`x()`] (`http://evil`) there."),
        ('[x](https://evil "a title")', '[x] (`https://evil` "a title")'),
        ("[x](<https://evil/a b>)", "[x] (`https://evil/a b`)"),
        ("[x]( javascript:alert(1) )", "[x] (`javascript:alert(1)` )"),
        ("[x](//evil/a), [y](\\\\evil)", "[x] (`//evil/a`), [y] (`\\\\evil`)"),
        ("[x](&#104;ttps://evil)", "[x] (`&#104;ttps://evil`)"),
        ("![x](data:image/png;base64,AA)", "![x] (`data:image/png;base64,AA`)"),
        ("[x][1]\n\n[1]: https://evil/a", "[x][1]\n\n[1]: `https://evil/a`"),
        ("[x]: //evil/a", "[x]: `//evil/a`"),
        ("<https://evil/a> and <mailto:a@b>", "`https://evil/a` and `mailto:a@b`"),
        ("Go to https://evil/a?b=c, or www.evil.com.", "Go to `https://evil/a?b=c`, or `www.evil.com`."),
        ('<img src="https://evil/a"> <a href=x>y</a>', '&lt;img src="`https://evil/a`"> &lt;a href=x>y</a>'),
        ("[x](docs/a.md#L3) and [y](../b.py) stay.",) * 2,
        ("A <b> and <Gap size={4} /> stay, a < b and c > d too.",) * 2,
        ("`[x](https://evil)` and\n```\nhttps://evil\n```\nare code.",) * 2,
        ("A file: it is so. The ws, http and data stay; items[0](x).",) * 2,
        ("So [E1](E2), [E3:120-134] and [1].",) * 2,
    ],
)
def test_what_leads_outside_is_no_link(text: str, shown: str) -> None:
    """The address stays readable in code marks; relative links, code and other text stay, however the stream is cut."""
    assert disarmed(text) == shown
    assert disarmed(*text) == shown


PARTS = (
    "[x]",
    "![",
    "](",
    ")",
    "(",
    "https://e",
    "//e",
    "<",
    ">",
    "img src=",
    "www.",
    "`",
    "\n",
    " ",
    ":",
    "x",
    "data:",
    "http",
)


@given(st.lists(st.sampled_from(PARTS), max_size=14), st.integers(1, 7))
def test_nothing_depends_on_where_the_stream_is_cut(parts: list[str], size: int) -> None:
    """The same text comes out of any chunks."""
    text = "".join(parts)
    whole = disarmed(text)

    assert disarmed(*(text[at : at + size] for at in range(0, len(text), size))) == whole
    assert disarmed(*text) == whole


@given(st.lists(st.sampled_from(PARTS), max_size=14))
def test_no_link_outside_is_left(parts: list[str]) -> None:
    """Whatever comes, nothing that begins a link is followed by an address outside."""
    text = disarmed("".join(each for each in parts if each != "`"))

    assert "](https://" not in text
    assert "](//" not in text
