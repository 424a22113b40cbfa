"""No request exceeds any budget: random caps, modes, switches and stages, counted anew with the real tokenizer."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import evidence_pb2, question_pb2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common.core.words.tokens import BpeTokenCounter
from retriever.domain.questions.question import Mode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.integration.retriever.conftest import Retriever

_QUESTION = "Why does Checkout.run raise PaymentDeclined, and who reserves and releases the stock of an order?"
_GAPS = (
    "Checkout.run",
    "Order",
    "shop/storage.py",
    "who releases reservations that are overdue",
    "Ledger.post",
    "nope",
)
_FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
_CAP = st.one_of(st.integers(1, 60), st.integers(60, 500), st.integers(500, 6000))
"""Mostly so small that the shop has more to say."""
_COUNT = BpeTokenCounter().count


def _counted(evidence: Iterable[evidence_pb2.Evidence]) -> Counter[int]:
    """Count each text by source, lines with their numbers; what a piece claims to cost is not believed."""
    used: Counter[int] = Counter()
    for piece in evidence:
        numbers = [str(line) for run in piece.lines for line in range(run.start_line, run.end_line + 1)]
        written = piece.text.removesuffix("\n").split("\n")
        is_mark = [bool(numbers) and line.startswith("... (") for line in written]
        assert not numbers or len(numbers) == is_mark.count(False)
        told = (
            line if mark or not numbers else f"{numbers.pop(0)} {line}"
            for line, mark in zip(written, is_mark, strict=True)
        )
        used[piece.source] += _COUNT("\n".join(told) + "\n")
    return used


@_FEW
@given(mode=st.sampled_from(Mode), total=_CAP, system=_CAP, initial=_CAP, off=st.integers(0, 63), outline=st.booleans())
async def test_first_evidence_keeps_every_cap(
    retriever: Retriever, mode: Mode, total: int, system: int, initial: int, off: int, outline: bool
) -> None:
    """Total less system, and initial, whatever is turned off or named; and what is reported is what was used."""
    total, system = max(2, total), min(system, max(2, total) - 1)
    names = [field.name for field in question_pb2.Switches.DESCRIPTOR.fields]
    switches = question_pb2.Switches(**{name: bool(off >> bit & 1) for bit, name in enumerate(names)})
    request = retriever_pb2.RetrieveRequest(
        repository="shop",
        question=_QUESTION,
        classification=question_pb2.Classification(mode=question_pb2.Mode.ValueType(int(mode))),
        budget=question_pb2.Budget(total_tokens=total, system_tokens=system, initial_tokens=initial),
        switches=switches,
        with_outline=outline,
    )

    response = await retriever.stub.Retrieve(request)

    used = _counted(response.evidence)
    assert used.total() <= min(initial, max(0, total - system))
    assert {each.source: each.used_tokens for each in response.budget_use if each.used_tokens} == +used
    assert all(each.used_tokens <= each.limit_tokens for each in response.budget_use)


@_FEW
@given(
    gap=_CAP,
    gap_total=_CAP,
    per_pass=_CAP,
    total=_CAP,
    after=st.lists(_CAP, min_size=1, max_size=4),
    pass_number=st.integers(1, 6),
    earlier=st.integers(0, 3000),
    wanted=st.lists(st.sampled_from(_GAPS), min_size=1, max_size=8),
)
async def test_gaps_keep_every_cap(
    retriever: Retriever,
    gap: int,
    gap_total: int,
    per_pass: int,
    total: int,
    after: list[int],
    pass_number: int,
    earlier: int,
    wanted: list[str],
) -> None:
    """Each gap, each pass, what earlier passes left of all gaps, and the total: the smallest that remains wins."""
    budget = question_pb2.Budget(
        total_tokens=max(2, total),
        system_tokens=1,
        gap_tokens=gap,
        gap_total_tokens=gap_total,
        pass_tokens=per_pass,
        after_pass_tokens=after,
    )
    response = await retriever.stub.ResolveGaps(
        retriever_pb2.ResolveGapsRequest(
            repository="shop",
            question=_QUESTION,
            gaps=[evidence_pb2.Gap(symbol=each) for each in wanted],
            budget=budget,
            pass_number=pass_number,
            used_gap_tokens=earlier,
        )
    )

    tokens = {piece.evidence_id: _counted([piece]).total() for piece in response.evidence}
    spent, told = [], set[str]()
    for result in response.results:  # what is supplied for one gap is named by later ones, and counts once
        spent.append(sum(tokens[each] for each in set(result.evidence_ids) - told))
        told.update(result.evidence_ids)
    this_pass = after[min(pass_number, len(after)) - 1]
    assert all(each <= gap for each in spent)
    assert sum(spent) == _counted(response.evidence).total()
    assert sum(spent) <= max(0, min(min(gap_total, max(2, total) - 1) - earlier, per_pass, this_pass))


@_FEW
@given(
    window=_CAP,
    reserved=st.integers(0, 5999),
    stages=st.sampled_from([("scope",), ("precision",), ("scope", "precision")]),
    form=st.sampled_from(retriever_pb2.ContextFormat.values()),
)
async def test_contexts_keep_their_window(
    retriever: Retriever,
    window: int,
    reserved: int,
    stages: tuple[str, ...],
    form: retriever_pb2.ContextFormat.ValueType,
) -> None:
    """What is rendered takes at most the window less what is reserved, in every form and after a refinement."""
    reserved %= window
    package = await retriever.stub.BuildContext(
        retriever_pb2.BuildContextRequest(
            repository="shop",
            task="Let Checkout.run retry when the gateway times out",
            stages=stages,
            context_window_tokens=window,
            reserved_tokens=reserved,
            format=form,
        )
    )
    refined = await retriever.stub.RefineContext(
        retriever_pb2.RefineContextRequest(
            repository="shop",
            task_id=package.task_id,
            missing_symbols=["Order", "Gateway"],
            missing_files=["shop/app.py"],
        )
    )

    for each in (package, refined):
        shown = _COUNT(each.rendered) if form else _counted(entry.evidence for entry in each.entries).total()
        assert shown == each.used_tokens <= each.limit_tokens == window - reserved
