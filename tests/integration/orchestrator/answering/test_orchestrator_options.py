"""What answers do with options, switches, budgets, wrong requests, and peers that lack something."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import question_pb2

from common.core.errors import DependencyUnavailable
from tests.fakes.answering import details, refusal
from tests.fakes.orchestrating import QUESTION, Orchestrating, kinds, orchestrating
from tests.fakes.peers import REPOSITORY, FakeRetriever, source


async def test_without_a_classifier_the_question_is_searched_for_plainly(suite: Orchestrating) -> None:
    """A classifier that does not answer degrades the answer, and does not fail it."""
    suite.classifier.failure = DependencyUnavailable("down")
    answer = await suite.answer("Why does checkout raise PaymentError?")

    assert list(answer.degraded) == ["classifier"]
    assert answer.classification.mode == question_pb2.MODE_CONCEPTUAL
    assert answer.citations


async def test_missing_vectors_are_told() -> None:
    """A search that could not use vectors says so, and why; one that was told not to does not."""
    async with orchestrating(FakeRetriever(skipped=["vectors: layer cannot be used"])) as suite:
        events = await suite.ask()
        told = events[-1].completed.answer
        untold = await suite.answer(options=pb.AskOptions(switches=question_pb2.Switches(without_vectors=True)))

    assert list(told.degraded) == ["vectors"]
    assert [each.warning.message for each in events if each.HasField("warning")] == [
        "vectors: layer cannot be used; the rest of the search answered"
    ]
    assert not untold.degraded


class OnceRetriever(FakeRetriever):
    """Is there for the first search alone."""

    async def Retrieve(self, request: Any, context: Any) -> retriever_pb2.RetrieveResponse:
        """Give the scripted evidence, or fail."""
        found = await super().Retrieve(request, context)
        self.failing["Retrieve"] = DependencyUnavailable("no search today")
        return found


async def test_a_further_search_that_fails_leaves_what_was_found() -> None:
    """The second strategy answers from it, says so, and its log makes the same answer again."""
    async with orchestrating(OnceRetriever()) as suite:
        events = await suite.ask(options=pb.AskOptions(strategy=pb.STRATEGY_SUFFICIENCY))
        suite.retriever.failing.clear()
        replayed = await suite.replay(events[0].answer_id)

    answer = events[-1].completed.answer
    assert [each.warning.message for each in events if each.HasField("warning")] == [
        "no search today; what was missing stays so"
    ]
    assert (list(answer.degraded), answer.metadata.stop_reason) == (["gaps"], pb.STOP_REASON_ALL_UNFINDABLE)
    assert "`checkout`" in answer.text
    assert answer.citations
    assert list(replayed.differences) == []


async def test_the_second_strategy_walks_no_graph_that_is_turned_off(suite: Orchestrating) -> None:
    """It knows where things are defined, and asks for nothing that they call."""
    switches = question_pb2.Switches(without_call_graph=True)
    answer = await suite.answer(options=pb.AskOptions(strategy=pb.STRATEGY_SUFFICIENCY, switches=switches))

    assert not suite.retriever.asked(retriever_pb2.ExpandGraphRequest)
    assert [each.predicate for each in answer.sufficiency.triples] == ["is defined in"]
    assert len(answer.sufficiency.judgements) == 1


async def test_no_evidence_is_said_plainly() -> None:
    """Without evidence the answer says so, cites nothing, and its confidence is low."""
    async with orchestrating(FakeRetriever(first=[])) as suite:
        answer = await suite.answer()

    assert not answer.citations
    assert answer.confidence == pb.CONFIDENCE_LOW
    assert "Nothing in the indexed code" in answer.text


async def test_the_text_of_evidence_stays_inside_unless_switched() -> None:
    """Events name evidence; its text goes out only where the service is set to send it."""
    async with orchestrating() as suite:
        quiet = await suite.ask()
    async with orchestrating(stream_evidence_text=True) as suite:
        open_ = await suite.ask()

    assert [each.evidence.evidence[0].text for each in quiet if each.HasField("evidence")] == ["", ""]
    assert all(each.evidence.evidence[0].text for each in open_ if each.HasField("evidence"))


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"question": "  "}, "question"),
        ({"question": "x" * 100_001}, "question"),
        ({"repository": ""}, "repository"),
        ({"request_id": "x" * 65}, "request_id"),
        ({"options": pb.AskOptions(max_passes=11)}, "options.max_passes"),
        ({"options": pb.AskOptions(max_passes=-1)}, "options.max_passes"),
        ({"options": pb.AskOptions(mode=99)}, "options.mode"),  # type: ignore[arg-type]
        ({"options": pb.AskOptions(budget=question_pb2.Budget(gap_tokens=-5))}, "options.budget.gap_tokens"),
        (
            {"options": pb.AskOptions(budget=question_pb2.Budget(total_tokens=900, system_tokens=901))},
            "options.budget.system_tokens",
        ),
    ],
)
async def test_wrong_requests_are_refused_by_field(fields: dict[str, object], field: str, suite: Orchestrating) -> None:
    """What is wrong with a request is told by field, before any work."""
    refused = await refusal(suite.ask(**fields))  # type: ignore[arg-type]

    assert refused.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert [each.field for each in details(refused)["BadRequest"].field_violations] == [field]
    assert not suite.retriever.requests


@pytest.mark.parametrize("after", [-1, 2**63 - 1])
async def test_a_place_that_no_answer_has_is_refused(after: int, suite: Orchestrating) -> None:
    """Events behind it could have no numbers; the answer stays as it is."""
    whole = await suite.ask()
    refused = await refusal(suite.watch(whole[0].answer_id, after))

    assert await suite.watch(whole[0].answer_id) == whole
    assert refused.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert [each.field for each in details(refused)["BadRequest"].field_violations] == ["after_sequence"]


async def test_a_name_that_documentation_writes_is_no_claim_of_the_answer() -> None:
    """Documentation above the lines of a function comes beside its text; what it names may be of a library."""
    piece = source("checkout")
    piece.text = "def checkout(cart):\n    return charge(cart)\n"
    piece.span.end_line = piece.span.start_line + 1
    piece.documentation = "Books what is in the bag with the functions of `BagWriter`."
    async with orchestrating(FakeRetriever(first=[piece])) as suite:
        answer = await suite.answer("What does checkout do?")

    assert "`BagWriter`" in answer.text
    assert "BagWriter" not in [each.claim.subject for each in answer.claims]


async def test_budgets_of_a_request_reach_the_retriever() -> None:
    """The caps of a request win over the settings, and no fetch may go beyond the whole."""
    budget = question_pb2.Budget(total_tokens=900, system_tokens=500, initial_tokens=300, gap_tokens=77)
    async with orchestrating(FakeRetriever(first=[source("checkout", tokens=250)])) as suite:
        await suite.ask(options=pb.AskOptions(budget=budget))

    first = suite.retriever.asked(retriever_pb2.RetrieveRequest)[0].budget
    gaps = suite.retriever.asked(retriever_pb2.ResolveGapsRequest)[0].budget
    assert (first.initial_tokens, first.gap_tokens) == (300, 77)
    assert gaps.gap_total_tokens == 57


async def test_a_smaller_whole_leaves_room_for_gaps() -> None:
    """Whether a request or a setting makes it smaller, the loop fetches what is missing; all parts scale."""
    options = pb.AskOptions(budget=question_pb2.Budget(total_tokens=4500))
    async with orchestrating(FakeRetriever(first=[source("checkout", tokens=2100)])) as suite:
        await suite.ask(options=options)
        asked = suite.retriever.asked(retriever_pb2.RetrieveRequest)[0].budget
        gaps = suite.retriever.asked(retriever_pb2.ResolveGapsRequest)
    async with orchestrating(FakeRetriever(first=[source("checkout")]), total_tokens=4500, gap_tokens=77) as other:
        await other.ask()
        set_by = other.retriever.asked(retriever_pb2.RetrieveRequest)[0].budget

    assert (asked.initial_tokens, asked.gap_total_tokens, len(gaps)) == (1457, 3123, 1)
    assert (set_by.initial_tokens, set_by.gap_total_tokens, set_by.gap_tokens) == (1457, 3123, 77)


async def test_explain_asks_no_engine(suite: Orchestrating) -> None:
    """Explain says mode, plan, anchors, coverage, tokens and passes to expect, and has the classifier keep to rules."""
    suite.classifier.symbols = ("checkout", "vanish")
    told = await suite.stub.Explain(pb.ExplainRequest(repository=REPOSITORY, question=QUESTION))

    assert list(told.plan) == ["search"]
    assert (list(told.anchors_found), list(told.anchors_missing)) == (["checkout"], ["vanish"])
    assert (told.coverage, told.expected_evidence_tokens, told.expected_passes) == (0.9, 40, 2)
    assert [each.engine for each in suite.classifier.requests] == [question_pb2.CLASSIFIER_ENGINE_RULES]
    assert not suite.retriever.asked(retriever_pb2.ResolveGapsRequest)


async def test_the_sufficiency_strategy_gathers_a_graph(suite: Orchestrating) -> None:
    """Judgements, entities and triples are streamed, kept in the answer, and lead to the next search."""
    suite.retriever.first = [source("checkout")]
    call = suite.ask(options=pb.AskOptions(strategy=pb.STRATEGY_SUFFICIENCY))
    events = await call

    answer = events[-1].completed.answer
    triples = {(each.subject, each.predicate, each.object) for each in answer.sufficiency.triples}
    searches = suite.retriever.asked(retriever_pb2.RetrieveRequest)
    assert ("checkout", "calls", "charge") in triples
    assert "`charge`" in searches[1].question
    assert answer.metadata.passes == 1
    assert not answer.gaps, "what is missing was the judge's to say"
    assert kinds(events).count("judged") == len(answer.sufficiency.judgements) >= 2
    assert len(searches) <= 4


async def test_a_quick_answer_of_the_sufficiency_strategy_retrieves_once() -> None:
    """What its judge misses stays so, and the answer says why no more was looked at."""
    options = pb.AskOptions(strategy=pb.STRATEGY_SUFFICIENCY, depth=pb.DEPTH_QUICK)
    async with orchestrating(FakeRetriever(first=[source("checkout")])) as suite:
        answer = await suite.answer(options=options)
        searches = suite.retriever.asked(retriever_pb2.RetrieveRequest)

    assert len(searches) == 1
    assert [bool(each.sub_question) for each in answer.sufficiency.judgements] == [True]
    assert answer.metadata.stop_reason == pb.STOP_REASON_PASSES_USED


async def test_what_is_too_long_for_a_name_is_none(suite: Orchestrating) -> None:
    """A retriever refuses a gap of 90,000 characters, and with it the others, and each step would go through it."""
    long = "a." * 45_000
    suite.classifier.symbols = (long, "authorise")
    answer = await suite.answer(f"Why do `{long}` and authorise fail?")
    explained = await suite.explain(f"Why do `{long}` and authorise fail?")
    asked = [gap for each in suite.retriever.asked(retriever_pb2.ResolveGapsRequest) for gap in each.gaps]

    assert [each.gap.symbol for each in answer.gaps if "names" in each.gap.description] == ["authorise"]
    assert "authorise" in [each.symbol for each in asked]
    assert max(len(each.symbol) for each in asked) < 100
    assert list(explained.classification.anchors.symbols) == ["authorise"]


async def test_comments_are_listed_by_repository(suite: Orchestrating) -> None:
    """Page by page, those of the newest answers first, each as it was last written."""
    answers = [await suite.answer() for _ in range(3)]
    for number, answer in enumerate(answers, 1):
        for comment in ("first", f"comment {number}"):
            rated = pb.RateAnswerRequest(answer_id=answer.answer_id, rating=number, comment=comment)
            await suite.stub.RateAnswer(rated)
    first = await suite.stub.ListRatings(pb.ListRatingsRequest(repository=REPOSITORY, page_size=2))
    request = pb.ListRatingsRequest(repository=REPOSITORY, page_size=2, page_token=first.next_page_token)
    second = await suite.stub.ListRatings(request)
    others = await suite.stub.ListRatings(pb.ListRatingsRequest(repository="other"))

    listed = [*first.ratings, *second.ratings]
    assert [(each.rating, each.comment) for each in listed] == [(3, "comment 3"), (2, "comment 2"), (1, "comment 1")]
    assert [each.answer_id for each in reversed(listed)] == [each.answer_id for each in answers]
    assert (len(first.ratings), second.next_page_token, len(others.ratings)) == (2, "", 0)


async def test_a_second_rating_is_not_counted_again(suite: Orchestrating) -> None:
    """It replaces the first one in the store; the metric counts answers, by what wrote them."""
    answer = await suite.answer()
    for rating in (2, 5):
        await suite.stub.RateAnswer(pb.RateAnswerRequest(answer_id=answer.answer_id, rating=rating))
    text = suite.server._metrics.text()

    assert 'cgrag_answer_rating_total{engine="evidence",model="none",rating="2",variant="standard"} 1.0' in text
    assert 'cgrag_answer_rating_total{engine="evidence",model="none",rating="5",variant="standard"} 0.0' in text
