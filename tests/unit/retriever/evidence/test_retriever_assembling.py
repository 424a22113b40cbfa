"""Fitting a package into its budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from retriever.domain.evidence.piece import ContextSource, EvidenceKind
from retriever.domain.tasks.assembling import Assembled, Offer, assemble
from retriever.domain.tasks.rendering import render, render_entry
from retriever.domain.tasks.task import ContextEntry, ContextFormat, ContextRole, ContextTier
from retriever.domain.values import Symbol, SymbolKind
from tests.fakes.counting import WordCounter

_COUNTER = WordCounter()


def _entry(name: str, words: int) -> ContextEntry:
    symbol = Symbol(
        1, 1, None, SymbolKind.FUNCTION, "a.py", "a", "python", False, name, name, 1, 9, f"def {name}()", ""
    )
    return ContextEntry(
        evidence_id=name,
        kind=EvidenceKind.SOURCE,
        source=ContextSource.CODE,
        title=name,
        span=symbol.span,
        symbol=symbol,
        text=" ".join(["word"] * words),
        tokens=words,
        content_hash="",
        role=ContextRole.PRIMARY,
        tier=ContextTier.SEED,
        relation="mentioned",
    )


def _offer(name: str, words: int, brief: int = 0, form: ContextFormat = ContextFormat.NONE) -> Offer:
    whole = _entry(name, words)
    offer = Offer(whole, _COUNTER.count(render_entry(whole, form)))
    if not brief:
        return offer
    short = _entry(name, brief)
    return replace(offer, brief=short, brief_cost=_COUNTER.count(render_entry(short, form)))


def _sum(entries: Sequence[ContextEntry]) -> int:
    return sum(entry.tokens for entry in entries)


def _shown(found: Assembled) -> list[tuple[str, bool]]:
    return [(entry.title, entry.demoted) for entry in found.entries]


def test_what_fits_is_shown_whole() -> None:
    """A budget that is met exactly costs nobody anything."""
    found = assemble([_offer("a", 10, 2), _offer("b", 10)], 20, _sum)

    assert _shown(found) == [("a", False), ("b", False)]
    assert (found.tokens, found.left_out) == (20, ())


def test_bodies_shrink_from_the_least_important_on() -> None:
    """One token too many demotes the last body, and leaves nothing out."""
    found = assemble([_offer("a", 10, 2), _offer("b", 10, 2), _offer("c", 5)], 24, _sum)

    assert _shown(found) == [("a", False), ("b", True), ("c", False)]


def test_what_is_to_be_changed_keeps_its_body_where_the_budget_is_short() -> None:
    """The first half of the bodies stays within two thirds; what is only near goes before these shrink."""
    offers = [_offer("a", 10, 2), _offer("b", 10, 2), _offer("c", 12)]

    found = assemble(offers, 16, _sum)

    assert _shown(found) == [("a", False), ("b", True)]
    assert [entry.title for entry in found.left_out] == ["c"]


def test_only_the_first_half_of_the_bodies_stays() -> None:
    """As much of what comes last as has a place then is shown; what cannot shrink does not count as a body."""
    two = [_offer("a", 10, 2), _offer("b", 10, 2), _offer("c", 40)]
    three = [_offer("a", 10, 2), _offer("b", 10, 2), _offer("c", 10, 2), _offer("d", 12)]

    assert _shown(assemble(two, 52, _sum)) == [("a", False), ("b", True), ("c", False)]
    assert _shown(assemble(three, 33, _sum)) == [("a", False), ("b", False), ("c", False)]
    assert _shown(assemble(three, 34, _sum)) == [("a", False), ("b", False), ("c", True), ("d", False)]


def test_a_body_beyond_its_share_leaves_room_for_the_rest() -> None:
    """A body of more than two thirds shrinks, and the next one that has a place stays."""
    offers = [_offer("a", 12, 2), _offer("b", 8, 2), _offer("c", 5)]

    found = assemble(offers, 15, _sum)

    assert _shown(found) == [("a", True), ("b", False), ("c", False)]


def test_room_that_is_left_goes_back_to_a_body() -> None:
    """When a large body has shrunk, a smaller one behind it has its place again."""
    offers = [_offer("a", 10, 2), _offer("b", 20, 2), _offer("c", 8, 2)]

    found = assemble(offers, 26, _sum)

    assert _shown(found) == [("a", False), ("b", True), ("c", False)]


def test_all_bodies_shrink_before_one_that_can_is_left_out() -> None:
    """Signatures of all that is to be changed are worth more than one body of it."""
    offers = [_offer("a", 6, 2), _offer("b", 6, 3), _offer("c", 6, 3)]

    all_brief = assemble(offers, 9, _sum)
    one_gone = assemble(offers, 7, _sum)

    assert _shown(all_brief) == [("a", True), ("b", True), ("c", True)]
    assert _shown(one_gone) == [("a", True), ("b", True)]


def test_what_a_rendering_costs_more_is_taken_from_the_last_body() -> None:
    """The parts alone would have fitted; what is asked for first is worth most."""
    found = assemble([_offer("a", 10, 2), _offer("b", 10, 2)], 20, lambda entries: _sum(entries) + 5)

    assert _shown(found) == [("a", False), ("b", True)]


def test_nothing_fits_into_nothing() -> None:
    """A budget below the smallest signature gives an empty package."""
    found = assemble([_offer("a", 10, 2)], 1, _sum)

    assert (found.entries, found.tokens) == ((), 0)


@given(
    sizes=st.lists(st.tuples(st.integers(1, 60), st.integers(0, 20)), max_size=12),
    limit=st.integers(1, 400),
    form=st.sampled_from(ContextFormat),
)
@example(sizes=[(1, 0), (1, 0), (1, 0), (2, 1), (20, 1), (1, 0)], limit=114, form=ContextFormat.JSON)
def test_no_package_is_ever_over_its_budget(sizes: list[tuple[int, int]], limit: int, form: ContextFormat) -> None:
    """Whatever is offered and however it is rendered; the order holds, and left out are only the last ones."""
    offers = [_offer(f"n{n}", words, min(brief, words - 1), form) for n, (words, brief) in enumerate(sizes)]

    def measure(entries: Sequence[ContextEntry]) -> int:
        return _sum(entries) if form == ContextFormat.NONE else _COUNTER.count(render("task", entries, (), form))

    found = assemble(offers, limit, measure)

    assert found.tokens == (measure(found.entries) if found.entries else 0) <= limit
    assert [each.title for each in (*found.entries, *found.left_out)] == [offer.entry.title for offer in offers]
    bodies = [entry for entry, offer in zip(found.entries, offers, strict=False) if offer.brief and not entry.demoted]
    assert not found.left_out or not bodies or measure([*found.entries, found.left_out[0]]) > limit
