"""A release beside the next one: rolled forward and back under running streams, and each on what the other has kept."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import pytest
from cgrag.indexer.v1 import indexer_pb2
from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import question_pb2

from tests.e2e.four_services import CALL_SECONDS, SHOP, refusal_of
from tests.e2e.next_release import ROOT, make_next_release
from tests.e2e.rolling import Askers, Calls, Deployment
from tests.fakes.anthropic_replies import Message
from tests.fakes.anthropic_server import AnthropicServer, ReceivedRequest
from tests.fakes.postgres_server import PostgresDatabase, needs_postgres, postgres_database
from tests.fakes.valkey_server import needs_server, valkey_server

QUESTION = "Trace what happens when a cart is checked out"
_PAUSE_SECONDS = 0.02
_ROUNDS = 60
_GAPS = (
    '<gaps>\n<gap symbol="Warehouse.release" path="shop/warehouse.py">how stock comes back</gap>\n'
    '<gap symbol="Ledger.vanish">what ends a day</gap>\n</gaps>'
)
_FIRST = tuple(f"Step {number} of a cart's way to the till. " for number in range(15))
_SECOND = (*(f"Step {number} of a cart's way on from there. " for number in range(15)), "`Checkout.run` [E1] ends it.")
# Pass by pass whatever the session knows, so that no follow-up is shorter than a first question.
_OPTIONS = pb.AskOptions(max_passes=2, continue_without_new_evidence=True)


def _reply(request: ReceivedRequest) -> Message:
    """Name gaps in the first pass, write an answer in the second; both take a while."""
    is_second = b"What became of what you asked for" in request.body
    return Message(pieces=_SECOND if is_second else (*_FIRST, _GAPS), pause_seconds=_PAUSE_SECONDS)


@pytest.fixture(scope="module")
def next_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a checkout of the next release."""
    return make_next_release(tmp_path_factory.mktemp("next"))


@needs_postgres
@needs_server
@pytest.mark.alone
def test_rolling_forward_and_back_under_running_streams(tmp_path: Path, next_release: Path) -> None:
    """Every answer is whole and without a gap, sessions go on, and what either release keeps, the other one tells."""
    shop = tmp_path / "shop"
    shutil.copytree(SHOP, shop)
    with postgres_database() as database, valkey_server(tmp_path) as valkey, AnthropicServer(_reply) as model:
        settings = _shared(database, valkey) | {
            "CGRAG_ORCHESTRATOR_ENGINE": "anthropic",
            "CGRAG_ORCHESTRATOR_MODEL_URL": model.base_url,
            "CGRAG_ORCHESTRATOR_GRACE_SECONDS": "0.2",
            "CGRAG_ORCHESTRATOR_DRAIN_DELAY_SECONDS": "0",
            "ANTHROPIC_API_KEY": "sk-test",
        }
        with Deployment(tmp_path, settings) as services:
            services.start(ROOT)
            services.index(shop, "shop")
            targets = tuple(each.target for each in services.orchestrators)
            with Askers(targets, "shop", QUESTION, _OPTIONS) as askers:
                askers.wait_for_more()
                for node in services.nodes:
                    node.roll(next_release)
                (shop / "later.py").write_text("LATER = 1\n")
                services.index(shop, "shop")
                for _ in range(_ROUNDS):  # at first an orchestrator may still do without the classifier
                    askers.wait_for_more()
                    written = _written(database)
                    if all(written.values()):
                        break
                for node in reversed(services.nodes):
                    node.roll(ROOT)
                    if node is services.indexer:
                        (shop / "again.py").write_text("AGAIN = 1\n")
                        services.index(shop, "shop")
                        askers.wait_for_more()
                askers.wait_for_more()
            _assert_whole(askers, services)

    assert all(count > 0 for count in written.values()), written
    assert sum(each[-1].completed.answer.metadata.taken_up_after_ms > 0 for each in askers.streams) > 1


def _shared(database: PostgresDatabase, valkey: str) -> dict[str, str]:
    return {
        "CGRAG_ORCHESTRATOR_ANSWER_STORE_URL": database.url,
        "CGRAG_ORCHESTRATOR_SESSION_STORE_URL": valkey,
        "CGRAG_RETRIEVER_DECISION_LOG_URL": database.url,
        "CGRAG_RETRIEVER_TASK_STORE_URL": valkey,
    }


def _written(database: PostgresDatabase) -> dict[str, int]:
    """Count the events that hold what only the next release writes."""
    texts = ('["Thought",', '"SATISFIED"', '"REDIRECTED"', '"COMPARATIVE"', '"later":"written"')
    where = "SELECT count(*) FROM cgrag_answer_events WHERE body LIKE '%{}%'"
    return {text: database.rows(where.format(text))[0][0] for text in texts}


def _assert_whole(askers: Askers, services: Deployment) -> None:
    """Compare what callers saw with what is kept: the same, each event once; the text is that of the last pass."""
    with Calls(services.orchestrators[0]) as calls:
        for seen in askers.streams:
            request = pb.WatchAnswerRequest(answer_id=seen[0].answer_id)
            kept = list(calls.orchestrator.WatchAnswer(request, timeout=CALL_SECONDS))
            assert [(each.sequence, each.WhichOneof("event")) for each in seen] == [
                (each.sequence, each.WhichOneof("event")) for each in kept
            ]
            answer = seen[-1].completed.answer
            last = max(each.text_delta.pass_number for each in seen)
            begun = max(at for at, each in enumerate(seen) if each.pass_started.pass_number == last)
            text = "".join(each.text_delta.text for each in seen[begun:])
            assert answer.text.startswith(text.rstrip()), (text, answer.text)
            # There is one classifier, and no vectors; one retriever goes before all have found the other again.
            assert set(answer.degraded) <= {"classifier", "gaps", "vectors"}, answer.degraded
            assert answer.metadata.passes == 2 or "gaps" in answer.degraded
    assert sum("gaps" in each[-1].completed.answer.degraded for each in askers.streams) < len(askers.streams) / 4


def test_each_release_goes_on_with_what_the_other_has_kept(tmp_path: Path, next_release: Path) -> None:
    """All in files of one machine: this release, the next one, and this one again; the format of then is not known."""
    shop = tmp_path / "shop"
    shutil.copytree(SHOP, shop)
    with Deployment(tmp_path, {}, replicas=1) as services:
        kept = _Kept()
        services.start(ROOT)
        kept.snapshot_id = services.index(shop, "shop").snapshot_id
        kept.use(services, "one")
        services.stop()
        services.start(next_release)
        kept.read(services)
        (shop / "later.py").write_text("LATER = 1\n")
        later = services.index(shop, "shop").snapshot_id
        kept.use(services, "two")
        services.stop()
        services.start(ROOT)
        kept.read(services)
        instead = kept.use(services, "three")
        with pytest.raises(grpc.RpcError) as refused:
            kept.use(services, "refused", later)
        again = services.index(shop, "shop").snapshot_id
        current = kept.use(services, "four")
        codes = services.stop()

    assert instead.snapshot_id == kept.snapshot_id
    assert refusal_of(refused.value).reason == "ERROR_REASON_SNAPSHOT_UNSUPPORTED"
    assert current.snapshot_id == again
    assert len({kept.snapshot_id, later, again}) == 3
    assert kept.remembered[0] < kept.remembered[1] < kept.remembered[-1]
    assert codes == [0, 0, 0, 0]


@dataclass(slots=True)
class _Kept:
    """What one caller has had kept, in one session."""

    snapshot_id: str = ""
    session_id: str = ""
    answers: list[pb.Answer] = field(default_factory=list)
    tasks: dict[str, int] = field(default_factory=dict)
    remembered: list[int] = field(default_factory=list)

    def use(self, services: Deployment, name: str, snapshot_id: str = "") -> pb.Answer:
        """Ask in the session, rate the answer, and have a context made for a task."""
        # A part of the shop alone, so that the session has room for more of it.
        options = pb.AskOptions(depth=pb.DEPTH_DEEP, budget=question_pb2.Budget(initial_tokens=600))
        question = "How does `Checkout.run` use `Ledger.vanish`?"
        request = pb.AskRequest(
            repository="shop", question=question, session_id=self.session_id, snapshot_id=snapshot_id, options=options
        )
        with Calls(services.orchestrators[0]) as calls:
            answer = list(calls.orchestrator.Ask(request, timeout=CALL_SECONDS))[-1].completed.answer
            calls.orchestrator.RateAnswer(pb.RateAnswerRequest(answer_id=answer.answer_id, rating=5))
            session = calls.orchestrator.GetSession(pb.GetSessionRequest(session_id=answer.session_id))
        self.remembered.append(session.cached_evidence)
        assert list(answer.degraded) == []
        assert self.session_id in ("", answer.session_id)
        self.session_id = answer.session_id
        self.answers.append(answer)
        with Calls(services.retrievers[0]) as calls:
            task = retriever_pb2.BuildContextRequest(
                repository="shop",
                task="Make `Checkout.run` faster",
                task_id=name,
                snapshot_id=self.snapshot_id,
                stages=["scope", "precision"],
                context_window_tokens=8000,
            )
            self.tasks[name] = calls.retriever.BuildContext(task, timeout=CALL_SECONDS).revision
        return answer

    def read(self, services: Deployment) -> None:
        """Read all of it again, and go on with the tasks."""
        with Calls(services.orchestrators[0]) as calls:
            session = calls.orchestrator.GetSession(pb.GetSessionRequest(session_id=self.session_id))
            debts = calls.orchestrator.ListIndexDebt(pb.ListIndexDebtRequest(repository="shop")).debts
            for answer in self.answers:
                got = calls.orchestrator.GetAnswer(pb.GetAnswerRequest(answer_id=answer.answer_id))
                watch = pb.WatchAnswerRequest(answer_id=answer.answer_id)
                events = list(calls.orchestrator.WatchAnswer(watch, timeout=CALL_SECONDS))
                assert got.text == answer.text == events[-1].completed.answer.text
                assert [each.sequence for each in events] == list(range(1, len(events) + 1))
        assert session.cached_evidence > 0
        assert {each.wanted for each in debts} == {"ledger.vanish"}
        assert sum(each.count for each in debts) == len(self.answers)
        with Calls(services.retrievers[0]) as calls:
            for name, revision in self.tasks.items():
                refine = retriever_pb2.RefineContextRequest(
                    repository="shop", task_id=name, missing_symbols=[f"Missing{revision}"]
                )
                refined = calls.retriever.RefineContext(refine, timeout=CALL_SECONDS)
                listed = retriever_pb2.ListDecisionsRequest(repository="shop", retrieval_id=name)
                decisions = calls.retriever.ListDecisions(listed, timeout=CALL_SECONDS).decisions
                assert refined.revision == revision + 1
                assert decisions
                self.tasks[name] = refined.revision
        with Calls(services.indexer) as calls:
            jobs = calls.indexer.ListIndexJobs(indexer_pb2.ListIndexJobsRequest(), timeout=CALL_SECONDS).jobs
            listing = indexer_pb2.ListSnapshotsRequest(repository="shop")
            snapshots = calls.indexer.ListSnapshots(listing, timeout=CALL_SECONDS).snapshots
        assert self.snapshot_id in {each.snapshot_id for each in snapshots}
        assert {each.state for each in jobs} == {indexer_pb2.INDEX_JOB_STATE_SUCCEEDED}
        assert len(jobs) == len(self.answers)
