"""What is read out of a question or report, and what is left out."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.contract.question import StackFrame
from retriever.domain.ranking.cleaning import Zone, clean
from retriever.domain.ranking.query import analyse

REPORT = """Cart loses items when `add_item` raises
<!-- Please search before you post -->
### Describe the bug
See https://example.org/foo_bar/issues for `Cart.merge`.

```python
cart.add_item("pear")
```

```
Traceback (most recent call last):
  File "/usr/lib/app/shop/cart.py", line 12, in add_item
    self.check(item)
shop.errors.CartFull: cart 'main cart' is full
```
### Versions
shop: 2.1.0
numpy 1.2.3
- [x] I read the guide
"""


def test_sorts_lines_into_zones() -> None:
    """Title, prose, code and traceback are told apart; comments, links, headings, versions, checklists are gone."""
    zones = [(line.zone, line.text.strip()) for line in clean(REPORT)]

    assert zones == [
        (Zone.TITLE, "Cart loses items when `add_item` raises"),
        (Zone.PROSE, "See   for `Cart.merge`."),
        (Zone.CODE, 'cart.add_item("pear")'),
        (Zone.TRACE, "Traceback (most recent call last):"),
        (Zone.TRACE, 'File "/usr/lib/app/shop/cart.py", line 12, in add_item'),
        (Zone.TRACE, "self.check(item)"),
        (Zone.TRACE, "shop.errors.CartFull: cart 'main cart' is full"),
    ]


def test_finds_mentions() -> None:
    """Frames, dotted names, identifiers in code spans and quoted errors are found."""
    mentions = analyse(REPORT).mentions

    assert mentions.frames == (StackFrame("/usr/lib/app/shop/cart.py", 12, "add_item"),)
    assert "Cart.merge" in mentions.dotted
    assert "add_item" in mentions.in_code
    assert "pear" in mentions.in_blocks


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("see https://github.com/a/b/blob/main/src/shop/cart.py#L40", "src/shop/cart.py", 40),
        ("in shop\\cart.py:7 it fails", "shop/cart.py", 7),
        ("the file cart.ts", "cart.ts", 0),
    ],
)
def test_finds_paths(text: str, path: str, line: int) -> None:
    """Paths come from links, with either slash, and with their line."""
    assert any(found.endswith(path) and at == line for found, at in analyse(text).mentions.paths)


@pytest.mark.parametrize(
    ("trace", "frame"),
    [
        ("    at Cart.add (/app/src/cart.js:10:5)", StackFrame("/app/src/cart.js", 10, "Cart.add")),
        ("\tat org.shop.Cart.add(Cart.java:42)", StackFrame("org/shop/Cart.java", 42, "add")),
    ],
)
def test_reads_traces_of_other_languages(trace: str, frame: StackFrame) -> None:
    """Frames of JavaScript and Java are frames."""
    assert analyse(f"It fails\n{trace}").mentions.frames == (frame,)


GO_TRACE = """It panics
goroutine 1 [running]:
shop/cart.(*Cart).Add(0xc000010000, 0x1)
\t/go/src/shop/cart/cart.go:42 +0x1d
main.main()
\t/go/src/shop/main.go:7 +0x18
"""
NOTEBOOK_TRACE = """It fails in a notebook
ValueError                                Traceback (most recent call last)
<ipython-input-3-1c2b> in <module>
----> 1 cart.add("pear")

~/lib/python3.9/site-packages/shop/cart.py in add(self, item, **more)
     11         # full?
---> 12         self.check(item)
     13

File ~/lib/python3.9/site-packages/shop/stock.py:30, in Stock.check.<locals>.look(item)
     29     pass
---> 30     raise ValueError(item)

ValueError: pear
It did not before.
"""


def test_reads_traces_of_go() -> None:
    """The innermost frame, which Go prints first, comes last; a method is named without its receiver."""
    frames = analyse(GO_TRACE).mentions.frames

    assert frames == (StackFrame("/go/src/shop/main.go", 7, "main"), StackFrame("/go/src/shop/cart/cart.go", 42, "Add"))


def test_reads_traces_of_notebooks() -> None:
    """Both forms are read: the older one gives the line only by an arrow below; nested functions by their own name."""
    frames = analyse(NOTEBOOK_TRACE).mentions.frames

    assert frames == (
        StackFrame("~/lib/python3.9/site-packages/shop/cart.py", 12, "add"),
        StackFrame("~/lib/python3.9/site-packages/shop/stock.py", 30, "look"),
    )


def test_reads_traces_of_pytest() -> None:
    """A line of path, number and function is a frame; one that tells the error alone is a path."""
    mentions = analyse("It fails\nshop/cart.py:12: in add\n    self.check(item)\nshop/stock.py:30: KeyError\n").mentions

    assert mentions.frames == (StackFrame("shop/cart.py", 12, "add"),)
    assert ("shop/stock.py", 30) in mentions.paths


@pytest.mark.parametrize("text", ["It is slow\nretry.py in transport\n", "It is slow\nFile models.py in shop\n"])
def test_a_file_in_a_folder_is_no_frame(text: str) -> None:
    """A frame has a line, arguments or angle brackets."""
    assert analyse(text).mentions.frames == ()
    assert [line.zone for line in clean(text)] == [Zone.TITLE, Zone.PROSE]


def test_a_notebooks_traceback_is_a_traceback() -> None:
    """From its first line to the message: what code a traceback quotes is not what the report says in code."""
    zones = [line.zone for line in clean(NOTEBOOK_TRACE)]

    assert zones == [Zone.TITLE, *([Zone.TRACE] * 11), Zone.PROSE]


def test_the_title_weighs_most() -> None:
    """A term of the first line weighs more than one of the text, and that more than one of code."""
    query = analyse("alpha\nbravo\n```\ncharlie\n```\n")
    weights = dict(zip(query.terms, query.weights["main"].tolist(), strict=True))

    assert weights["alpha"] > weights["bravo"] > weights["charli"] > 0


def test_tells_questions_from_reports() -> None:
    """One line is a question."""
    assert not analyse("Where is the cart kept?").is_report
    assert analyse(REPORT).is_report


def test_long_data_costs_nothing() -> None:
    """Runs of characters that are no words are left out before any pattern sees them."""
    assert analyse("cart " + "a_b" * 30_000).terms == ("cart",)


@pytest.mark.parametrize(
    ("text", "terms", "others"),
    [
        ("What happens when a call times out?", {"timeout"}, set()),
        ("How do users log in, and how are they logged out?", {"login", "logout"}, {"logged"}),
        ("Where is it shut down?", {"shutdown"}, set()),
        ("What did you look at, and set of?", set(), {"lookat", "setof"}),
    ],
)
def test_verbs_are_looked_for_as_code_writes_them(text: str, terms: set[str], others: set[str]) -> None:
    """In one word, beside their own two."""
    found = set(analyse(text).terms)

    assert terms <= found
    assert not others & found


def test_classes_of_status_codes_are_looked_for_as_code_names_them() -> None:
    """In what is asked, not in code that is quoted."""
    assert {"server", "error"} <= set(analyse("Where are 5xx responses retried?").terms)
    assert "server" not in analyse("Retries fail\n\n```\nstatus 5xx\n```\n").terms


@given(st.text(max_size=400))
def test_any_text_is_a_query(text: str) -> None:
    """No text fails; weights are positive and one for each term."""
    query = analyse(text)

    assert (query.weights["main"] > 0).all()
    assert all(len(weights) == len(query.terms) for weights in query.weights.values())


@pytest.mark.parametrize(
    "opened",
    ["![", "![a](", "<img ", "<br ", "![a]", "\n", " ", " #", "at ", "a_b", "A", "_", "a/", "aB("],
)
def test_what_is_never_closed_takes_no_longer(opened: str) -> None:
    """A question as long as one may be, all of it beginnings: it took half a minute, and all others waited."""
    began = time.process_time()
    analyse("Why?\n# Steps" + opened * (100_000 // len(opened)) + " x")

    assert time.process_time() - began < 2


def test_images_are_left_out_and_exclamations_stay() -> None:
    """Words of an image are nothing that was asked; its text and address may have marks of their own."""
    told = " ".join(line.text for line in clean("Title\nSee ![Wow! it](a!b.png) here ![x][1] <img src=a.png> now!\n"))

    assert told.split() == ["Title", "See", "here", "![x][1]", "now!"]
