"""An orchestrator between fake peers, reached over the wire."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cgrag.orchestrator.v1 import orchestrator_pb2 as pb
from cgrag.orchestrator.v1 import orchestrator_pb2_grpc

from common.core.settings import load
from common.rpc.client.channels import open_channel
from orchestrator.bootstrap import build
from orchestrator.settings import OrchestratorSettings
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.peers import REPOSITORY, FakeClassifier, FakeRetriever, serving_peers

_FILE = {"orchestrator": {"port": 0, "metrics_port": 0}}
QUESTION = "How does checkout charge the customer?"


@dataclass
class Orchestrating:
    """A running orchestrator, its stub, and the peers behind it."""

    stub: Any
    retriever: FakeRetriever
    classifier: FakeClassifier
    target: str = ""
    data: Path = field(default_factory=Path)
    server: Any = None

    async def ask(self, question: str = QUESTION, *, metadata: Any = None, **fields: Any) -> list[pb.AnswerEvent]:
        """Ask, and return all events."""
        request = pb.AskRequest(**{"repository": REPOSITORY, "question": question} | fields)
        return [event async for event in self.stub.Ask(request, timeout=60, metadata=metadata)]

    async def answer(self, question: str = QUESTION, **fields: Any) -> pb.Answer:
        """Ask, and return the whole answer."""
        return (await self.ask(question, **fields))[-1].completed.answer

    async def explain(self, question: str = QUESTION, **fields: Any) -> pb.ExplainResponse:
        """Ask how a question would be answered."""
        request = pb.ExplainRequest(**{"repository": REPOSITORY, "question": question} | fields)
        explained: pb.ExplainResponse = await self.stub.Explain(request, timeout=60)
        return explained

    async def watch(self, answer_id: str, after: int = 0) -> list[pb.AnswerEvent]:
        """Go on with an answer, and return all events."""
        request = pb.WatchAnswerRequest(answer_id=answer_id, after_sequence=after)
        return [event async for event in self.stub.WatchAnswer(request, timeout=60)]

    async def replay(self, answer_id: str, *, metadata: Any = None) -> pb.ReplayAnswerResponse:
        """Make an answer again."""
        request = pb.ReplayAnswerRequest(answer_id=answer_id)
        replayed: pb.ReplayAnswerResponse = await self.stub.ReplayAnswer(request, timeout=60, metadata=metadata)
        return replayed


@asynccontextmanager
async def orchestrating(
    retriever: FakeRetriever | None = None, classifier: FakeClassifier | None = None, **settings: Any
) -> AsyncIterator[Orchestrating]:
    """Run an orchestrator on a free port; settings are those of its section."""
    retriever, classifier = retriever or FakeRetriever(), classifier or FakeClassifier()
    async with AsyncExitStack() as stack:
        addresses = await stack.enter_async_context(serving_peers(retriever, classifier))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        loaded = load(OrchestratorSettings, "orchestrator", environ={}, file=_FILE)
        wanted: dict[str, Any] = {
            "data_dir": folder,
            "retriever": (addresses[0],),
            "classifier": addresses[1],
            "engine": "evidence",
        }
        server = build(replace(loaded, **(wanted | settings)), stack)
        await stack.enter_async_context(server)
        target = f"127.0.0.1:{server.port}"
        channel = await stack.enter_async_context(open_channel(target))
        stub = orchestrator_pb2_grpc.OrchestratorServiceStub(channel)
        yield Orchestrating(stub, retriever, classifier, target, folder, server)


def model_at(server: AnthropicServer) -> dict[str, Any]:
    """Return settings whose answering model is at this server, and is asked once each time."""
    return {"engine": "anthropic", "model_url": server.base_url, "api_key": "sk-test", "model_attempts": 1}


def asking(
    model: AnthropicServer, retriever: FakeRetriever | None = None, **settings: Any
) -> AbstractAsyncContextManager[Orchestrating]:
    """Run an orchestrator whose engine asks this model, once each time."""
    return orchestrating(retriever, **(model_at(model) | settings))


def kinds(events: list[pb.AnswerEvent]) -> list[str]:
    """Return the kinds of events in order."""
    return [str(event.WhichOneof("event")) for event in events]


def text_of(events: list[pb.AnswerEvent], pass_number: int) -> str:
    """Return the text of a pass, of its last try."""
    text = ""
    for event in events:
        if event.HasField("pass_started") and event.pass_started.pass_number == pass_number:
            text = ""
        if event.HasField("text_delta") and event.text_delta.pass_number == pass_number:
            text += event.text_delta.text
    return text
