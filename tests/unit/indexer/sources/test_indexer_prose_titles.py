"""Titles of sections of Markdown as people read them."""

from __future__ import annotations

import pytest

from indexer.domain.text.prose import sections
from tests.fakes.latency import within


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# App [![Build](https://ci.example/a.svg)](https://ci.example/a)[![npm][badge]][npm]", "App"),
        ("# [App][docs] for `you`", "App for `you`"),
        ("## The [guide](https://a.example/b 'x') to it", "The guide to it"),
        ("# ![Logo of App](logo.png)", "Logo of App"),
        ('## <a name="use"></a> Use <img src="a.png"/>', "Use"),
        ("##### app.get(url[, config])", "app.get(url[, config])"),
        ("## Array [x] and List<String>", "Array [x] and List<String>"),
        ("App [![npm](a.svg)](b)\n======", "App"),
        ("## Closed ##  ", "Closed"),
        ("## Guide to C#", "Guide to C#"),
        ("## What `__init__` and __call__ do", "What `__init__` and __call__ do"),
    ],
)
def test_titles_have_neither_badges_nor_targets(heading: str, title: str) -> None:
    """What a renderer shows as a picture or hides is no part of the title."""
    references = "".join(f"[{name}]: https://a.example/{name}\n" for name in ("badge", "npm", "docs"))

    assert [each.titles for each in sections("a.md", f"{heading}\nText.\n\n{references}")] == [(title,)]


def test_what_only_looks_like_a_heading_is_none() -> None:
    """Fences of any length, indented code, quotes and lists have no sections of their own."""
    text = "# A\n~~~~md\n```\n# fenced\n~~~\n# still\n~~~~\n\n    # code\n\n> # quoted\n\n- # item\n\nB\n-\nText.\n"

    assert [(each.titles, each.start_line) for each in sections("a.md", text)] == [(("A",), 1), (("A", "B"), 15)]


def test_long_headings_are_read_in_linear_time() -> None:
    """Runs of what may begin a link or an element are read once."""
    with within(5):
        for part in ("[", "![", "[a](", "<a ", "[![", " "):
            sections("a.md", "# x" + part * 20_000 + "x\n")
