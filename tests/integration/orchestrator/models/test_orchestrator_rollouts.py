"""A variant that makes the answers of a share of the sessions: otherwise in what it says, and told apart afterwards."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2

from tests.e2e.ports import free_port
from tests.fakes.answering import eventually
from tests.fakes.anthropic_replies import Message, stalled_after
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.orchestrating import Orchestrating, asking
from tests.integration.orchestrator.models.test_orchestrator_shadows import compared, scrape

PLAIN = Message("`checkout()` takes the money [E1].\n", output_tokens=10)
WITH_GAP = Message('`checkout()` takes it [E1].\n<gaps><gap symbol="charge" path="shop/payment.py">how</gap></gaps>')
SESSIONS = 24


def rolling(model: AnthropicServer, variant: dict[str, Any], percent: float = 50.0, **settings: Any) -> Any:
    """Run an orchestrator that makes the answers of some sessions by a variant."""
    return asking(model, variants={"tried": variant}, rollout="tried", rollout_percent=percent, **settings)


async def of_both(suite: Orchestrating) -> dict[str, pb.Answer]:
    """Ask in new sessions until one got the variant and one did not; return an answer of each."""
    found: dict[str, pb.Answer] = {}
    for _ in range(SESSIONS):
        answer = await suite.answer()
        found[answer.variant] = answer
        if len(found) == 2:
            return found
    raise AssertionError(f"of {SESSIONS} sessions all got {set(found)}")


async def test_a_variant_differs_in_model_prompt_budget_and_switches(model: AnthropicServer, tmp_path: Path) -> None:
    """Each in the requests that it leads to; the other sessions are as without it."""
    system = (Path(__file__).parents[4] / "orchestrator" / "prompts" / "answer_system.txt").read_text(encoding="utf-8")
    (tmp_path / "answer_system.txt").write_text(system.replace("You answer", "Tersely, you answer"), encoding="utf-8")
    model.fallback = lambda _: WITH_GAP
    variant = {
        "answer_model": "tried-1",
        "prompts_dir": str(tmp_path),
        "max_passes": 1,
        "initial_tokens": 1234,
        "without": ["call_graph"],
    }
    async with rolling(model, variant) as suite:
        answers = await of_both(suite)
        searched = suite.retriever.asked(retriever_pb2.RetrieveRequest)
    said = {each.json["model"]: each.json["system"][0]["text"] for each in model.requests}

    assert set(said) == {"claude-sonnet-5-5", "tried-1"}
    assert said["tried-1"].startswith("Tersely, ")
    assert said["claude-sonnet-5-5"].startswith("You answer")
    assert (answers["tried"].metadata.passes, answers[""].metadata.passes) == (1, 2)
    assert {(each.budget.initial_tokens, each.switches.without_call_graph) for each in searched} == {
        (1820, False),
        (1234, True),
    }


async def test_a_session_keeps_its_variant_over_a_restart(model: AnthropicServer, tmp_path: Path) -> None:
    """Later questions of a session and other processes agree; the session's share does not depend on the moment."""
    model.fallback = lambda _: PLAIN
    async with rolling(model, {"max_passes": 1}, data_dir=tmp_path) as suite:
        first = {(answer := await suite.answer()).session_id: answer.variant for _ in range(8)}
    async with rolling(model, {"max_passes": 1}, data_dir=tmp_path) as suite:
        again = {each: (await suite.answer("And then?", session_id=each)).variant for each in first}

    assert again == first


async def test_an_answer_that_is_taken_up_again_stays_what_it_was(model: AnthropicServer, tmp_path: Path) -> None:
    """Although no session gets the variant any more; replayed, it is the same."""
    model.enqueue(stalled_after("It takes "), PLAIN)
    async with rolling(model, {"max_passes": 1}, 100.0, data_dir=tmp_path) as suite:
        call = suite.stub.Ask(pb.AskRequest(repository="shop", question="How does checkout charge?"), timeout=60)
        answer_id = (await call.read()).answer_id
        await eventually(lambda: len(model.requests) == 1)
        call.cancel()
    async with rolling(model, {"max_passes": 1}, 0.0, data_dir=tmp_path) as suite:
        answer = (await suite.watch(answer_id))[-1].completed.answer
        replayed = await suite.replay(answer_id)

    assert (answer.variant, answer.engine) == ("tried", "anthropic")
    assert not replayed.differences
    assert not replayed.stopped


async def test_metrics_tell_both_groups_apart(model: AnthropicServer) -> None:
    """By a closed label: confidence, passes, tokens, cost and the rating that comes later; roles of models as well."""
    model.fallback = lambda _: PLAIN
    port = free_port()
    async with rolling(model, {"input_usd_per_million": 1_000_000.0}, metrics_port=port) as suite:
        answers = await of_both(suite)
        for answer in answers.values():
            await suite.stub.RateAnswer(pb.RateAnswerRequest(answer_id=answer.answer_id, rating=4), timeout=10)
        lines = (await scrape(port)).splitlines()

    def of(name: str, variant: str) -> float:
        found = (each for each in lines if each.startswith(f"{name}{{") and f'variant="{variant}"' in each)
        return sum(float(each.split()[-1]) for each in found)

    for variant in ("standard", "tried"):
        assert of("cgrag_answer_rating_total", variant) == 1
        assert of("cgrag_answer_confidence_total", variant) >= 1
        assert of("cgrag_answer_passes_count", variant) == of("cgrag_answer_confidence_total", variant)
        assert of("cgrag_answer_tokens_total", variant) > 0
    assert of("cgrag_answer_cost_usd_total", "tried") > 0 == of("cgrag_answer_cost_usd_total", "standard")
    assert any('role="rollout"' in each and "cgrag_llm_requests_total" in each for each in lines)
    assert set(re.findall(r'variant="([^"]*)"', "\n".join(lines))) == {"standard", "tried"}


@pytest.mark.parametrize(("shadow", "made"), [("", ""), ("tried", "tried")])
async def test_answers_of_a_variant_have_shadows_too(model: AnthropicServer, shadow: str, made: str) -> None:
    """By the standard configuration, to see what a rollout changed, or by any variant."""
    model.fallback = lambda _: PLAIN
    async with rolling(model, {"max_passes": 1}, 100.0, shadow=shadow, shadow_percent=100.0) as suite:
        answer = await suite.answer()
        await compared(suite)
        found = await suite.stub.GetShadow(pb.GetShadowRequest(answer_id=answer.answer_id), timeout=10)

    assert (found.served.variant, found.shadow.variant) == ("tried", made)


@pytest.mark.parametrize("percent", [0.0, 100.0])
async def test_a_share_of_none_or_all(model: AnthropicServer, percent: float) -> None:
    """Nobody gets it, or everybody does."""
    model.fallback = lambda _: PLAIN
    async with rolling(model, {"engine": "evidence"}, percent) as suite:
        answers = await asyncio.gather(*(suite.answer() for _ in range(6)))

    assert {each.variant for each in answers} == ({"tried"} if percent else {""})
    assert {each.engine for each in answers} == ({"evidence"} if percent else {"anthropic"})
