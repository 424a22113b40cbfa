"""Labels in the forms in which models write them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.core.contract.evidence import Span
from orchestrator.domain.answers.citations import resolve_citations
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, SnapshotInfo, SymbolRef, User, UserList
from orchestrator.domain.model_text.numbering import CitationNumberer

ASK, PAY = (
    SymbolRef("b.py", "Bank.ask", start_line=5, end_line=9),
    SymbolRef("b.py", "Bank.pay", start_line=20, end_line=30),
)
SUPPLIED = (
    Evidence("one", title="one", span=Span("shop/a.py", 1, 40), content_hash="h1"),
    Evidence("two", title="two", span=Span("shop/a.py", 100, 200), content_hash="h2"),
    Evidence("three", EvidenceKind.FLOW, mentions=(ASK, PAY)),
    Evidence("four", title="four", span=Span("docs/x.md", 7, 9), text="An error E4 or E-4."),
)


def numbered(*pieces: str, supplied: tuple[Evidence, ...] = SUPPLIED) -> tuple[str, list[str]]:
    """Return the text after numbering, and the places that its numbers stand for."""
    numberer = CitationNumberer(supplied)
    shown = "".join(numberer.feed(each) for each in pieces) + numberer.finish()
    spans = (each.span for each in resolve_citations(numberer.cited, supplied, SnapshotInfo()))
    return shown, [f"{each.path}:{each.start_line}-{each.end_line}" for each in spans]


@pytest.mark.parametrize(
    ("text", "shown", "places"),
    [
        ("Three call it [E1].", "Three call it [1][2][3].", ["b.py:7-7", "b.py:22-22", "c.py:1-1"]),
        ("It is called by `pay` [E1:pay].", "It is called by `pay` [1].", ["b.py:22-22"]),
        ("It is called by `pay` [E1:Bank.pay()].", "It is called by `pay` [1].", ["b.py:22-22"]),
        ("It is called there [E1:20-30].", "It is called there [1].", ["b.py:22-22"]),
        ("It is called there [E1:c.py:1].", "It is called there [1].", ["c.py:1-1"]),
        ("It is one of them [E1:25-26].", "It is one of them [1].", ["b.py:20-30"]),
    ],
)
def test_a_list_of_users_is_cited_by_the_lines_of_use(text: str, shown: str, places: list[str]) -> None:
    """What a model says of a list as a whole rests on all of it; of one user, on the line where it uses the thing."""
    users = (
        User("Bank.ask", ASK, Span("b.py", 7, 7)),
        User("Bank.pay", PAY, Span("b.py", 22, 22)),
        User("others", None, Span("c.py", 1, 1)),
    )
    supplied = (Evidence("one", EvidenceKind.FLOW, mentions=(ASK, PAY), users=UserList("x", listed=users)),)
    numberer = CitationNumberer(supplied, by_use=True)
    written = numberer.feed(text) + numberer.finish()
    spans = [each.span for each in resolve_citations(numberer.cited, supplied, SnapshotInfo())]

    assert written == shown
    assert [f"{each.path}:{each.start_line}-{each.end_line}" for each in spans] == places


def test_a_list_of_nobody_is_cited_by_no_line() -> None:
    """Who only has the words of a request uses nothing; by name it can be cited."""
    supplied = (Evidence("one", EvidenceKind.FLOW, mentions=(ASK, PAY), users=UserList("x")),)
    numberer = CitationNumberer(supplied, by_use=True)
    written = numberer.feed("No test is known [E1], but `pay` is near [E1:Bank.pay].") + numberer.finish()
    spans = [each.span for each in resolve_citations(numberer.cited, supplied, SnapshotInfo())]

    assert written == "No test is known, but `pay` is near [1]."
    assert [(each.path, each.start_line) for each in spans] == [("b.py", 20)]


ONE, TWO = "shop/a.py:1-40", "shop/a.py:100-200"


@pytest.mark.parametrize(
    ("text", "shown", "places"),
    [
        ("So [E1-E2].", "So [1][2].", [ONE, TWO]),
        ("So [E1\u2013E2].", "So [1][2].", [ONE, TWO]),
        ("So [E1-2].", "So [1][2].", [ONE, TWO]),
        ("So [E1-E9].", "So [1][2][3][4].", [ONE, TWO, "b.py:5-9", "docs/x.md:7-9"]),
        ("So [E1 and E2].", "So [1][2].", [ONE, TWO]),
        ("So [E1, 2].", "So [1][2].", [ONE, TWO]),
        ("So (E2).", "So [1].", [TWO]),
        ("So (E2, E1).", "So [1][2].", [TWO, ONE]),
        ("So (E2:120-130).", "So [1].", ["shop/a.py:120-130"]),
        ("So (see E2).", "So (see [1]).", [TWO]),
        ("As E2 shows, and E1\u2013E2.", "As [1] shows, and [2][1].", [TWO, ONE]),
        ("**E2** and E1: so.", "**[1]** and [2]: so.", [TWO, ONE]),
        ("So [E2:120-130].", "So [1].", ["shop/a.py:120-130"]),
        ("So [E2:L120-L130].", "So [1].", ["shop/a.py:120-130"]),
        ("So [E2#L120-L130].", "So [1].", ["shop/a.py:120-130"]),
        ("So [E2, lines 120-130].", "So [1].", ["shop/a.py:120-130"]),
        ("So [E2 lines 120\u2013130].", "So [1].", ["shop/a.py:120-130"]),
        ("So [E2 (line 120)].", "So [1].", ["shop/a.py:120-120"]),
        ("So [E2: 120-130, 140-150].", "So [1][2].", ["shop/a.py:120-130", "shop/a.py:140-150"]),
        ("So [E2:120, 130].", "So [1][2].", ["shop/a.py:120-120", "shop/a.py:130-130"]),
        ("So [E2:120-130; E1:3].", "So [1][2].", ["shop/a.py:120-130", "shop/a.py:3-3"]),
        ("So [E2, shop/a.py:120-130].", "So [1].", ["shop/a.py:120-130"]),
        ("So [E2:90-130], [E2:1-3].", "So [1], [2].", ["shop/a.py:100-130", TWO]),
        ("So [E2:120-130] and [E2:120-130] and [E2].", "So [1] and [1] and [2].", ["shop/a.py:120-130", TWO]),
        ("So [2:120-130], [2:1-3].", "So [1], [2:1-3].", ["shop/a.py:120-130"]),
        ("So [1]. So [E2]. Chunks [1, 2] and [200].", "So [1]. So [2]. Chunks `[1, 2]` and `[200]`.", [ONE, TWO]),
        ("So [E3:22-24].", "So [1].", ["b.py:20-30"]),
        ("So [E3 Bank.pay].", "So [1].", ["b.py:20-30"]),
        ("So [shop/a.py:120-130].", "So [1].", ["shop/a.py:120-130"]),
        ("So [`a.py:10`].", "So [1].", ["shop/a.py:10-10"]),
        ("So [a.py:10-20, a.py:120].", "So [1][2].", ["shop/a.py:10-20", "shop/a.py:120-120"]),
        ("So [a.py:50-60] and [c.py:1-2].", "So [a.py:50-60] and [c.py:1-2].", []),
        ("So [a.py:10-20](https://x/y).", "So [a.py:10-20](https://x/y).", []),
        ("So [E1](shop/a.py#L3).", "So [1].", [ONE]),
        ("So [E1](E2).", "So [1][2].", [ONE, TWO]),
        ("So \u3010E1\u3011 and [^E2].", "So [1] and [2].", [ONE, TWO]),
        ("So `[E1]` and `E2`.", "So [1] and [2].", [ONE, TWO]),
        ("So [E9], (E9) and E9.", "So, (E9) and E9.", []),
        ("So [E1, roughly].", "So [1] (roughly).", [ONE]),
        ("So [E1 is so].", "So [[1] is so].", [ONE]),
        ("An error E4 (E4) is told [E4].", "An error E4 (E4) is told [1].", ["docs/x.md:7-9"]),
        ("Call f(E1), x.E1, E1(), E1-x and `a E1`.", "Call f(E1), x.E1, E1(), E1-x and `a E1`.", []),
        ("Rows [0], [1:3], x[1], [2024-01-02], [so].", "Rows [0], [1:3], x[1], [2024-01-02], [so].", []),
        ("Rows [1:], [2: ] and [1:end ].", "Rows [1:], [2: ] and [1:end ].", []),
    ],
)
def test_labels_of_any_form_become_citations(text: str, shown: str, places: list[str]) -> None:
    """With the lines that they name, however the stream is cut; what is none stays."""
    assert numbered(text) == (shown, places)
    assert numbered(*text) == (shown, places)


PARTS = (
    *("E1", "E2", "E9", "[", "]", "(", ")", ":", "-", ", ", " ", "lines ", "12", "120-130", "a.py", "`", "```", "\n"),
    *("[E1]", "[E2:120-130]", "x", ";", "and ", "\u2013", "1", "so.", "[[", "(see ", "**", "[E1](", "\n\n", "#L"),
)


@given(st.lists(st.sampled_from(PARTS), max_size=16), st.integers(1, 7))
def test_nothing_depends_on_where_the_stream_is_cut(parts: list[str], size: int) -> None:
    """Text, places and what was dropped are the same for any chunks."""
    text = "".join(parts)
    whole = numbered(text)

    assert numbered(*text) == whole
    assert numbered(*(text[at : at + size] for at in range(0, len(text), size))) == whole


FORMS = (
    "[E1]",
    "[E2:120-130]",
    "(E1)",
    "[E1-E2]",
    "[E2, lines 120-130]",
    "E2",
    "[E1, E2]",
    "[E9]",
    "(E2:101)",
    "`[E1]`",
)


@given(st.lists(st.sampled_from((*FORMS, "It is so", "and `x` too", "**bold**", "- item", "\n\n")), max_size=12))
def test_no_label_reaches_a_caller(parts: list[str]) -> None:
    """Between words, every form is a number or gone."""
    shown, places = numbered(" ".join(parts))

    assert re.search(r"E\d", shown) is None
    assert {int(each) for each in re.findall(r"\[(\d+)\]", shown)} == set(range(1, len(places) + 1))
