"""What one caller's repository holds never reaches another, whatever it calls, through four processes."""

from __future__ import annotations

import time
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
from cgrag.classifier.v1 import classifier_pb2
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import code_pb2, evidence_pb2

from tests.e2e.four_services import CALL_SECONDS
from tests.e2e.guarded import ABSENT, CANARY, MINE, THEIRS, Guarded, access_file, metadata_of, outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Calls = dict[str, Callable[[str], tuple[Any, Any]]]

TASK = "shared-task"
TEXT = "How are prices added?"
NAME = f"{CANARY}_total"
FILE = code_pb2.Span(path="shop.py")


class World:
    """The services, and what Bert has left in them."""

    def __init__(self, services: Guarded) -> None:
        self.services = services
        self.jobs = services.index_both()
        self.snapshot = self.jobs[THEIRS].snapshot_id
        self.session, self.answer, self.events = self._asked()
        retriever = services.retriever
        retriever.BuildContext(_task(THEIRS), timeout=CALL_SECONDS, metadata=metadata_of("bert"))
        request = retriever_pb2.RetrieveRequest(
            repository=THEIRS, question=f"What is {CANARY}_total?", retrieval_id="r1"
        )
        retriever.Retrieve(request, timeout=CALL_SECONDS, metadata=metadata_of("bert"))

    def _asked(self) -> tuple[str, str, str]:
        request = orchestrator_pb2.AskRequest(
            repository=THEIRS, question=f"What does {CANARY}_total do?", request_id="bert-1"
        )
        call = self.services.orchestrator.Ask(request, timeout=CALL_SECONDS, metadata=metadata_of("bert"))
        events = list(call)
        return events[0].started.session_id, events[0].answer_id, str(events)

    def reading(self) -> Calls:
        """Return calls of readers and askers that name a repository."""
        return self._reading_source() | self._reading_tasks() | self._asking()

    def _reading_source(self) -> Calls:
        retriever, pb = self.services.retriever, retriever_pb2
        symbol = code_pb2.SymbolRef(path="shop.py", qualified_name=NAME)
        gap = evidence_pb2.Gap(description="how it adds", symbol=NAME)
        return {
            "Search": lambda name: (retriever.Search, pb.SearchRequest(repository=name, query=TEXT)),
            "Retrieve": lambda name: (retriever.Retrieve, pb.RetrieveRequest(repository=name, question=TEXT)),
            "Pinned": lambda name: (
                retriever.Retrieve,
                pb.RetrieveRequest(repository=name, question=TEXT, snapshot_id=self.snapshot),
            ),
            "ResolveGaps": lambda name: (retriever.ResolveGaps, pb.ResolveGapsRequest(repository=name, gaps=[gap])),
            "Lookup": lambda name: (retriever.LookupSymbols, pb.LookupSymbolsRequest(repository=name, name=NAME)),
            "Graph": lambda name: (retriever.ExpandGraph, pb.ExpandGraphRequest(repository=name, seeds=[symbol])),
            "Spans": lambda name: (retriever.ReadSpans, pb.ReadSpansRequest(repository=name, spans=[FILE])),
        }

    def _reading_tasks(self) -> Calls:
        retriever, pb = self.services.retriever, retriever_pb2
        claim = evidence_pb2.Claim(kind=evidence_pb2.CLAIM_KIND_EXISTS, subject=NAME)
        cited = evidence_pb2.Citation(span=code_pb2.Span(path="shop.py", start_line=1, end_line=3))
        return {
            "Context": lambda name: (retriever.BuildContext, _task(name)),
            "Refine": lambda name: (
                retriever.RefineContext,
                pb.RefineContextRequest(repository=name, task_id=TASK, missing_files=["shop.py"]),
            ),
            "Claims": lambda name: (retriever.CheckClaims, pb.CheckClaimsRequest(repository=name, claims=[claim])),
            "Citation": lambda name: (
                retriever.ResolveCitation,
                pb.ResolveCitationRequest(repository=name, citation=cited, revision=self.snapshot),
            ),
            "Revision": lambda name: (
                retriever.ResolveCitation,
                pb.ResolveCitationRequest(repository=name, citation=cited, revision="main"),
            ),
            "Decisions": lambda name: (
                retriever.ListDecisions,
                pb.ListDecisionsRequest(repository=name, retrieval_id="r1"),
            ),
            "TaskDecisions": lambda name: (
                retriever.ListDecisions,
                pb.ListDecisionsRequest(repository=name, retrieval_id=TASK),
            ),
        }

    def _asking(self) -> Calls:
        orchestrator, indexer = self.services.orchestrator, self.services.indexer
        pb, asked = indexer_pb2, orchestrator_pb2
        return {
            "Ask": lambda name: (orchestrator.Ask, asked.AskRequest(repository=name, question=TEXT)),
            "Explain": lambda name: (orchestrator.Explain, asked.ExplainRequest(repository=name, question=TEXT)),
            "Jobs": lambda name: (indexer.ListIndexJobs, pb.ListIndexJobsRequest(repository=name)),
            "Snapshots": lambda name: (indexer.ListSnapshots, pb.ListSnapshotsRequest(repository=name)),
            "Snapshot": lambda name: (
                indexer.GetSnapshot,
                pb.GetSnapshotRequest(repository=name, snapshot_id=self.snapshot),
            ),
            "Findings": lambda name: (indexer.ListFindings, pb.ListFindingsRequest(repository=name)),
            "Imports": lambda name: (indexer.ListPreciseImports, pb.ListPreciseImportsRequest(repository=name)),
        }

    def running(self) -> Calls:
        """Return calls of operators that name a repository."""
        indexer, pb = self.services.indexer, indexer_pb2
        findings = pb.ImportFindingsRequest
        edges = pb.ImportPreciseEdgesRequest
        return {
            "Rollback": lambda name: (indexer.RollbackSnapshot, pb.RollbackSnapshotRequest(repository=name)),
            "ImportFindings": lambda name: (
                indexer.ImportFindings,
                iter([findings(header=pb.ImportFindingsHeader(repository=name), chunk=b"{}")]),
            ),
            "ImportEdges": lambda name: (
                indexer.ImportPreciseEdges,
                iter([edges(header=pb.ImportPreciseEdgesHeader(repository=name), chunk=b"x")]),
            ),
            "Withdraw": lambda name: (
                indexer.DeletePreciseImports,
                pb.DeletePreciseImportsRequest(repository=name, import_ids=["x"]),
            ),
            "StartIndexing": lambda name: (
                indexer.StartIndexing,
                pb.StartIndexingRequest(repository=name, source=pb.Source(local_path="/nowhere")),
            ),
        }


def _task(name: str) -> retriever_pb2.BuildContextRequest:
    return retriever_pb2.BuildContextRequest(
        repository=name, task="Change how prices are added", task_id=TASK, stages=["scope"], context_window_tokens=2000
    )


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
            assert theirs[0] != "OK" or name == "Jobs", f"{caller} {name}"
            assert CANARY not in "".join(theirs), f"{caller} {name}"
    assert outcome(*world.reading()["Spans"](THEIRS), "bert")[0] == "OK"


def test_ids_of_others_lead_nowhere(world: World) -> None:
    """An answer, session or job of another repository is unknown by its true id as by an invented one."""
    orchestrator, indexer, pb = world.services.orchestrator, world.services.indexer, orchestrator_pb2
    job = world.jobs[THEIRS].job_id
    by_id = [
        ("anna", orchestrator.GetAnswer, pb.GetAnswerRequest, "answer_id", world.answer),
        ("anna", orchestrator.WatchAnswer, pb.WatchAnswerRequest, "answer_id", world.answer),
        ("anna", orchestrator.CancelAnswer, pb.CancelAnswerRequest, "answer_id", world.answer),
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
    _, _, package = outcome(world.services.retriever.BuildContext, _task(MINE), "anna")

    assert code == "OK"
    assert "Adds prices" in answered + package
    assert CANARY not in answered + package


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
