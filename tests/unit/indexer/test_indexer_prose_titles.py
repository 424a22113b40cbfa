"""Titles of sections of Markdown as people read them."""

from __future__ import annotations

import time

import pytest

from indexer.domain.text.prose import sections


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
    ],
)
def test_titles_have_neither_badges_nor_targets(heading: str, title: str) -> None:
    """What a renderer shows as a picture or hides is no part of the title."""
    assert [each.titles for each in sections("a.md", f"{heading}\nText.\n")] == [(title,)]


def test_long_headings_are_read_in_linear_time() -> None:
    """Runs of what may begin a link or an element are read once."""
    started = time.process_time()
    for part in ("[", "![", "[a](", "<a ", "[![", " "):
        sections("a.md", "# x" + part * 20_000 + "x\n")

    assert time.process_time() - started < 5
