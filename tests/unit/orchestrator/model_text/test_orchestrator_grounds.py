"""Names that no definition has, and that an answer may mean all the same."""

from __future__ import annotations

import pytest

from common.core.contract.evidence import CheckedClaim, Claim, ClaimKind, ClaimVerdict, LineRange, Span
from orchestrator.domain.answers.claims import ClaimSite, are_telling
from orchestrator.domain.evidence.piece import Evidence
from orchestrator.domain.grammar.extraction import identifiers_of
from orchestrator.domain.model_text.grounds import Grounds

PIECE = Evidence(
    "e1",
    span=Span("buffer.rs", 10, 13),
    text="fn stream(&mut self) {\n    self.mode = Mode::Streaming;\n}\nfn stop(&mut self) {}\n",
    lines=(LineRange(10, 13),),
)
CODE = "\n```js\nconst childDone = wait(stream);\n```\n"


def _grounds(text: str) -> Grounds:
    return Grounds(
        text, {1: Span("buffer.rs", 10, 12), 2: Span("buffer.rs", 13, 13)}, (PIECE,), identifiers_of((PIECE,))
    )


@pytest.mark.parametrize(
    ("text", "subject", "has_grounds"),
    [
        (f"{CODE}`childDone` stays pending.", "childDone", True),
        ("`childDone` stays pending.", "childDone", False),
        ("`stream()` switches to `Streaming` [1].", "Streaming.stream", True),
        ("`stream()` switches to `Streaming` [2].", "Streaming.stream", False),
        ("`stream()` switches to `Streaming`.", "Streaming.stream", False),
        ("For `other.Nested.stream` it is short.", "other.Nested.stream", True),
        ("`Mode.vanish` does it [1].", "Mode.vanish", False),
        (f"{CODE}`stream` is passed.", "Mode.stream", False),
    ],
)
def test_what_an_answer_may_mean_is_not_refuted(text: str, subject: str, has_grounds: bool) -> None:
    """Its own variables, examples of its own, and names that stand together in the lines that are cited."""
    site = ClaimSite(Claim(ClaimKind.EXISTS, subject), text.rfind("\n") + 1, len(text))

    assert _grounds(text).has(site) is has_grounds


@pytest.mark.parametrize(
    ("name", "value", "place", "has_grounds"),
    [("mode", "Streaming", 1, True), ("mode", "Streaming", 2, False), ("mode", "Waiting", 1, False)],
)
def test_a_value_that_a_cited_line_gives_is_not_refuted(name: str, value: str, place: int, has_grounds: bool) -> None:
    """Another definition of that name may have another one."""
    text = f"`{name}` is `{value}` [{place}]."

    assert _grounds(text).has(ClaimSite(Claim(ClaimKind.VALUE, name, value), 0, len(text))) is has_grounds


def test_only_names_and_values_can_be_meant_otherwise() -> None:
    """What lines show is what the index says."""
    text = f"{CODE}`childDone` calls `stream()` [1]."

    assert not _grounds(text).has(ClaimSite(Claim(ClaimKind.CALLS, "childDone", "stream"), 0, len(text)))


@pytest.mark.parametrize(
    ("refuted", "others", "telling"),
    [(0, 0, False), (0, 30, False), (1, 0, True), (1, 5, True), (1, 6, False), (2, 11, False), (3, 60, True)],
)
def test_contradictions_tell_something_if_they_are_many(refuted: int, others: int, telling: bool) -> None:
    """Three, or a sixth of all claims."""
    claims = [Claim(ClaimKind.EXISTS, f"charge_{number}") for number in range(refuted)]
    checked = [CheckedClaim(each, ClaimVerdict.CONTRADICTED) for each in claims]
    checked += [CheckedClaim(Claim(ClaimKind.EXISTS, "pay"), ClaimVerdict.VERIFIED)] * others

    assert are_telling(checked) is telling


def test_a_contradiction_counts_once() -> None:
    """However often an answer says it."""
    same = [CheckedClaim(Claim(ClaimKind.EXISTS, "vanish"), ClaimVerdict.CONTRADICTED)] * 4
    others = [CheckedClaim(Claim(ClaimKind.EXISTS, "pay"), ClaimVerdict.VERIFIED)] * 20

    assert not are_telling((*same, *others))
