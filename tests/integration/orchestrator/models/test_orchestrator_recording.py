"""What the log keeps of an answer beyond what is streamed: all that came from outside and cannot be had again."""

from __future__ import annotations

from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from common.core.errors import DependencyUnavailable
from orchestrator.adapters.stores.sqlite_answers import SqliteAnswers
from orchestrator.domain.answers.events import Event, EvidenceSupplied, Judged, PassFinished, Warned
from tests.fakes.anthropic_replies import Message, error_event
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.clock import FakeClock
from tests.fakes.orchestrating import Orchestrating, asking
from tests.fakes.peers import source

HALF = '`checkout()` calls `charge()` [E1][E7].\n<gaps>\n<gap symbol="charge">how money is taken</gap>\n</gaps>'
REST = "`checkout()` calls `charge()` [E1], and `charge()` calls `authorise()` [E2]."


async def logged(suite: Orchestrating, answer_id: str) -> list[Event]:
    """Read an answer's events as they are kept."""
    answers = SqliteAnswers(suite.data / "orchestrator" / "answers.db", FakeClock())
    events = await answers.read(answer_id, 0, 10_000)
    await answers.close()
    return [each.event for each in events]


async def test_what_a_model_wrote_is_kept_as_it_came(model: AnthropicServer, modelled: Orchestrating) -> None:
    """Tags, labels and all, for each pass; nothing of it is streamed."""
    model.enqueue(Message(pieces=(HALF[:20], HALF[20:])), Message(REST))
    told = await modelled.ask()
    kept = await logged(modelled, told[0].answer_id)

    assert [each.heard for each in kept if isinstance(each, PassFinished)] == [HALF, REST]
    assert "<gap" not in "".join(str(event) for event in told)
    assert "[E" not in "".join(str(event) for event in told)


async def test_why_a_part_failed_is_kept(model: AnthropicServer, modelled: Orchestrating) -> None:
    """The words of what failed stand beside those that a reader is shown."""
    model.fallback = lambda _: error_event("Half a ")
    modelled.classifier.failure = DependencyUnavailable("no rules today")
    modelled.retriever.failing["ResolveGaps"] = DependencyUnavailable("no gaps today")
    told = await modelled.ask()
    kept = await logged(modelled, told[0].answer_id)

    causes = {each.code: each.cause for each in kept if isinstance(each, Warned)}
    messages = {each.code: each.message for each in kept if isinstance(each, Warned)}
    assert list(causes) == ["degraded_classifier", "degraded_model", "degraded_gaps"]
    assert causes["degraded_gaps"] == "no gaps today"
    assert all(causes[code] and messages[code].startswith(f"{causes[code]}; ") for code in causes)


async def test_who_judged_is_kept(model: AnthropicServer) -> None:
    """A judgement of a model names it; one of the rules, where the model failed, does not."""
    more = {"sufficient": False, "reasoning": "charge is not shown", "sub_question": "What does charge do?"}
    model.enqueue(Message(tool=("judgement", more)), error_event(), Message(REST))
    async with asking(model, judge="model") as suite:
        told = await suite.ask(
            options=pb.AskOptions(strategy=pb.STRATEGY_SUFFICIENCY, continue_without_new_evidence=True)
        )
        kept = await logged(suite, told[0].answer_id)

    judged = [each.judgement for each in kept if isinstance(each, Judged)]
    assert [bool(each.model) for each in judged][:2] == [True, False]


async def test_what_the_session_gave_is_kept(suite: Orchestrating) -> None:
    """A question asked again counts what was shown for it before; another question does not."""
    first = await suite.answer()
    again = await suite.answer(session_id=first.session_id)
    other = await suite.answer("How does checkout charge the customer's invoice?", session_id=first.session_id)
    kept = [await logged(suite, each.answer_id) for each in (first, again, other)]

    supplied = [next(each for each in events if isinstance(each, EvidenceSupplied)) for events in kept]
    assert [(each.from_session, each.shown_before) for each in supplied] == [(0, 0), (2, 2), (2, 0)]


async def test_what_was_not_found_is_known_from_the_session_once(suite: Orchestrating) -> None:
    """However often it is remembered, its outcome says so once."""
    suite.classifier.symbols = ("vanish",)
    suite.retriever.first = [source("authorise")]
    first = await suite.answer("What does vanish do?")
    await suite.answer("What does vanish do?", session_id=first.session_id)
    third = await suite.answer("What does vanish do?", session_id=first.session_id)

    assert third.gaps[0].detail.count("known from this session") == 1
