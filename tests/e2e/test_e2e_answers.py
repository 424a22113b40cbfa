"""Questions about a small repository, answered through four real services, asked with nothing but the stubs."""

from __future__ import annotations

import hashlib
import time

import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import evidence_pb2, question_pb2

from tests.e2e.four_services import CALL_SECONDS, SHOP, FourServices

# Each question with its mode and symbols that a good answer cites at least one of.
QUESTIONS = [
    pytest.param(
        "Why do I get OutOfStock: only 2 of tea are left?",
        question_pb2.MODE_DIAGNOSTIC,
        {"shop/warehouse.py::Warehouse.reserve", "shop/checkout.py::Checkout.run"},
        id="diagnostic",
    ),
    pytest.param(
        "Trace what happens when a cart is checked out",
        question_pb2.MODE_EXPLORATORY,
        {"shop/handlers.py::checkout_cart", "shop/checkout.py::Checkout.run"},
        id="exploratory",
    ),
    pytest.param(
        "Which modules are most coupled to storage?",
        question_pb2.MODE_ANALYTICAL,
        {"shop/storage.py::read", "shop/storage.py::write", "shop/storage.py::", "shop/cart.py::", "shop/pricing.py::"},
        id="analytical",
    ),
    pytest.param(
        "What does the discount function do?",
        question_pb2.MODE_CONCEPTUAL,
        {"shop/pricing.py::discount", "shop/pricing.py::total_of"},
        id="conceptual",
    ),
]


def ask(suite: FourServices, question: str, **options: object) -> list[pb.AnswerEvent]:
    request = pb.AskRequest(repository="shop", question=question, options=pb.AskOptions(**options))  # type: ignore[arg-type]
    return list(suite.orchestrator.Ask(request, timeout=CALL_SECONDS))


def cited(answer: pb.Answer) -> set[str]:
    return {f"{each.span.path}::{each.symbol.qualified_name}" for each in answer.citations}


def assert_resolves(citation: evidence_pb2.Citation) -> None:
    """The file exists, the lines are those that were indexed, and they hold the cited symbol."""
    lines = (SHOP / citation.span.path).read_text().splitlines(keepends=True)
    start, end = citation.span.start_line or 1, citation.span.end_line or len(lines)
    text = "".join(lines[start - 1 : end])
    name = citation.symbol.qualified_name.rpartition(".")[2]

    assert 1 <= start <= end <= len(lines)
    assert citation.content_hash == hashlib.sha256(text.encode()).hexdigest()
    assert name in text
    assert citation.source_identity


@pytest.mark.parametrize(("question", "mode", "gold"), QUESTIONS)
def test_answers_in_four_modes(
    suite: FourServices, question: str, mode: question_pb2.Mode.ValueType, gold: set[str]
) -> None:
    """Each kind is routed to its mode, streamed by the contract, and answered with citations that resolve."""
    events = ask(suite, question)

    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert events[0].WhichOneof("event") == "started"
    assert [event.WhichOneof("event") for event in events].count("completed") == 1
    answer = events[-1].completed.answer
    assert answer.classification.mode == mode
    assert answer.text.strip()
    assert answer.confidence
    assert answer.metadata.stop_reason
    assert answer.citations
    for citation in answer.citations:
        assert_resolves(citation)
    assert cited(answer) & gold


def supplied(events: list[pb.AnswerEvent], pass_number: int) -> set[str]:
    """Name the symbols that were supplied for a pass."""
    batches = [event.evidence for event in events if event.WhichOneof("event") == "evidence"]
    pieces = [piece for batch in batches if batch.pass_number == pass_number for piece in batch.evidence]
    return {f"{each.span.path}::{each.symbol.qualified_name}" for each in pieces}


def test_a_second_pass_supplies_what_the_first_missed(suite: FourServices) -> None:
    """
    A gap is named, fetched and cited; with gap resolution off the same question does without it.

    The stream shows it: the gap, its outcome, and evidence of pass 2 that pass 1 did not have.
    """
    question = "How is an order paid?"
    budget = question_pb2.Budget(initial_tokens=600)  # so that not all of the shop is shown at first
    events = ask(suite, question, budget=budget)
    alone = ask(suite, question, budget=budget, switches=question_pb2.Switches(without_gap_resolution=True))

    answer, answer_alone = events[-1].completed.answer, alone[-1].completed.answer
    late = cited(answer) & (supplied(events, 2) - supplied(events, 1))
    assert answer.metadata.passes >= 2
    assert {"gaps_found", "gap_resolved"} <= {event.WhichOneof("event") for event in events}
    assert answer_alone.metadata.passes == 1
    assert late - cited(answer_alone)


def test_budgets_hold(suite: FourServices) -> None:
    """No cap on evidence is ever exceeded."""
    answer = ask(suite, "Trace what happens when a cart is checked out")[-1].completed.answer

    assert answer.metadata.context_use
    assert all(use.used_tokens <= use.limit_tokens for use in answer.metadata.context_use)


def test_a_repository_without_vectors_is_not_degraded(suite: FourServices) -> None:
    """Search by meaning was not wanted for it: neither the answer nor a warning says that something is missing."""
    events = ask(suite, "How does a cart keep what was bought?")

    assert list(events[-1].completed.answer.degraded) == []
    assert [each.warning.code for each in events if each.HasField("warning")] == []


def test_explains_before_answering(suite: FourServices) -> None:
    """A dry run names mode, plan, coverage and what was found, and asks no engine."""
    request = pb.ExplainRequest(repository="shop", question="Why do I get OutOfStock: only 2 of tea are left?")
    explained = suite.orchestrator.Explain(request, timeout=CALL_SECONDS)

    assert explained.classification.mode == question_pb2.MODE_DIAGNOSTIC
    assert explained.plan
    assert "OutOfStock" in explained.anchors_found
    assert 0 < explained.coverage <= 1
    assert explained.evidence


def test_a_layer_that_arrives_later_is_taken_up(suite: FourServices) -> None:
    """Findings and vectors come as sets over the same core; the retriever reads the last one within five seconds."""
    job = suite.index(SHOP, "shop-vectors")
    current = indexer_pb2.GetSnapshotRequest(repository="shop-vectors")
    snapshot = suite.indexer.GetSnapshot(current, timeout=CALL_SECONDS)
    search = retriever_pb2.SearchRequest(repository="shop-vectors", query="goods that ran out")
    ends = time.monotonic() + 5
    read = suite.retriever.Search(search, timeout=CALL_SECONDS).snapshot_id
    while read != snapshot.snapshot_id and time.monotonic() < ends:
        read = suite.retriever.Search(search, timeout=CALL_SECONDS).snapshot_id

    assert job.state == indexer_pb2.INDEX_JOB_STATE_SUCCEEDED, job.error
    assert job.counts.vectors > 0
    assert [layer.kind for layer in snapshot.layers] == [
        indexer_pb2.LAYER_KIND_CORE,
        indexer_pb2.LAYER_KIND_FINDINGS,
        indexer_pb2.LAYER_KIND_VECTORS,
    ]
    assert read == snapshot.snapshot_id


def test_findings_reach_the_answer(suite: FourServices) -> None:
    """What analyzers find in a repository is told, with a citation, when its structure is asked about."""
    folder = suite.data.parent / "flagged"
    (folder / "till").mkdir(parents=True)
    (folder / "till" / "__init__.py").touch()
    (folder / "till" / "pay.py").write_text("def pay(amount):\n    return eval(amount)\n")
    suite.index(folder, "flagged", without_vectors=True)
    question = pb.AskRequest(repository="flagged", question="Which problems does till have in its structure?")
    question.options.mode = question_pb2.MODE_ANALYTICAL
    events = list(suite.orchestrator.Ask(question, timeout=CALL_SECONDS))
    answer = events[-1].completed.answer

    assert "high security" in answer.text
    assert "line 2 of pay (till/pay.py:1)" in answer.text
    assert "till/pay.py::pay" in cited(answer)
    assert "degraded_findings" not in [each.warning.code for each in events]
