"""Packing: priority by mode, shares, growth, and nothing shown twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retriever.domain.budget import Ledger
from retriever.domain.evidence import ContextSource, Draft, EvidenceKind, EvidenceRole, Setting
from retriever.domain.packing import Packed, TextLimits, by_priority, pack
from retriever.domain.question import Mode
from retriever.domain.structure import Dependency, mermaid
from retriever.domain.values import Span
from tests.fakes.counting import WordCounter


def _draft(title: str, role: EvidenceRole = EvidenceRole.MATCH, *, words: int = 10, span: Span | None = None) -> Draft:
    text = f"def {title}():\n" + "\n".join(f"    word{title}{number}" for number in range(words - 2)) + "\n"
    place = span or Span(f"{title}.py", 1, words)
    return Draft(EvidenceKind.SOURCE, ContextSource.CODE, role, title, text, "because", span=place)


def _pack(drafts: list[Draft], tokens: int, *, known: frozenset[str] = frozenset()) -> Packed:
    ledger = Ledger(tokens, {ContextSource.CODE: tokens})
    return pack(drafts, ledger, WordCounter(), TextLimits(source_lines=1000), known=known)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (Mode.DIAGNOSTIC, ["error site", "mutator", "caller", "document"]),
        (Mode.EXPLORATORY, ["entry point", "end of the flow", "branch point", "step", "document"]),
        (Mode.ANALYTICAL, ["structure", "findings", "diagram", "sample", "document"]),
    ],
)
def test_roles_come_in_the_order_of_their_mode(mode: Mode, expected: list[str]) -> None:
    """Error site before mutators before callers; entry before ends before branches; problems before findings."""
    drafts = [_draft(str(number), EvidenceRole(role)) for number, role in enumerate(reversed(expected))]

    assert [draft.role.value for draft in by_priority(drafts, mode)] == expected


def test_over_budget_the_last_in_priority_is_left_out() -> None:
    """When only one fits, it is the most important one, and the other says why it is not there."""
    site, caller = _draft("site", EvidenceRole.ERROR_SITE, words=90), _draft("caller", EvidenceRole.CALLER, words=90)

    packed = _pack(list(by_priority([caller, site], Mode.DIAGNOSTIC)), 95)

    assert [piece.draft.title for piece in packed.evidence] == ["site"]
    assert packed.left_out == ((caller, "over budget"),)


@pytest.mark.parametrize(("room", "is_shown"), [(30, False), (50, True)])
def test_a_piece_of_which_hardly_anything_is_left_is_left_out(room: int, is_shown: bool) -> None:
    """A few lines of a function say too little to be worth their place; the whole of a short one does not."""
    site, caller, short = _draft("site", words=90), _draft("caller", words=90), _draft("short", words=10)

    assert len(_pack([site, caller], 90 + room).evidence) == 1 + is_shown
    assert len(_pack([site, short], 90 + room).evidence) == 2


def test_lines_in_focus_are_seen_of_a_piece_that_was_cut() -> None:
    """The line that raises the error stands far down in a long function."""
    site = replace(_draft("site", words=500), focus=(450,))

    (piece,) = _pack([site], 100).evidence

    assert piece.truncated_lines
    assert "wordsite449\n" in piece.text


def test_no_piece_takes_the_room_of_all_others() -> None:
    """A first round shares the budget; what is left over lets the first one grow."""
    drafts = [_draft(name, words=500) for name in ("one", "two", "three")]

    packed = _pack(drafts, 900)

    assert [piece.draft.title for piece in packed.evidence] == ["one", "two", "three"]
    assert sum(piece.tokens for piece in packed.evidence) > 850
    assert packed.evidence[0].tokens > packed.evidence[1].tokens


def test_known_evidence_is_neither_supplied_nor_counted() -> None:
    """What the session supplies already costs nothing."""
    one, two = _draft("one", words=100), _draft("two", words=100)

    packed = _pack([one, two], 100, known=frozenset({one.evidence_id}))

    assert [piece.draft.title for piece in packed.evidence] == ["two"]
    assert packed.left_out == ((one, "supplied already"),)


def test_a_method_inside_a_class_that_is_shown_whole_is_not_shown_again() -> None:
    """Lines that were supplied whole are not supplied a second time."""
    outer = _draft("Outer", words=20, span=Span("a.py", 1, 20))
    inner = _draft("inner", words=5, span=Span("a.py", 3, 7))

    packed = _pack([outer, inner], 500)

    assert [piece.draft.title for piece in packed.evidence] == ["Outer"]
    assert packed.left_out == ((inner, "shown by other evidence"),)


@pytest.mark.parametrize(
    ("place", "is_shown"),
    [
        (Span("a.py", 2, 21), False),
        (Span("a.py", 2, 6), False),
        (Span("a.py", 17, 21), False),
        (Span("a.py", 17, 22), True),
        (Span("a.py", 1, 5), True),
        (Span("b.py", 3, 7), True),
    ],
)
def test_only_what_lies_wholly_inside_is_shown_by_what_is_around(place: Span, is_shown: bool) -> None:
    """Lines beyond it, and those of another file, are lines of their own."""
    outer, inner = _draft("Outer", words=20, span=Span("a.py", 2, 21)), _draft("inner", words=5, span=place)

    packed = _pack([outer, inner], 500)

    assert [piece.draft.title for piece in packed.evidence] == ["Outer", "inner"][: 1 + is_shown]


def test_a_method_of_a_class_that_was_cut_is_shown() -> None:
    """Of a class of which not all is there, nobody knows that the method is."""
    outer = _draft("Outer", words=500, span=Span("a.py", 1, 500))
    inner = _draft("inner", words=5, span=Span("a.py", 300, 304))

    packed = _pack([outer, inner], 200)

    assert [piece.draft.title for piece in packed.evidence] == ["Outer", "inner"]
    assert packed.evidence[0].truncated_lines > 0


def test_a_page_hides_no_source() -> None:
    """A documentation page about lines shows none of them."""
    page = replace(_draft("page", words=20, span=Span("a.py", 1, 20)), kind=EvidenceKind.DOC)
    inner = _draft("inner", words=5, span=Span("a.py", 3, 7))

    packed = _pack([page, inner], 500)

    assert [piece.draft.title for piece in packed.evidence] == ["page", "inner"]


def test_source_hides_no_page() -> None:
    """What documents some of its lines says what they do not."""
    outer = _draft("outer", words=20, span=Span("a.py", 1, 20))
    page = replace(_draft("page", words=5, span=Span("a.py", 3, 7)), kind=EvidenceKind.DOC)

    packed = _pack([outer, page], 500)

    assert [piece.draft.title for piece in packed.evidence] == ["outer", "page"]


def test_a_line_that_gives_two_settings_is_shown_for_each() -> None:
    """One of them alone would be missing where both are listed."""
    line = Span("a.py", 3, 3)
    ports = [replace(_draft("port", span=line), setting=Setting((), name, "", 3)) for name in ("PORT", "ANY_PORT")]

    packed = _pack([*ports, ports[0]], 500)

    assert [piece.draft.setting.name for piece in packed.evidence if piece.draft.setting] == ["PORT", "ANY_PORT"]


def test_the_same_page_is_shown_once() -> None:
    """However often it was found."""
    page = replace(_draft("page", words=20), kind=EvidenceKind.DOC)

    packed = _pack([page, page], 500)

    assert [piece.draft.title for piece in packed.evidence] == ["page"]
    assert packed.left_out == ((page, "shown by other evidence"),)


def test_what_grew_to_the_whole_tells_of_nothing_that_was_cut() -> None:
    """The lines that are missing, and the tokens, are those of the text that is supplied in the end."""
    one = _draft("one", words=300)

    (piece,) = _pack([one], 310).evidence

    assert (piece.text, piece.truncated_lines) == (one.text, 0)
    assert piece.tokens == WordCounter().count(one.text)


@pytest.mark.parametrize("tokens", range(70, 160, 10))
def test_restored_documentation_hides_nothing_that_was_shown(tokens: int) -> None:
    """The line that raises is what the piece is there for: more of the documentation comes behind the body."""
    documented = "\n".join(f"    It says a few words more {number}" for number in range(16))
    head = f'def one(left, right):\n    """Add.\n\n{documented}\n    """\n'
    text = head + "    if left > right:\n        raise TooMuch(left)\n    return left + right\n"
    lines = text.rstrip("\n").split("\n")
    at = (lines.index("        raise TooMuch(left)"),)
    one = Draft(EvidenceKind.SOURCE, ContextSource.CODE, EvidenceRole.ERROR_SITE, "one", text, "raises", focus=at)

    (piece,) = _pack([one], tokens).evidence

    assert "        raise TooMuch(left)\n" in piece.text
    assert '    """Add.\n' in piece.text


def _documented(name: str, says: int, does: int) -> Draft:
    documentation = "".join(f"    It says a few words more {number}\n" for number in range(says))
    text = f'def {name}():\n    """\n{documentation}    """\n' + "".join(f"    {name}{n}()\n" for n in range(does))
    return Draft(EvidenceKind.SOURCE, ContextSource.CODE, EvidenceRole.MATCH, name, text, "because")


def test_documentation_is_restored_when_all_bodies_are_shown() -> None:
    """What was cut of it takes no room from another body, however important its piece is, and no other room is left."""
    one, two = _documented("one", 40, 20), _documented("two", 0, 300)
    bodies = sum(WordCounter().count(draft.text.partition('"""\n')[2]) for draft in (one, two)) - 40 * 7

    short = _pack([one, two], bodies + 90).evidence
    ample = _pack([one, two], bodies + 400).evidence

    assert [piece.truncated_lines > 0 for piece in short] == [True, False]
    assert short[0].text.endswith("    one19()\n")
    assert [piece.text for piece in ample] == [one.text, two.text]


def test_documentation_of_an_outline_stays_cut() -> None:
    """An outline is there for what its members are, whatever room is left."""
    outline = replace(_documented("Outer", 40, 90), is_outline=True)

    (piece,) = _pack([outline], 2000).evidence

    assert piece.truncated_lines > 30
    assert piece.text.endswith("    Outer89()\n")


def test_only_source_is_bounded_in_lines() -> None:
    """A function shows as many lines as the setting says, a page all that its budget carries."""
    source, page = _draft("source", words=90), replace(_draft("page", words=90), kind=EvidenceKind.DOC)
    ledger = Ledger(500, {ContextSource.CODE: 500})

    shown = pack([source, page], ledger, WordCounter(), TextLimits(source_lines=60)).evidence

    assert [piece.truncated_lines for piece in shown] == [source.text.count("\n") - 60, 0]


def test_a_method_of_a_class_that_is_only_outlined_is_shown() -> None:
    """An outline names its members and shows none of their lines."""
    outer = replace(_draft("Outer", words=20, span=Span("a.py", 1, 200)), is_outline=True)
    inner = _draft("inner", words=5, span=Span("a.py", 30, 34))

    packed = _pack([outer, inner], 500)

    assert [piece.draft.title for piece in packed.evidence] == ["Outer", "inner"]


def test_a_page_is_cut_after_its_first_line() -> None:
    """Prose has no declaration: a line far down that ends with a colon does not keep the beginning from being shown."""
    text = "Routing\n" + "some words here\n" * 50 + "For example:\n" + "word\n" * 10
    page = Draft(
        EvidenceKind.DOC, ContextSource.CODE, EvidenceRole.DOCUMENT, "Routing", text, "because", span=Span("a", 1, 62)
    )
    filler = _draft("filler", words=60)

    packed = _pack([filler, page], 140)

    assert [piece.draft.title for piece in packed.evidence] == ["filler", "Routing"]


def test_identity_is_that_of_the_content() -> None:
    """Equal place and lines have one identity, however they are titled or cut; other lines have another."""
    span = Span("a.py", 1, 2)
    one = Draft(
        EvidenceKind.SOURCE, ContextSource.CODE, EvidenceRole.MATCH, "one", "x", "", span=span, content_hash="h1"
    )
    two = Draft(
        EvidenceKind.SOURCE, ContextSource.GAPS, EvidenceRole.CALLER, "two", "y", "", span=span, content_hash="h1"
    )
    changed = Draft(
        EvidenceKind.SOURCE, ContextSource.CODE, EvidenceRole.MATCH, "one", "x", "", span=span, content_hash="h2"
    )

    assert one.evidence_id == two.evidence_id
    assert one.evidence_id != changed.evidence_id


def test_a_diagram_that_was_cut_is_still_a_diagram() -> None:
    """Its first lines stand by themselves, and what is missing is told in a comment of its language."""
    drawn = mermaid([Dependency(f"from{n}", f"to{n}", 9) for n in range(30)], limit=30) + "\n"
    draft = Draft(EvidenceKind.DIAGRAM, ContextSource.CODE, EvidenceRole.DIAGRAM, "diagram", drawn, "because")

    (piece,) = _pack([draft], 60).evidence

    *shown, last = piece.text.splitlines()
    assert drawn.startswith("\n".join(shown) + "\n")
    assert len(shown) > 5
    assert last == f"%% ... ({piece.truncated_lines} lines cut)"
