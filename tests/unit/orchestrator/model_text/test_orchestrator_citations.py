"""Labels become numbered citations."""

from __future__ import annotations

import pytest

from common.core.contract.evidence import Span
from orchestrator.domain.answers.citations import resolve_citations, with_hashes
from orchestrator.domain.answers.events import CitedLabel
from orchestrator.domain.evidence.piece import Evidence, EvidenceKind, SnapshotInfo, SymbolRef
from orchestrator.domain.model_text.numbering import CitationNumberer
from orchestrator.domain.writing.pieces import Piece

STEP = SymbolRef("b.py", "Bank.ask", start_line=5, end_line=9)
SUPPLIED = (
    Evidence("one", title="one", span=Span("a.py", 1, 4), content_hash="h1", pass_number=1),
    Evidence("two", title="two", span=Span("a.py", 6, 8), content_hash="h2", pass_number=2),
    Evidence("flow", EvidenceKind.FLOW, mentions=(STEP,)),
    Evidence("metrics", EvidenceKind.METRICS, mentions=(STEP,)),
)


def numbered(*pieces: str) -> tuple[str, CitationNumberer]:
    """Return the text after numbering, and the numberer."""
    numberer = CitationNumberer(SUPPLIED)
    return "".join(numberer.feed(each) for each in pieces) + numberer.finish(), numberer


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It is so [E2]. And so [E1], [E2].", "It is so [1]. And so [2], [1]."),
        ("Both [E1, E2] and [E1; E1].", "Both [1][2] and [1]."),
        ("Invented [E9].", "Invented."),
        ("Half invented [E1, E9].", "Half invented [1]."),
        ("Repaired [2].", "Repaired [1]."),
        ("A step [E3:Bank.ask()] and its tree [E3].", "A step [1] and its tree [1]."),
        ("Without a place [E4].", "Without a place."),
        ("Code `items[1]` and [E1].", "Code `items[1]` and [1]."),
        ("```\nrow[E1]\n```\nthen [E2]", "```\nrow[E1]\n```\nthen [1]"),
        ("````\n```\nrow[E1]\n````\nthen [E2]", "````\n```\nrow[E1]\n````\nthen [1]"),
        ("Ticks ``a`b [2]`` and [E1].", "Ticks ``a`b [2]`` and [1]."),
        ("A lone ` tick [E1].\n\nThen `x = [3]` [E2].", "A lone ` tick [1].\n\nThen `x = [3]` [2]."),
        (
            "- a lone `tick [E1]\n- `x = [3]` [E2]\n1. a lone `tick [E1]\n",
            "- a lone `tick [1]\n- `x = [3]` [2]\n1. a lone `tick [1]\n",
        ),
        ("Two `` ticks that nothing closes [E2].", "Two `` ticks that nothing closes [1]."),
        ("It is [E1], and ends with `x = [3]`", "It is [1], and ends with `x = [3]`"),
        ("It ends with a lone ` and [E1]", "It ends with a lone ` and [1]"),
        ("Not closed `" + "x" * 1100 + " [E1].", "Not closed `" + "x" * 1100 + " [1]."),
        ("`items`[E1] and `items`[2]", "`items`[1] and `items`[2]"),
        ("Code `x = [2]` and [E1].", "Code `x = [2]` and [1]."),
        ("Ticks ``a` [2]`` and [E1].", "Ticks ``a` [2]`` and [1]."),
        ("Ticks `a``` [2]` and [E1].", "Ticks `a``` [2]` and [1]."),
        ("```\n[E1]\n````\nthen [E2]", "```\n[E1]\n````\nthen [1]"),
        ("```\n[E1]\n```", "```\n[E1]\n```"),
        ("A step [E3:`Bank.ask()`] and [E1, E2: `x`].", "A step [1] and [2][3]."),
        ("A step [E3:Bank.ask(sum, card)] [E1].", "A step [1] [2]."),
        ("No label [E3: `x[1]` ends", "No label [[1]: `x[1]` ends"),
        ("Slices [1: items[0]] and [2:f(items[0])] [E1].", "Slices [1: items[0]] and [2:f(items[0])] [1]."),
        ("An [external link](x) stays.", "An [external link](x) stays."),
        ("Index items[0] stays.", "Index items[0] stays."),
    ],
)
def test_labels_are_numbered_in_order_of_mention(text: str, shown: str) -> None:
    """Supplied labels become numbers from 1, others nothing, and code is left alone, however the stream is cut."""
    assert numbered(text)[0] == shown
    assert numbered(*text)[0] == shown


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (("It is", " so [2][1]."), "It is so [1][2]."),
        (("It is", " so [E9][1]."), "It is so[1]."),
        (("items", "[E9][2]"), "items[1]"),
        (("`items`", " or rows[E2][1]"), "`items` or rows[1][2]"),
    ],
)
def test_a_label_behind_another_is_no_index(pieces: tuple[str, ...], shown: str) -> None:
    """It is what stands before a label that makes it one, not what ended the text before; however the stream is cut."""
    assert numbered(*pieces)[0] == shown
    assert numbered("".join(pieces))[0] == shown
    assert numbered(*"".join(pieces))[0] == shown


NAMES = ("Bank.ask", "Map.operator[]", "Map.operator()", "S.[Symbol.iterator]", "{ a, b }.pick", "is; sent", "x." * 90)
ODD = Evidence("odd", EvidenceKind.FLOW, mentions=tuple(SymbolRef("o.ts", each, start_line=5) for each in (*NAMES, "")))


def cited_by(label: str) -> SymbolRef | None:
    """Return the symbol that a label of the odd symbols cites, also where it comes in single characters."""
    cited = []
    for pieces in ((f"It is so {label}.",), f"It is so {label}."):
        numberer = CitationNumberer((ODD,))
        assert "".join(map(numberer.feed, pieces)) + numberer.finish() == "It is so [1]."
        cited.append(resolve_citations(numberer.cited, (ODD,), SnapshotInfo())[0].symbol)
    assert cited[0] == cited[1]
    return cited[0]


@pytest.mark.parametrize("mention", ODD.mentions)
def test_a_symbol_is_cited_whatever_it_is_called(mention: SymbolRef) -> None:
    """A name that cannot stand in a label would be shown with it, and cite nothing."""
    assert cited_by(Piece("E1", ODD).mention_cite(mention)) == mention


@pytest.mark.parametrize("name", NAMES[:4])
def test_a_model_cites_a_symbol_by_the_name_that_code_gives_it(name: str) -> None:
    """With code marks or without, it is that symbol, not where the list of them begins."""
    for label in (f"[E1:{name}]", f"[E1:`{name}`]"):
        cited = cited_by(label)
        assert cited is not None
        assert cited.qualified_name == name


@pytest.mark.parametrize("name", ["Bank.pay", "Bank.pay()", "`Bank.pay()`", "pay", "pay()"])
def test_a_step_is_cited_by_its_name_or_as_a_call(name: str) -> None:
    """It is not where the flow starts."""
    pay = SymbolRef("b.py", "Bank.pay", start_line=11, end_line=12)
    flow = Evidence("flow", EvidenceKind.FLOW, mentions=(STEP, pay))
    numberer = CitationNumberer((flow,))
    numberer.feed(f"It is so [E1:{name}].")
    numberer.finish()

    assert [each.symbol for each in resolve_citations(numberer.cited, (flow,), SnapshotInfo())] == [pay]


def test_a_flow_without_steps_has_no_place() -> None:
    """It starts nowhere that could be shown."""
    numberer = CitationNumberer((Evidence("flow", EvidenceKind.FLOW),))

    assert numberer.feed("It is so [E1].") + numberer.finish() == "It is so."


@pytest.mark.parametrize(
    ("text", "at_once"),
    [
        ("It calls `pay()` there, and", "It calls `pay()` there, and"),
        ("It is so [E1]. And [E", "It is so [1]. And"),
        ("It is [so and", "It is [so and"),
        ("It is [1, 2) and", "It is [1, 2) and"),
        ("Not [E1: " + "x" * 260 + " so", "Not [[1]: " + "x" * 260 + " so"),
        ("A lone ` tick.\n\nThen", "A lone ` tick.\n\nThen"),
        ("Open `code and", "Open"),
        ("Not code ` " + "x" * 1000 + " so", "Not code ` " + "x" * 1000 + " so"),
    ],
)
def test_what_is_settled_is_shown_at_once(text: str, at_once: str) -> None:
    """Only what may still become a label or code waits for what follows."""
    assert CitationNumberer(SUPPLIED).feed(text) == at_once


def test_counts_what_was_dropped() -> None:
    """Labels that stand for nothing are counted."""
    assert numbered("[E9] [E1] [E8]")[1].dropped == 2


def test_resolves_to_places_with_hash_commit_and_link() -> None:
    """A citation carries place, hash, commit, pass and the link of the template; a mention its own lines."""
    snapshot = SnapshotInfo("s", "src", "c0ffee")
    cited = (CitedLabel("two"), CitedLabel("flow", "Bank.ask"))

    two, ask = resolve_citations(cited, SUPPLIED, snapshot, url_template="https://x/{commit}/{path}#L{start_line}")

    assert (two.number, two.span, two.content_hash, two.pass_number) == (1, Span("a.py", 6, 8), "h2", 2)
    assert two.url == "https://x/c0ffee/a.py#L6"
    assert (ask.number, ask.span, ask.symbol, ask.content_hash) == (2, Span("b.py", 5, 9), STEP, "")


def test_what_a_definition_says_of_itself_is_its_own_symbol_and_hash() -> None:
    """Also where it is cited as one that its evidence mentions, whose lines are those of the evidence."""
    own = Evidence("e", span=STEP.span, symbol=STEP, mentions=(STEP,), content_hash="h")
    places = (CitedLabel("e"), CitedLabel("e", "Bank.ask"))

    found = resolve_citations(places, (own,), SnapshotInfo())

    assert [(each.symbol, each.content_hash) for each in found] == [(STEP, "h"), (STEP, "h")]


def test_hashes_that_evidence_did_not_carry_are_filled_in() -> None:
    """What it carried stays; of what nothing is known stays open."""
    labels = (CitedLabel("two"), CitedLabel("flow", "Bank.ask"))
    citations = resolve_citations(labels, SUPPLIED, SnapshotInfo())
    hashes = {each.span: f"new {each.number}" for each in citations}

    assert [each.content_hash for each in with_hashes(citations, hashes)] == ["h2", "new 2"]
    assert [each.content_hash for each in with_hashes(citations, {})] == ["h2", ""]


def test_an_unsupplied_label_cannot_be_resolved() -> None:
    """A citation of evidence that was never supplied is a defect, not a citation."""
    with pytest.raises(KeyError):
        resolve_citations((CitedLabel("never"),), SUPPLIED, SnapshotInfo())


def test_links_are_made_of_any_path() -> None:
    """What means something else in a link is written so that it does not."""
    supplied = (Evidence("one", span=Span("a b/#1?.py", 1, 4)),)
    (found,) = resolve_citations(
        (CitedLabel("one"),), supplied, SnapshotInfo("s", "src", "c0ffee"), url_template="https://x/{path}#L{end_line}"
    )

    assert found.url == "https://x/a%20b/%231%3F.py#L4"


@pytest.mark.parametrize(
    ("template", "url"),
    [("", ""), ("https://x/{commit}/{path}", ""), ("https://x/{path}", "https://x/a.py")],
)
def test_without_a_commit_no_link_needs_one(template: str, url: str) -> None:
    """A folder that is under no version control has none; a link without it would lead nowhere."""
    snapshot = SnapshotInfo("s", "src")

    assert resolve_citations((CitedLabel("one"),), SUPPLIED, snapshot, url_template=template)[0].url == url
