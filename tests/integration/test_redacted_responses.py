"""Secrets of the source in what callers get: taken out for others than the user of this machine, and on request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2 as pb
from cgrag.type.v1 import code_pb2, evidence_pb2

from common.model.redaction import open_redact
from common.rpc.redaction import redacted, redacts_always
from common.rpc.settings import ServerSettings
from tests.fakes.answering import ASK, GET, Answers, serving
from tests.fakes.retrieving import retriever_over
from tests.integration.indexer.indexing import Indexing, write_tree

PASSWORD = "correct-Horse-77-battery"
KEY = "AKIA" + "Z3QWTR5LMN7XB2VD"
SOURCE = f'''\
"""Settings of the till."""

DB_PASSWORD = "{PASSWORD}"
AWS_ACCESS_KEY_ID = "{KEY}"
MAX_ROWS = 50


def connect(host):
    """Connect to the database."""
    if not host:
        raise ValueError("no host given, {PASSWORD} is unused")
    return host, DB_PASSWORD
'''
TASK = "Change DB_PASSWORD in connect"
STAGES = ["scope", "precision"]
ASKED = (("x-cgrag-redact", "1"),)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An index of a source with secrets."""
    write_tree(tmp_path / "till", {"conf.py": SOURCE})
    Indexing(tmp_path / "data").run(tmp_path / "till")
    return tmp_path / "data"


async def _all_texts(stub: Any, metadata: Any = ()) -> str:
    """Ask each method whose response holds source, and put the responses one behind the other."""
    name = "shop"
    question = "What is DB_PASSWORD set to?"
    task = pb.BuildContextRequest(repository=name, task=TASK, context_window_tokens=8000, stages=STAGES)
    calls = (
        (stub.ReadSpans, pb.ReadSpansRequest(repository=name, spans=[code_pb2.Span(path="conf.py")])),
        (stub.LookupSymbols, pb.LookupSymbolsRequest(repository=name, name="connect")),
        (stub.Retrieve, pb.RetrieveRequest(repository=name, question=question)),
        (stub.BuildContext, task),
    )
    return "\n".join([str(await call(request, metadata=metadata)) for call, request in calls])


@pytest.mark.parametrize(
    ("settings", "metadata"), [({"redact_answers": "always"}, ()), ({}, ASKED), ({"host": "0.0.0.0"}, ())]
)
async def test_no_method_shows_secrets(data: Path, settings: dict[str, Any], metadata: Any) -> None:
    """Where it is set, where a caller asks for it, and where others than this machine may call."""
    async with retriever_over(data, **settings) as stub:
        shown = await _all_texts(stub, metadata)

    assert "DB_PASSWORD" in shown
    assert "[redacted]" in shown
    assert KEY not in shown
    assert f'= "{PASSWORD}"' not in shown


async def test_the_user_of_the_machine_reads_the_source_as_it_is(data: Path) -> None:
    """On loopback, without an access file, whoever calls can read the files as well."""
    async with retriever_over(data) as stub:
        shown = await _all_texts(stub)

    assert KEY in shown
    assert PASSWORD in shown


@pytest.mark.parametrize(
    ("settings", "always"),
    [
        ({}, False),
        ({"host": "0.0.0.0"}, True),
        ({"host": "[::1]"}, False),
        ({"access_file": "/etc/cgrag/access.toml"}, True),
        ({"host": "0.0.0.0", "redact_answers": "never"}, False),
        ({"redact_answers": "always"}, True),
    ],
)
def test_what_is_the_default_depends_on_who_may_call(settings: dict[str, Any], always: bool) -> None:
    """Others may where the service listens on more than loopback, or knows callers."""
    assert redacts_always(ServerSettings(**settings)) is always


async def test_the_wish_travels_to_the_services_behind_and_holds_for_streams() -> None:
    """A value that one event shows as a secret is taken out of the events behind it, too."""
    seen: list[str] = []

    class Relay(Answers):
        async def Ask(self, request: Any, context: Any) -> AsyncIterator[Any]:
            await next_stub.GetAnswer(GET, timeout=2)
            piece = evidence_pb2.Evidence(evidence_id="E1", text=f'DB_PASSWORD = "{PASSWORD}"\n')
            yield orchestrator_pb2.AnswerEvent(sequence=1, evidence=orchestrator_pb2.EvidenceSupplied(evidence=[piece]))
            yield orchestrator_pb2.AnswerEvent(
                sequence=2, text_delta=orchestrator_pb2.TextDelta(text=f"It is {PASSWORD}.")
            )

    class Last(Answers):
        async def GetAnswer(self, request: Any, context: Any) -> Any:
            seen.append(dict(context.invocation_metadata()).get("x-cgrag-redact", ""))
            return orchestrator_pb2.Answer()

    async with serving(Last()) as (_, next_stub, _), serving(Relay(), open_redact=open_redact) as (_, stub, _):
        plain = [event async for event in stub.Ask(ASK)]
        clean = [event async for event in stub.Ask(ASK, metadata=ASKED)]

    assert seen == ["", "1"]
    assert PASSWORD in str(plain)
    assert PASSWORD not in str(clean)
    assert clean[1].text_delta.text == "It is [redacted]."


def test_identifiers_stay_and_values_go_with_their_names() -> None:
    """What is sent back has to be what was given; a value alone would tell nothing of what it is."""
    page = "c29tZXRoaW5nLWxpa2UtYS1zZWNyZXQtdG9rZW4tMTIzNDU2Nzg5MA=="
    setting = evidence_pb2.Setting(name="API_TOKEN", value="tok-51HxYz-NotReal-0000")
    rows = evidence_pb2.Setting(name="MAX_ROWS", value="50")
    kept = [evidence_pb2.Evidence(setting=each, content_hash=page) for each in (setting, rows)]
    found = redacted(pb.RetrieveResponse(evidence=kept, retrieval_id=page), open_redact(), set())

    assert [each.setting.value for each in found.evidence] == ["[redacted]", "50"]
    assert [each.content_hash for each in found.evidence] == [page, page]
    assert found.retrieval_id == page
    assert kept[0].setting.value.startswith("tok-"), "the message that was given is not changed"
