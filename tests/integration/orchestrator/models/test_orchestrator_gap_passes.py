"""What a model asks for, in any form, and passes that fail or only ask; against a local endpoint with a script."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import evidence_pb2, question_pb2

from tests.fakes.anthropic_replies import Failure, Message, Reply, error_event, stalled_after
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.orchestrating import Orchestrating, asking, kinds, text_of
from tests.fakes.peers import FakeRetriever, source

ASKING = Message('<gaps><gap symbol="charge" path="shop/payment.py">how?</gap></gaps>')
WHOLE = Message("`checkout()` calls `charge()` [E1], and `charge()` calls `authorise()` [E2].")
HALF = "Half a sentence that is long enough to be streamed at once, so it is. " * 5


def asked_for(suite: Any) -> list[evidence_pb2.Gap]:
    """Return the gaps that the retriever was asked for."""
    return [gap for each in suite.retriever.asked(retriever_pb2.ResolveGapsRequest) for gap in each.gaps]


def question_of(model: AnthropicServer, index: int) -> str:
    """Return the last part of a request, which has the question."""
    return str(model.requests[index].json["messages"][0]["content"][-1]["text"])


def warnings_of(events: list[pb.AnswerEvent]) -> list[str]:
    """Return the codes of warnings."""
    return [each.warning.code for each in events if each.HasField("warning")]


@pytest.mark.parametrize(
    ("section", "gap"),
    [
        ("<gap name='TypeAdapter<T>.read' file=a/b.java/>", {"symbol": "TypeAdapter.read", "path": "a/b.java"}),
        ("<gap path='a/b.py' lines='10-20'/>", {"path": "a/b.py", "start_line": 10, "end_line": 20}),
        ("<gap users='charge'/>", {"symbol": "charge", "aspect": evidence_pb2.GAP_ASPECT_USERS}),
        ('[{"text": "no money", "why": "who says it"}]', {"text": "no money", "description": "who says it"}),
        (
            "- tests of `charge`",
            {"symbol": "charge", "aspect": evidence_pb2.GAP_ASPECT_TESTS, "description": "tests of `charge`"},
        ),
    ],
)
async def test_gaps_reach_the_retriever_in_the_form_of_the_contract(
    model: AnthropicServer, section: str, gap: dict[str, Any], modelled: Orchestrating
) -> None:
    """Whatever form a model writes, the retriever is asked for exactly that."""
    model.enqueue(Message(f"It is so [E1].\n<gaps>\n{section}\n</gaps>"), WHOLE)
    await modelled.answer()

    assert [evidence_pb2.Gap(gap_id="g1-1", **gap)] == asked_for(modelled)


async def test_a_tag_that_is_quoted_is_no_section(model: AnthropicServer, modelled: Orchestrating) -> None:
    """An answer about code that has such tags is whole, and nothing is fetched."""
    quoted = "It draws `<Gap size={4} />` [E1]:\n\n```tsx\n<gaps>\n  <Gap size={4} />\n</gaps>\n```\n\nThat is all."
    model.enqueue(Message(pieces=[*quoted]))
    answer = await modelled.answer()

    assert answer.text == quoted.replace("E1", "1")
    assert not answer.gaps


async def test_what_cannot_be_read_is_a_warning(model: AnthropicServer, modelled: Orchestrating) -> None:
    """Something that was asked for is not lost without a word."""
    model.enqueue(Message("It is so [E1].\n<gaps>\n<gap colour='red'/>\n</gaps>"))
    events = await modelled.ask()

    (told,) = [each.warning for each in events if each.HasField("warning")]
    assert (told.code, "colour='red'" in told.message) == ("gap_unread", True)


async def test_a_pass_that_only_asks_is_a_pass(model: AnthropicServer, modelled: Orchestrating) -> None:
    """It is no fault, shows no text, and the next pass answers from what it asked for."""
    model.enqueue(ASKING, WHOLE)
    events = await modelled.ask()

    answer = events[-1].completed.answer
    assert text_of(events, 1) == ""
    assert (
        answer.text
        == text_of(events, 2)
        == "`checkout()` calls `charge()` [1], and `charge()` calls `authorise()` [2]."
    )
    assert not answer.degraded
    assert (answer.engine, answer.metadata.passes, len(model.requests)) == ("anthropic", 2, 2)
    assert "This is pass 1 of at most 3; about 4500 tokens" in question_of(model, 0)
    assert "charge" in question_of(model, 1)


async def test_what_a_model_does_not_need_makes_room(model: AnthropicServer, modelled: Orchestrating) -> None:
    """The next pass is not shown it, and has its tokens for what was asked for; a replay does the same."""
    asks = '<gaps>\n<drop labels="E1"/>\n<gap symbol="charge" path="shop/payment.py"/>\n</gaps>'
    model.enqueue(Message(asks), Message("It calls `authorise()` [E1]."))
    events = await modelled.ask()
    replayed = await modelled.replay(events[0].answer_id)

    first, second = (json.dumps(each.json) for each in model.requests)
    assert 'name=\\"checkout\\"' in first
    assert 'name=\\"checkout\\"' not in second
    assert 'name=\\"charge\\"' in second
    assert "have no room any more" not in second
    assert "You dropped, and can ask for again: shop/payment.py:1-4" in question_of(model, 1)
    assert "You dropped" not in question_of(model, 0)
    assert not any(each.known_evidence_ids for each in modelled.retriever.asked(retriever_pb2.ResolveGapsRequest))
    assert [each.title for each in events[-1].completed.answer.citations] == ["charge (shop/payment.py)"]
    assert not replayed.differences


async def test_lines_that_a_model_does_not_need_make_room(model: AnthropicServer) -> None:
    """The rest of the piece stays under its label, and the retriever is told what is shown of it."""
    asks = '<gaps>\n<drop labels="E1:2-4"/>\n<gap symbol="charge" path="shop/payment.py"/>\n</gaps>'
    model.enqueue(Message(asks), Message("It calls `authorise()` [E2]."))
    piece = source("checkout")
    piece.lines.add(start_line=1, end_line=4)
    async with asking(model, FakeRetriever(first=[piece])) as suite:
        events = await suite.ask()
        replayed = await suite.replay(events[0].answer_id)

    second = json.dumps(model.requests[1].json)
    shown = second.partition("<E1 ")[2].partition("</E1>")[0]
    (order, _played) = suite.retriever.asked(retriever_pb2.ResolveGapsRequest)
    assert "\\n1 " in shown
    assert "\\n2 " not in shown
    assert [(each.path, each.start_line, each.end_line) for each in order.shown] == [("shop/payment.py", 1, 1)]
    assert not order.known_evidence_ids
    assert not replayed.differences


async def test_further_definitions_are_named_until_a_model_has_asked(
    model: AnthropicServer, modelled: Orchestrating
) -> None:
    """The next pass has their room, and neither a session nor a repeated question brings them again."""
    model.enqueue(ASKING, WHOLE, WHOLE)
    first = await modelled.ask()
    await modelled.ask(session_id=first[0].started.session_id)
    replayed = await modelled.replay(first[0].answer_id)

    shown = ["refund 40" in json.dumps(each.json) for each in model.requests]
    assert shown[:2] == [True, False]
    label = '<E1 at=\\"shop/payment.py:1-4\\" name=\\"checkout\\">'
    assert all(label in json.dumps(each.json) for each in model.requests)  # labels are equal, for the endpoint's cache
    assert "no room" not in question_of(model, 0)
    once, again, _played = modelled.retriever.asked(retriever_pb2.RetrieveRequest)
    assert "outline" not in again.known_evidence_ids
    assert (once.with_outline, again.with_outline) == (True, False)
    assert not replayed.differences


@pytest.mark.parametrize(
    "options",
    [
        pb.AskOptions(max_passes=1),
        pb.AskOptions(depth=pb.DEPTH_QUICK),
        pb.AskOptions(switches=question_pb2.Switches(without_gap_resolution=True)),
    ],
)
async def test_nothing_further_is_named_to_who_may_not_ask(
    model: AnthropicServer, options: pb.AskOptions, modelled: Orchestrating
) -> None:
    """All tokens of the first evidence are for what answers."""
    model.enqueue(WHOLE)
    await modelled.ask(options=options)

    (order,) = modelled.retriever.asked(retriever_pb2.RetrieveRequest)
    assert (order.with_outline, order.budget.initial_tokens) == (False, 2800)


async def test_a_pass_that_only_asks_for_what_is_not_there_is_followed_by_one_that_answers(
    model: AnthropicServer, modelled: Orchestrating
) -> None:
    """Nothing new came: the model is asked once more, knows that nothing will come, and its text is the answer."""
    model.enqueue(Message("<gaps><gap symbol='Bank.vanish'/></gaps>"), WHOLE)
    events = await modelled.ask()

    answer = events[-1].completed.answer
    assert answer.text == text_of(events, 2)
    assert answer.text.startswith("`checkout()`")
    assert "This is the last pass" in question_of(model, 1)
    assert "Bank.vanish: absent" in question_of(model, 1)
    assert [each.outcome for each in answer.gaps] == [evidence_pb2.GAP_OUTCOME_ABSENT]


async def test_a_last_pass_that_only_asks_leaves_an_answer(model: AnthropicServer) -> None:
    """What was written before stands; without that the answer is made from evidence. Both are degraded."""
    model.enqueue(Message("It is so [E1].\n<gaps><gap symbol='charge'/></gaps>"), ASKING, ASKING, ASKING)
    async with asking(model, max_passes=2) as suite:
        stands, written = await suite.ask(), await suite.ask(options=pb.AskOptions(max_passes=1))

    first, second = stands[-1].completed.answer, written[-1].completed.answer
    assert (first.text, first.engine, list(first.degraded)) == ("It is so [1].", "anthropic", ["model"])
    assert [each.title for each in first.citations]
    assert (second.engine, list(second.degraded)) == ("evidence", ["model"])
    assert second.text


@pytest.mark.parametrize(
    "reply", [Failure(529), error_event("Half a "), Message("")], ids=["status", "broken", "empty"]
)
async def test_a_later_pass_that_fails_leaves_the_answer_before_it(
    model: AnthropicServer, reply: Reply, modelled: Orchestrating
) -> None:
    """It is paid for: its text and citations are the answer, marked degraded, and nothing else is asked."""
    model.enqueue(Message("It is so [E1].\n<gaps><gap symbol='charge'/></gaps>"), reply)
    events = await modelled.ask()
    replayed = await modelled.replay(events[0].answer_id)

    answer = events[-1].completed.answer
    assert answer.text == text_of(events, answer.metadata.passes) == "It is so [1]."
    assert (answer.engine, list(answer.degraded), len(answer.citations)) == ("anthropic", ["model"], 1)
    assert "later pass" in answer.disclaimer
    assert len(model.requests) == 2
    assert not replayed.differences


async def test_time_that_is_over_after_a_pass_that_only_asked(model: AnthropicServer) -> None:
    """The answer is written from evidence then, and never empty."""
    model.enqueue(Message(ASKING.text, pause_seconds=0.7))
    async with asking(model, answer_seconds=0.5) as suite:
        answer = await suite.answer()

    assert (answer.engine, list(answer.degraded), len(model.requests)) == ("evidence", ["model"], 1)
    assert answer.text


@pytest.mark.parametrize("broken", [error_event(HALF), stalled_after(HALF)], ids=["error event", "stalled"])
async def test_a_fault_after_the_first_text_is_retried(model: AnthropicServer, broken: Reply) -> None:
    """The pass begins anew within the attempts, and nothing of the broken text is left."""
    model.enqueue(broken, WHOLE)
    async with asking(model, model_attempts=2, model_idle_seconds=0.3) as suite:
        events = await suite.ask()

    answer = events[-1].completed.answer
    assert kinds(events).count("pass_started") == 2
    assert any("Half a sentence" in each.text_delta.text for each in events)
    assert answer.text == text_of(events, 1) == WHOLE.text.replace("[E1]", "[1]").replace(" [E2]", "")
    assert (len(model.requests), list(answer.degraded)) == (2, [])
    assert model.requests[0].body == model.requests[1].body


async def test_gaps_are_tools_where_that_is_set(model: AnthropicServer) -> None:
    """Several calls in one reply, beside text, are the gaps of the pass; the text of the prompt has no section."""
    calls = [
        ("fetch", {"symbol": "charge", "why": "how money is taken"}),
        ("fetch", {"path": "shop/payment.py", "lines": "10-20"}),
        ("fetch", {"users": "authorise"}),
        ("fetch", {"colour": "red"}),
    ]
    model.enqueue(Message("It is so [E1].", tools=calls), WHOLE)
    async with asking(model, model_gaps="tools") as suite:
        events = await suite.ask()
        replayed = await suite.replay(events[0].answer_id)

    gaps = asked_for(suite)
    assert [(each.symbol, each.path, each.start_line, each.aspect) for each in gaps[:3]] == [
        ("charge", "", 0, evidence_pb2.GAP_ASPECT_UNSPECIFIED),
        ("", "shop/payment.py", 10, evidence_pb2.GAP_ASPECT_UNSPECIFIED),
        ("authorise", "", 0, evidence_pb2.GAP_ASPECT_USERS),
    ]
    assert [each["name"] for each in model.requests[0].json["tools"]] == ["fetch"]
    assert "<gaps>" not in json.dumps(model.requests[0].json["system"])
    assert "gap_unread" in warnings_of(events)
    assert text_of(events, 1) == "It is so [1]."
    assert not replayed.differences


async def test_calls_alone_are_a_pass(model: AnthropicServer) -> None:
    """No text is needed beside the calls, unless the pass is the last."""
    model.enqueue(Message(tools=[("fetch", {"symbol": "charge"})]), WHOLE)
    async with asking(model, model_gaps="tools") as suite:
        answer = await suite.answer()

    assert (answer.metadata.passes, list(answer.degraded)) == (2, [])
    assert [each.symbol for each in asked_for(suite)] == ["charge"]


async def test_an_endpoint_that_refuses_tools_is_asked_without_them(model: AnthropicServer) -> None:
    """The answer does not suffer, and later requests come without tools at once."""

    def reply(request: Any) -> Reply:
        return Failure(400, message="tools are not supported") if "tools" in request.json else WHOLE

    model.fallback = reply
    async with asking(model, model_gaps="tools") as suite:
        first, second = await suite.answer(), await suite.answer()

    assert [first.engine, second.engine, *first.degraded] == ["anthropic", "anthropic"]
    assert ["tools" in each.json for each in model.requests] == [True, False, False]
    assert "<gaps>" in json.dumps(model.requests[1].json["messages"])


async def test_a_follow_up_is_told_what_it_refers_to(model: AnthropicServer) -> None:
    """The prompt names what "it" is, and what the session knows not to be there."""
    model.enqueue(Message("It is so [E1].\n<gaps><gap symbol='Bank.vanish'/></gaps>"), WHOLE, WHOLE)
    async with asking(model, FakeRetriever(first=[source("checkout")])) as suite:
        first = await suite.answer("How does `checkout` charge the customer?")
        await suite.answer("And what calls it?", session_id=first.session_id)

    asked = question_of(model, len(model.requests) - 1)
    assert "checkout" in asked
    assert "Known not to be found: Bank.vanish" in asked


async def test_links_and_images_that_lead_outside_are_disarmed(model: AnthropicServer, modelled: Orchestrating) -> None:
    """A model that obeys what it read cannot make a reader load or follow anything."""
    model.enqueue(
        Message(pieces=[*"So [E1]. ![x](https://evil/p.png?q=secret) and [y](https://evil), [z](shop/a.md)."])
    )
    answer = await modelled.answer()

    assert answer.text == "So [1]. ![x] (`https://evil/p.png?q=secret`) and [y] (`https://evil`), [z](shop/a.md)."


@pytest.mark.parametrize("dirty", [True, False])
async def test_a_citation_of_a_changed_tree_has_no_link_to_its_commit(model: AnthropicServer, dirty: bool) -> None:
    """The lines may be others there: the citation and the answer say so."""
    model.enqueue(Message("So [E1]."))
    async with asking(model, FakeRetriever(dirty=dirty), citation_url="https://x/{commit}/{path}") as suite:
        answer = await suite.answer()

    (citation,) = answer.citations
    assert (citation.dirty, bool(citation.url)) == (dirty, not dirty)
    assert ("differ from commit" in answer.disclaimer) == dirty
