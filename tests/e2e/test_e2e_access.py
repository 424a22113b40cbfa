"""What one caller's repository holds never reaches another, whatever it calls, through four processes."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cgrag.classifier.v1 import classifier_pb2
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2

from cgrag_client.cli import main
from tests.e2e.four_services import CALL_SECONDS
from tests.e2e.guarded import (
    ABSENT,
    CALLERS,
    CANARY,
    MINE,
    THEIRS,
    Guarded,
    access_file,
    metadata_of,
    outcome,
    token_of,
)
from tests.e2e.guarded_world import FILE, World, task_of


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Two repositories of two owners behind four services that ask who calls."""
    with Guarded(tmp_path_factory.mktemp("guarded")) as services:
        yield World(services)


def test_the_canary_can_be_seen_by_whom_it_belongs_to(world: World) -> None:
    """Bert gets it from every call that gives text, or nothing here could fail."""
    seen = {name for name, make in world.reading().items() if CANARY in outcome(*make(THEIRS), "bert")[2]}

    assert seen >= {
        "Search",
        "Retrieve",
        "ResolveGaps",
        "Lookup",
        "Graph",
        "Spans",
        "Context",
        "Claims",
        "Ask",
        "Explain",
    }
    assert CANARY in world.events


def test_what_may_not_be_seen_looks_like_what_is_not_there(world: World) -> None:
    """Each call about another's repository ends as about one that does not exist, to the letter."""
    cases = [("anna", world.reading()), ("otto", world.running())]
    cases.append(("adam", {**world.reading(), **world.running(), "Delete": lambda name: _deletion(world, name)}))
    for caller, calls in cases:
        for name, make in calls.items():
            theirs = _without_ids(outcome(*make(THEIRS), caller), THEIRS)
            absent = _without_ids(outcome(*make(ABSENT), caller), ABSENT)

            assert theirs[:2] == absent[:2], f"{caller} {name}"
            assert theirs[0] != "OK" or name in ("Jobs", "Session", "Debt", "Ratings"), f"{caller} {name}"
            assert CANARY not in "".join(theirs), f"{caller} {name}"
            assert (theirs[0] == "PERMISSION_DENIED") is (name == "StartIndexing"), name
    assert outcome(*world.reading()["Spans"](THEIRS), "bert")[0] == "OK"


def test_ids_of_others_lead_nowhere(world: World) -> None:
    """An answer, session or job of another repository is unknown by its true id as by an invented one."""
    orchestrator, indexer, pb = world.services.orchestrator, world.services.indexer, orchestrator_pb2
    job = world.jobs[THEIRS].job_id
    by_id = [
        ("anna", orchestrator.GetAnswer, pb.GetAnswerRequest, "answer_id", world.answer),
        ("anna", orchestrator.WatchAnswer, pb.WatchAnswerRequest, "answer_id", world.answer),
        ("anna", orchestrator.CancelAnswer, pb.CancelAnswerRequest, "answer_id", world.answer),
        ("anna", orchestrator.ReplayAnswer, pb.ReplayAnswerRequest, "answer_id", world.answer),
        ("adam", orchestrator.ReplayAnswer, pb.ReplayAnswerRequest, "answer_id", world.answer),
        ("adam", orchestrator.GetShadow, pb.GetShadowRequest, "answer_id", world.answer),
        ("anna", orchestrator.GetSession, pb.GetSessionRequest, "session_id", world.session),
        ("anna", orchestrator.DeleteSession, pb.DeleteSessionRequest, "session_id", world.session),
        ("anna", indexer.GetIndexJob, indexer_pb2.GetIndexJobRequest, "job_id", job),
        ("anna", indexer.WatchIndexJob, indexer_pb2.WatchIndexJobRequest, "job_id", job),
        ("otto", indexer.CancelIndexJob, indexer_pb2.CancelIndexJobRequest, "job_id", job),
    ]
    for caller, method, request, field, identity in by_id:
        true, invented = identity, f"{identity[:-4]}0000"
        found = outcome(method, request(**{field: true}), caller)
        missing = outcome(method, request(**{field: invented}), caller)

        assert found[0] == "NOT_FOUND"
        assert (found[0], found[1].replace(true, invented)) == missing[:2]
        assert CANARY not in "".join(found)
    rating = pb.RateAnswerRequest(answer_id=world.answer, rating=5)
    assert outcome(orchestrator.RateAnswer, rating, "anna")[0] == "NOT_FOUND"
    ask = pb.AskRequest(repository=MINE, question="What is added?", session_id=world.session)
    assert outcome(orchestrator.Ask, ask, "anna")[0] == "NOT_FOUND"


def test_lists_leave_out_what_may_not_be_seen(world: World) -> None:
    """Repositories, jobs and sessions are listed as if the others were not there."""
    indexer = world.services.indexer
    _, _, repositories = outcome(indexer.ListRepositories, indexer_pb2.ListRepositoriesRequest(), "anna")
    _, _, jobs = outcome(indexer.ListIndexJobs, indexer_pb2.ListIndexJobsRequest(page_size=1), "anna")
    everything = indexer.ListRepositories(indexer_pb2.ListRepositoriesRequest(), metadata=metadata_of("root"))
    sessions = outcome(world.services.orchestrator.ListSessions, orchestrator_pb2.ListSessionsRequest(), "anna")[2]

    assert f'"{MINE}"' in repositories
    assert f'"{THEIRS}"' not in repositories + jobs + sessions
    assert f'"{MINE}"' in jobs
    assert [each.repository for each in everything.repositories] == [MINE, THEIRS]


def test_questions_about_ones_own_repository_find_nothing_of_others(world: World) -> None:
    """After the other's evidence is in all caches, a question that names it is answered from one's own code alone."""
    orchestrator, pb = world.services.orchestrator, orchestrator_pb2
    # The same words as the other's question, the same request id, and the same task.
    ask = pb.AskRequest(repository=MINE, question="How are prices added?", request_id="bert-1")
    code, _, answered = outcome(orchestrator.Ask, ask, "anna")
    _, _, package = outcome(world.services.retriever.BuildContext, task_of(MINE), "anna")

    assert code == "OK"
    assert "Adds prices" in answered + package
    assert CANARY not in answered + package


def test_a_snapshot_of_others_is_not_in_ones_own_repository(world: World) -> None:
    """Its true id leads no further than an invented one."""
    told = []
    for snapshot in (world.snapshot, "0" * 64):
        request = retriever_pb2.ReadSpansRequest(repository=MINE, snapshot_id=snapshot, spans=[FILE])
        code, text, rest = outcome(world.services.retriever.ReadSpans, request, "anna")
        told.append((code, text.replace(snapshot, "ID"), CANARY in rest))

    assert told[0] == told[1]
    assert (told[0][0], told[0][2]) == ("NOT_FOUND", False)


@pytest.mark.parametrize(("caller", "expected"), [("anna", [MINE]), ("root", [MINE, THEIRS])])
def test_the_command_line_calls_with_a_token(
    world: World,
    caller: str,
    expected: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With CGRAG_TOKEN it lists what its caller may see; without, it says what to set and ends with its code."""
    for name, value in world.services.addresses().items():
        monkeypatch.setenv(name, value)
    refused = main(["repos"]), capsys.readouterr().err
    monkeypatch.setenv("CGRAG_TOKEN", token_of(caller))
    listed = main(["repos", "--json"]), json.loads(capsys.readouterr().out)

    assert refused[0] == 1
    assert "CGRAG_TOKEN" in refused[1]
    assert listed[0] == 0
    assert [each["repository"] for each in listed[1]["repositories"]] == expected


def test_methods_are_denied_by_role(world: World) -> None:
    """Who is not there for it is told so; nothing happens."""
    indexer, orchestrator = world.services.indexer, world.services.orchestrator
    deletion = indexer_pb2.DeleteRepositoryRequest(repository=MINE)
    debt = orchestrator_pb2.ListIndexDebtRequest(repository=MINE)
    span = retriever_pb2.ReadSpansRequest(repository=MINE, spans=[code_pb2.Span(path="shop.py")])

    assert outcome(indexer.DeleteRepository, deletion, "otto")[0] == "PERMISSION_DENIED"
    assert outcome(indexer.DeleteRepository, deletion, "anna")[0] == "PERMISSION_DENIED"
    assert outcome(orchestrator.ListIndexDebt, debt, "anna")[0] == "PERMISSION_DENIED"
    assert outcome(orchestrator.ListIndexDebt, debt, "otto")[0] == "OK"
    assert outcome(world.services.retriever.ReadSpans, span, "otto")[0] == "PERMISSION_DENIED"
    assert outcome(world.services.retriever.ReadSpans, span, "anna")[0] == "OK"


@pytest.mark.parametrize("service", ["indexer", "classifier", "retriever", "orchestrator"])
def test_nobody_is_let_in_without_a_good_credential(world: World, service: str) -> None:
    """Every service refuses no token, a wrong one, a name that is only claimed, and a proof that nobody signed."""
    calls = {
        "indexer": (world.services.indexer.ListRepositories, indexer_pb2.ListRepositoriesRequest()),
        "classifier": (world.services.classifier.AnalyzeTask, classifier_pb2.AnalyzeTaskRequest(task="x")),
        "retriever": world.reading()["Search"](MINE),
        "orchestrator": (world.services.orchestrator.ListSessions, orchestrator_pb2.ListSessionsRequest()),
    }
    call, request = calls[service]
    codes = []
    for metadata in (
        (),
        (("authorization", "Bearer x"),),
        (("x-cgrag-caller", "root"),),
        (("x-cgrag-identity", "e30.e30"),),
    ):
        with pytest.raises(Exception, match="UNAUTHENTICATED") as raised:
            call(request, timeout=CALL_SECONDS, metadata=metadata)
        codes.append(raised.value.code().name)  # type: ignore[attr-defined]

    assert codes == ["UNAUTHENTICATED"] * 4
    assert outcome(call, request, "root")[0] == "OK"


def test_logs_and_metrics_tell_nothing_of_it(world: World) -> None:
    """No log line and no series of any service holds the canary or a token; denials are counted and written down."""
    outcome(*world.reading()["Search"](THEIRS), "anna")
    told = world.services.logs()
    for port in world.services.metrics.values():
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=CALL_SECONDS) as response:
            told += response.read().decode()
    lines = [line for line in told.splitlines() if '"audit.decision"' in line]
    denied = [line for line in lines if '"denied"' in line and '"anna"' in line and '"Search"' in line]

    assert CANARY not in told
    assert "token-of-" not in told
    assert f'"repository": "{THEIRS}"' in denied[-1]
    assert '"request_id"' in denied[-1]
    assert any('"allowed"' in line and '"StartIndexing"' in line and f'"{THEIRS}"' in line for line in lines)
    assert 'cgrag_authz_denied_total{method="Search"}' in told


def test_what_is_taken_away_is_gone_at_once(world: World) -> None:
    """Without a restart a caller loses a repository, with the answers, sessions and jobs of it, and then the token."""
    orchestrator, pb = world.services.orchestrator, orchestrator_pb2
    mine = pb.GetAnswerRequest(answer_id=world.answer)
    again = pb.AskRequest(repository=THEIRS, question=f"What does {CANARY}_total do?", request_id="bert-1")
    before = [outcome(orchestrator.GetAnswer, mine, "bert")[0], outcome(orchestrator.Ask, again, "bert")[2]]
    moved = {"bert": ("asker, reader", MINE), "root": ("admin", "*")}
    world.services.file.write_text(access_file(moved))
    _until(lambda: outcome(*world.reading()["Search"](THEIRS), "bert")[0] == "NOT_FOUND")
    _until(lambda: outcome(orchestrator.GetAnswer, mine, "bert")[0] == "NOT_FOUND")
    after = [
        outcome(orchestrator.Ask, again, "bert"),
        outcome(orchestrator.ListSessions, pb.ListSessionsRequest(), "bert"),
    ]
    session = pb.GetSessionRequest(session_id=world.session)
    going_on = pb.AskRequest(repository=MINE, question="Why?", session_id=world.session)
    sessions = [outcome(orchestrator.GetSession, session, "bert"), outcome(orchestrator.Ask, going_on, "bert")]
    world.services.file.write_text("this is no TOML")
    kept = [outcome(*world.reading()["Search"](MINE), "bert")[0] for _ in range(2)]
    world.services.file.write_text(access_file({"root": ("admin", "*")}))
    _until(lambda: outcome(*world.reading()["Search"](MINE), "bert")[0] == "UNAUTHENTICATED")
    world.services.file.write_text(access_file())

    assert before[0] == "OK"
    assert CANARY in before[1]
    assert after[0][0] == "NOT_FOUND"
    assert CANARY not in str(after)
    assert f'"{THEIRS}"' not in after[1][2]
    assert [code for code, _, _ in sessions] == ["NOT_FOUND"] * 2
    assert THEIRS not in str(sessions)
    assert kept == ["OK", "OK"]


def test_what_is_kept_of_a_repository_goes_with_it(world: World) -> None:
    """Answers, sessions, tasks and decisions; only who may see its name hears that it was removed. Runs last."""
    orchestrator, retriever, pb = world.services.orchestrator, world.services.retriever, orchestrator_pb2
    kept = {
        "answer": (orchestrator.GetAnswer, pb.GetAnswerRequest(answer_id=world.answer)),
        "session": (orchestrator.GetSession, pb.GetSessionRequest(session_id=world.session)),
        "decisions": world.reading()["Decisions"](THEIRS),
        "task": world.reading()["Refine"](THEIRS),
    }
    _until(lambda: {outcome(*call, "bert")[0] for call in kept.values()} == {"OK"})
    deleted = outcome(*_deletion(world, THEIRS), "root")[0]
    _until(lambda: {outcome(*call, "bert")[0] for call in kept.values()} == {"NOT_FOUND"})
    told = {name: outcome(retriever.ListRemovals, retriever_pb2.ListRemovalsRequest(), name)[2] for name in CALLERS}

    assert deleted == "OK"
    assert {name for name, text in told.items() if THEIRS in text} == {"bert", "root"}
    assert "PERMISSION_DENIED" not in told["anna"]


def _deletion(world: World, name: str) -> tuple[Any, Any]:
    return world.services.indexer.DeleteRepository, indexer_pb2.DeleteRepositoryRequest(repository=name)


def _without_ids(told: tuple[str, str, str], name: str) -> tuple[str, str, str]:
    code, text, rest = told
    return code, text.replace(name, "NAME"), rest


def _until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < ends, "it did not happen within 10 s"
        time.sleep(0.1)
