"""Answers made again from their log through four real services: the same, and not the same when something changed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb

from tests.e2e.four_services import CALL_SECONDS, SHOP, FourServices
from tests.e2e.test_e2e_command_line import cgrag
from tests.fakes.anthropic_replies import Message
from tests.fakes.anthropic_server import AnthropicServer

FIRST = (
    "A cart is checked out by `Checkout.run` [E1][E99].\n"
    '<gaps>\n<gap symbol="Warehouse.release" path="shop/warehouse.py">how stock comes back</gap>\n</gaps>'
)
THIRD = "`Checkout.run` calls `Warehouse.reserve` [E1], which raises `OutOfStock` [E2]."
QUESTION = "Trace what happens when a cart is checked out"
EVIDENCE_QUESTIONS = (
    "Why do I get OutOfStock: only 2 of tea are left?",
    "Trace how stock is released",
    "Which modules are most coupled to storage?",
    "What does the discount function do?",
)


@dataclass(frozen=True, slots=True)
class Modelled:
    """Services whose engine and judge ask a scripted model."""

    services: FourServices
    model: AnthropicServer
    settings: dict[str, str]


@pytest.fixture(scope="module")
def modelled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Modelled]:
    """Four services that know the shop and ask a model."""
    with AnthropicServer() as model:
        settings = {
            "CGRAG_ORCHESTRATOR_ENGINE": "anthropic",
            "CGRAG_ORCHESTRATOR_JUDGE": "model",
            "CGRAG_ORCHESTRATOR_MODEL_URL": model.base_url,
            "CGRAG_ORCHESTRATOR_MODEL_ATTEMPTS": "1",
            "CGRAG_ORCHESTRATOR_INITIAL_TOKENS": "600",  # so that gaps bring what is not shown yet
            "ANTHROPIC_API_KEY": "sk-test",
        }
        with FourServices(tmp_path_factory.mktemp("modelled") / "data", settings) as services:
            job = services.index(SHOP, "shop", without_vectors=True)
            assert job.state == indexer_pb2.INDEX_JOB_STATE_SUCCEEDED, job.error
            yield Modelled(services, model, settings)


def ask(services: FourServices, question: str = QUESTION, **options: object) -> pb.Answer:
    request = pb.AskRequest(
        repository="shop",
        question=question,
        options=pb.AskOptions(**options),  # type: ignore[arg-type]
    )
    return list(services.orchestrator.Ask(request, timeout=CALL_SECONDS))[-1].completed.answer


def replay(services: FourServices, answer: pb.Answer) -> pb.ReplayAnswerResponse:
    request = pb.ReplayAnswerRequest(answer_id=answer.answer_id)
    return services.orchestrator.ReplayAnswer(request, timeout=CALL_SECONDS)


@pytest.mark.parametrize("question", EVIDENCE_QUESTIONS)
@pytest.mark.parametrize("strategy", [pb.STRATEGY_GAPS, pb.STRATEGY_SUFFICIENCY])
def test_answers_from_evidence_alone_are_the_same(
    suite: FourServices, question: str, strategy: pb.Strategy.ValueType
) -> None:
    """In all modes and by both strategies: search, loop and writing are deterministic."""
    response = replay(suite, ask(suite, question, strategy=strategy))

    assert list(response.differences) == []
    assert response.played_passes == 0


def test_the_command_line_tells_the_same_by_its_exit_code(modelled: Modelled) -> None:
    """0 for the same, 4 for an answer that is not there."""
    modelled.model.enqueue(Message(THIRD))
    answer = ask(modelled.services, depth=pb.DEPTH_QUICK)
    same = cgrag("replay", answer.answer_id, **modelled.services.addresses())
    unknown = cgrag("replay", "ans_unknown", **modelled.services.addresses())

    assert (same.returncode, unknown.returncode) == (0, 4)
    assert same.stdout.startswith("Same")
    assert "1 pass of the model" in same.stdout


def test_a_log_that_was_changed_is_different_where_it_was(modelled: Modelled) -> None:
    """Other words of the model in the log: the text that they make is named, and what follows from it."""
    modelled.model.enqueue(Message(THIRD))
    answer = ask(modelled.services, depth=pb.DEPTH_QUICK)
    log = modelled.services.data / "orchestrator" / "answers.db"
    with sqlite3.connect(log) as connection:
        connection.execute(
            "UPDATE events SET body = replace(body, ?, ?) WHERE answer_id = ?",
            ('"heard":"`Checkout.run` calls', '"heard":"`Checkout.run` forgets', answer.answer_id),
        )
    run = cgrag("replay", answer.answer_id, "--json", **modelled.services.addresses())
    found = json.loads(run.stdout)["differences"]

    assert run.returncode == 7
    assert (found[0]["event"], found[0]["passNumber"]) == ("text_delta", 1)
    assert "calls" in found[0]["then"]
    assert "forgets" in found[0]["now"]


def test_another_version_of_the_search_is_different_in_its_evidence(modelled: Modelled, tmp_path: Path) -> None:
    """The same data behind a retriever that shows no documents: there it began, and no model is asked."""
    modelled.model.enqueue(Message(FIRST), Message(THIRD))
    answer = ask(modelled.services)
    asked = len(modelled.model.requests)
    data = tmp_path / "data"
    shutil.copytree(modelled.services.data, data)
    without = {f"CGRAG_RETRIEVER_{mode}_DOCS": "0" for mode in ("CONCEPTUAL", "EXPLORATORY", "DIAGNOSTIC")}
    with FourServices(data, modelled.settings | without) as other:
        run = cgrag("replay", answer.answer_id, **other.addresses())

    assert run.returncode == 7, run.stderr
    assert run.stdout.startswith("Different")
    assert "Began with  the evidence of pass 1, event " in run.stdout
    assert len(modelled.model.requests) == asked


def test_a_change_of_the_source_changes_nothing(suite: FourServices) -> None:
    """An answer is made again over the snapshot that it read, whatever is current."""
    folder = suite.data.parent / "moving"
    shutil.copytree(SHOP, folder)
    suite.index(folder, "moving", without_vectors=True)
    request = pb.AskRequest(repository="moving", question="What does the discount function do?")
    answer = list(suite.orchestrator.Ask(request, timeout=CALL_SECONDS))[-1].completed.answer
    pricing = folder / "shop" / "pricing.py"
    pricing.write_text(pricing.read_text().replace("discount", "rebate"))
    suite.index(folder, "moving", without_vectors=True)
    response = replay(suite, answer)

    assert response.snapshot_id == answer.snapshot_id
    assert list(response.differences) == []
