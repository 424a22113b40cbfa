"""What a session keeps of an answer, in which order, and what of it comes back."""

from __future__ import annotations

import pytest

from orchestrator.domain.evidence import Evidence, Gap, GapOutcome, GapResult, Span
from orchestrator.domain.question import Anchors
from orchestrator.domain.sessions import SessionMemory, absences, by_use, recall


@pytest.mark.parametrize(
    ("cited", "order"), [((), ["a", "b", "c", "d"]), (("d", "b"), ["a", "c", "b", "d"])], ids=["nothing", "two"]
)
def test_what_was_cited_is_remembered_as_used_last(cited: tuple[str, ...], order: list[str]) -> None:
    """The first one last; what was shown besides goes first when room is needed."""
    evidence = [Evidence(name) for name in "abcd"]

    assert [each.evidence_id for each in by_use("How?", Anchors(), evidence, cited)] == order


def test_what_another_question_may_settle_is_not_remembered_as_absent() -> None:
    """Of two things of one name the next question may say which; what is not there is not there for it either."""
    kept = absences(GapResult(Gap("g"), outcome) for outcome in GapOutcome)

    assert {each.outcome for each in kept} == {
        GapOutcome.ABSENT,
        GapOutcome.EXTERNAL,
        GapOutcome.OUT_OF_COVERAGE,
        GapOutcome.BELOW_FLOOR,
    }


def test_a_mentioned_file_is_recalled_and_none_whose_name_ends_alike() -> None:
    """Without its folders it is the same file, and "store.py" is not "datastore.py"; it counts for the first pass."""
    paths = ("shop/datastore.py", "shop/store.py")
    cached = [Evidence(path, span=Span(path, 1, 9), text="x", tokens=10, pass_number=2) for path in paths]

    found = recall(cached, "And there?", Anchors(paths=("store.py",)), max_tokens=10)

    assert [(each.evidence_id, each.pass_number) for each in found] == [("shop/store.py", 1)]


def test_words_in_a_text_alone_recall_nothing() -> None:
    """One of them must be in its title, symbol or path: a long text has some word of every question."""
    text = "charge the invoice of a cart"
    named, long = (
        Evidence("named", title="Invoice", text=text, tokens=1),
        Evidence("long", title="x", text=text, tokens=1),
    )

    found = recall((long, named), "How is an invoice charged to the cart?", Anchors(), max_tokens=10)

    assert [each.evidence_id for each in found] == ["named"]


def test_what_was_shown_comes_back_up_to_what_does_not_fit() -> None:
    """What follows would begin another prompt; what fits exactly does."""
    memory = SessionMemory(tuple(Evidence(name, tokens=10) for name in "abc"), shown={"key": ("a", "b", "c")})

    assert [len(memory.shown_for("key", max_tokens=most)) for most in (9, 10, 29, 30)] == [0, 1, 2, 3]
